/** From an admitted request to the answer of its route's handler. */
import { Effect, identity } from "effect"
import { auditGrant } from "../auth/Audit.ts"
import { refuseGrant } from "../auth/Grant.ts"
import { clearanceOf } from "../auth/Permission.ts"
import { type Principal, username } from "../auth/Principal.ts"
import { Clearance, type Premise } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import { soundTraceparent } from "../telemetry/TraceContext.ts"
import { pathCharsMax } from "../inventory/write/Transaction.ts"
import { addressOf } from "./Admission.ts"
import { type InTurn, kindOf } from "./Fairness.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { apiVersion } from "./Respond.ts"
import { type Match, type Method, type Reply, methodOf } from "./Route.ts"
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
  /** The request that a form of a page stands for; absent where the request stands for itself. */
  readonly meant?: Meant | undefined
}

/**
 * Answers a request with the handler of its method.
 *
 * What each request runs is `fnUntraced`, here and in its handlers: a generator function that is made for a request
 * gets a hidden class of its own, which V8 keeps, with all that the function refers to, until the next full collection.
 */
export const handle = Effect.fnUntraced(function* (
  inTurn: InTurn,
  { route, params }: Match,
  asked: Asked,
  principal: Principal,
  premise?: Premise
) {
  const { incoming, url, meant } = asked
  const name = meant?.method ?? incoming.method
  const method = methodOf(name)
  const { access, methods, produces = json } = route
  if (name === "OPTIONS") return yield* metadata(route, principal)
  const handler = method && methods[method]
  if (method === undefined || handler === undefined) return yield* methodNotAllowed(name, allowed(methods))
  const accepted = negotiate(
    url.pathname.startsWith("/api/") ? incoming.headers["accept"] : undefined,
    produces,
    apiVersion
  )
  if (accepted instanceof HttpRefused) return yield* accepted
  const request = requestOf(asked, { route, params }, principal, accepted.type)
  const clearance = yield* clearanceOf(principal, premise)
  const kind = kindOf(route, method, incoming.headers)
  const reply = yield* handler(request).pipe(
    Effect.provideService(Clearance, clearance),
    kind === undefined ? identity : inTurn(kind, principal, addressOf(incoming))
  )
  if (typeof access === "object" && access.kind === "account") yield* auditWrite(request, method, reply)
  return accepted.indent === 0 ? reply : { ...reply, indent: accepted.indent }
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
    body: route.access === tokenType ? Effect.tap(body, (value) => refuseGrant(principal, value)) : body,
    bytes: (max) => meant?.bytes ?? readBytes(incoming, max),
    contentType: meant === undefined ? incoming.headers["content-type"] : undefined,
    ifMatch: meant === undefined ? incoming.headers["if-match"] : meant.ifMatch
  }
}

const json = ["application/json"]

const tokenType = objectType("users.token")

/** Logs who changed which accounts. */
const auditWrite = ({ principal, url }: Request, method: Method, { json, written }: Reply) => {
  const rows = [json ?? []].flat() as ReadonlyArray<{ readonly id?: number }>
  const ids = written ?? rows.flatMap(({ id }) => id ?? [])
  // A form that comes back to be corrected has changed nothing.
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
