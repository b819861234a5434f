/** From an admitted request to the answer of its route's handler. */
import { Effect, Result, identity } from "effect"
import { auditGrant } from "../auth/Audit.ts"
import { refuseGrant } from "../auth/Grant.ts"
import { clearanceOf } from "../auth/Permission.ts"
import { type Principal, username } from "../auth/Principal.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { soundTraceparent } from "../telemetry/TraceContext.ts"
import { pathCharsMax } from "../inventory/write/Transaction.ts"
import { type PresumedCall, addressOf } from "./Admission.ts"
import { type InTurn, kindOf } from "./Fairness.ts"
import { refuseSecrets } from "./account/Confirmation.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { apiVersion } from "./Respond.ts"
import {
  AtOnce,
  type Match,
  type Method,
  type Reply,
  type Route,
  type Services,
  authenticated,
  methodOf
} from "./Route.ts"
import type { Request } from "./wire/Request.ts"
import { allowed, metadata } from "./objects/Metadata.ts"
import { type JsonBody, readBytes, readJson } from "./wire/Body.ts"
import { negotiate } from "./wire/Negotiation.ts"

/** The request that a form of a page represents, instead of the request that brings it. */
export interface Meant {
  readonly method: string
  readonly json: Effect.Effect<JsonBody, HttpRefused>
  readonly bytes: Effect.Effect<ArrayBuffer>
  readonly ifMatch: string | undefined
}

export interface Asked extends Pick<Request, "incoming" | "origin" | "url"> {
  readonly requestId: string
  /** Ids of the webhooks whose deliveries led to it; absent where none did. */
  readonly chain?: ReadonlyArray<number> | undefined
  /** The request that a form of a page represents; absent where there is no form. */
  readonly meant?: Meant | undefined
}

/**
 * Answers a request of an authenticated sender with the handler of its method.
 *
 * What each request runs is `fnUntraced`, here and in its handlers: a generator function that is made for a request
 * gets a hidden class of its own, which V8 keeps, with all that the function refers to, until the next full collection.
 */
export const handle = Effect.fnUntraced(function* (inTurn: InTurn, match: Match, asked: Asked, principal: Principal) {
  const { route } = match
  const name = asked.meant?.method ?? asked.incoming.method
  const method = methodOf(name)
  if (name === "OPTIONS") return yield* metadata(route, principal)
  const handler = method && route.methods[method]
  if (method === undefined || handler === undefined) return yield* methodNotAllowed(name, allowed(route.methods))
  const call = callOf(match, asked, principal, method)
  if (call instanceof HttpRefused) return yield* call
  const run = handler instanceof AtOnce ? authenticated(handler) : handler
  return yield* finished(call, yield* cleared(inTurn, call, run(call.request)))
})

/**
 * The final answer or refusal to a request of a presumed sender. Fails where nothing proves that the sender is the right
 * one; nothing was written then.
 */
export const handlePresumed = Effect.fnUntraced(function* (
  inTurn: InTurn,
  match: Match,
  asked: Asked,
  { principal, where, handler, method }: PresumedCall
) {
  const call = callOf(match, asked, principal, method)
  if (call instanceof HttpRefused) return yield* call
  const proven = Effect.flatMap(handler.begin(call.request, where), ({ value }) => Effect.result(value))
  const result = yield* cleared(inTurn, call, proven)
  return Result.isFailure(result) ? result : Result.succeed(yield* finished(call, result.success))
})

/** A request to the handler of a method. */
interface Call {
  readonly route: Route
  readonly method: Method
  readonly request: Request
  readonly indent: number
}

const callOf = (match: Match, asked: Asked, principal: Principal, method: Method): Call | HttpRefused => {
  const { route } = match
  const { produces = json } = route
  const header = asked.url.pathname.startsWith("/api/") ? asked.incoming.headers["accept"] : undefined
  const accepted = negotiate(header, produces, apiVersion)
  if (accepted instanceof HttpRefused) return accepted
  return { route, method, request: requestOf(asked, match, principal, accepted.type), indent: accepted.indent }
}

/** Runs a handler with its sender's clearance, in its sender's turn. */
const cleared = Effect.fnUntraced(function* <A, E>(
  inTurn: InTurn,
  { route, method, request: { incoming, principal } }: Call,
  run: Effect.Effect<A, E, Services>
) {
  const kind = kindOf(route, method, incoming.headers)
  return yield* run.pipe(
    Effect.provideService(Clearance, yield* clearanceOf(principal)),
    kind === undefined ? identity : inTurn(kind, principal, addressOf(incoming))
  )
})

const finished = Effect.fnUntraced(function* ({ route: { access }, method, request, indent }: Call, reply: Reply) {
  if (typeof access === "object" && access.kind === "account") yield* auditWrite(request, method, reply)
  return indent === 0 ? reply : { ...reply, indent }
})

/** The request as its handler gets it. */
export const requestOf = (
  { incoming, origin, url, requestId, chain, meant }: Asked,
  { route, params }: Match,
  principal: Principal,
  accepted: string
): Request => {
  const bodyWithText = meant?.json ?? readJson(incoming, route.jsonMax)
  const body = Effect.map(bodyWithText, ({ value }) => value)
  const acting = typeof route.access === "object" && route.access.owner !== undefined ? route.access : undefined
  const granted = acting === undefined ? body : Effect.tap(body, (value) => refuseGrant(principal, acting, value))
  const type = principal.mustConfirm === true && typeof route.access === "object" ? route.access : undefined
  const checked = type === undefined ? granted : Effect.tap(granted, (value) => refuseSecrets(type, value))
  return {
    ...{ incoming, url, params, principal, origin, accepted, bodyWithText },
    author: {
      ...{ username: username(principal), requestId, userId: principal.user?.id },
      request: {
        method: meant?.method ?? incoming.method,
        path: url.pathname.slice(0, pathCharsMax),
        token: principal.token,
        traceparent: soundTraceparent(incoming.headers["traceparent"]),
        chain
      }
    },
    base: origin.base,
    body: checked,
    bytes: (max) => meant?.bytes ?? readBytes(incoming, max),
    contentType: meant === undefined ? incoming.headers["content-type"] : undefined,
    ifMatch: meant === undefined ? incoming.headers["if-match"] : meant.ifMatch
  }
}

const json = ["application/json"]

/** Logs who changed which accounts. */
const auditWrite = ({ principal, url }: Request, method: Method, { json, written }: Reply) => {
  const rows = [json ?? []].flat() as ReadonlyArray<{ readonly id?: number }>
  const ids = written ?? rows.flatMap(({ id }) => id ?? [])
  // A form that is shown again for correction has changed nothing.
  const isForm = written === undefined && json === undefined
  const changesNothing = method === "GET" || isForm || written?.length === 0
  return changesNothing ? Effect.void : auditGrant(principal, `${method} ${url.pathname}`, ids)
}

const methodNotAllowed = (method: string, allow: string) =>
  new HttpRefused({
    reason: "MethodNotAllowed",
    body: { detail: `Method "${method}" not allowed.` },
    headers: { allow }
  })
