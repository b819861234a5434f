/**
 * The browsable API: an answer of the API as a page, for people who open its address in a browser.
 *
 * Browsers send GET and POST only, so a form of a page names the method that it means. Such a form counts only within
 * a session and with its CSRF token, and changes nothing else about the API.
 */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Settings } from "../Config.ts"
import { Denied } from "../auth/Denied.ts"
import { clearanceOf } from "../auth/Permission.ts"
import type { Principal } from "../auth/Principal.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { addressOf, identify, permit } from "./Admission.ts"
import { replyTo } from "./ErrorReply.ts"
import type { InTurn } from "./Fairness.ts"
import { type Asked, type Meant, handle, requestOf } from "./Handle.ts"
import type { HttpRefused } from "./HttpRefused.ts"
import { headersOf } from "./Respond.ts"
import type { Match, Refusal, Reply, Route, Services } from "./Route.ts"
import type { Request } from "./wire/Request.ts"
import { formSizeMax, jsonOf, readFormOf } from "./wire/Body.ts"
import { isTls } from "./wire/Origin.ts"

type Incoming = HttpServerRequest.HttpServerRequest

/** An answer with all that its page shows. */
export interface Browsed {
  readonly request: Request
  readonly route: Route
  /** The method that the sender means: `OPTIONS`, where a form says so. */
  readonly method: string
  readonly reply: Reply
  /** The headers with which the answer would be sent as JSON. */
  readonly headers: Readonly<Record<string, string>>
  /** Why the request was refused; undefined if it was not. */
  readonly refusal: Refusal | undefined
  /** The fields of the form that was sent. */
  readonly form: URLSearchParams
  readonly tookMillis: number
  /** Whether the API has an address of this path. */
  readonly exists: (path: string) => boolean
}

/** The pages of the browsable API. */
export interface Browsing {
  readonly page: (browsed: Browsed) => Effect.Effect<Reply, Refusal, Services>
  /** The body of a request to the route that the fields of a form represent. */
  readonly bodyOf: (route: Route, method: string, fields: URLSearchParams) => Effect.Effect<unknown, Refusal, Services>
}

/** The fields of a form that are no fields of an object. */
export const fieldNames = {
  method: "_method",
  /** The whole body as text. */
  content: "_content",
  ifMatch: "_if_match"
} as const

/** The form that a page sent. Fails with 413 if it is too large. */
const formOf = (incoming: Incoming): Effect.Effect<URLSearchParams, HttpRefused> =>
  incoming.method === "POST" ? readFormOf(incoming, formSizeMax) : Effect.succeed(new URLSearchParams())

/** The method that a form means: its own, or that of the request. */
const methodIn = (form: URLSearchParams): string => form.get(fieldNames.method) ?? "POST"

/** The request that the form represents: its body is the typed text, or else made of the fields of an object. */
const meantBy = Effect.fnUntraced(function* (form: URLSearchParams, route: Route, { bodyOf }: Browsing) {
  const method = methodIn(form)
  const text = form.get(fieldNames.content) ?? JSON.stringify(yield* bodyOf(route, method, form))
  return {
    method,
    json: jsonOf(() => (text.trim() === "" ? "{}" : text)),
    bytes: Effect.sync(() => new TextEncoder().encode(text).buffer),
    ifMatch: form.get(fieldNames.ifMatch) ?? undefined
  } satisfies Meant
})

interface Serving {
  readonly browsing: Browsing
  readonly find: (path: string) => Match | undefined
  readonly inTurn: InTurn
}

/** Answers with the page of the API's answer; an answer that is no JSON as it is. */
export const browse = Effect.fnUntraced(function* (
  serving: Serving,
  match: Match,
  asked: Asked,
  onSender: (principal: Principal) => void
) {
  const { browsing, find, inTurn } = serving
  const { incoming, origin, requestId } = asked
  const began = performance.now()
  const principal = yield* identify(incoming, origin, match.route)
  onSender(principal)
  const form = yield* formOf(incoming)
  const isForm = incoming.method === "POST"
  const method = isForm ? methodIn(form) : incoming.method
  const result = yield* Effect.gen(function* () {
    yield* permit(incoming, match.route, principal, origin, isForm ? { form, method } : undefined)
    // Only the CSRF token of a session shows that one of our pages sent the form.
    if (isForm && method !== "OPTIONS" && principal.session === undefined) {
      return yield* new Denied({ reason: "NoCredentials" })
    }
    const meant = isForm ? yield* meantBy(form, match.route, browsing) : undefined
    return yield* handle(inTurn, match, { ...asked, meant }, principal)
  }).pipe(Effect.result)
  const refusal = Result.isFailure(result) ? result.failure : undefined
  const reply = Result.isSuccess(result) ? result.success : yield* replyTo(result.failure, incoming.url, requestId)
  const isShown = reply.json !== undefined || reply.status === 204
  const isLed = reply.status >= 300 && reply.status < 400
  if (!isShown || isLed || reply.status >= 500) return reply
  const secure = isTls((yield* Settings).baseUrl)
  const page = browsing.page({
    ...{ reply, refusal, form, method },
    route: match.route,
    request: requestOf(asked, match, principal, "text/html"),
    headers: headersOf(reply, { incoming, requestId, secure }),
    tookMillis: performance.now() - began,
    exists: (path) => find(path)?.route.methods.GET !== undefined
  })
  return yield* page.pipe(
    Effect.provideService(Clearance, yield* clearanceOf(principal)),
    inTurn("read", principal, addressOf(incoming))
  )
})
