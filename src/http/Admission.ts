/**
 * Admission: finds the sender of a request and refuses what the sender may not do. Every request passes here before its
 * handler.
 *
 * The order of refusals is NetBox's: wrong credentials, a session's request that another site may have sent, a missing
 * login, a missing permission. Only then does it matter whether the method exists.
 */
import { timingSafeEqual } from "node:crypto"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { Settings } from "../Config.ts"
import { AdmissionSql } from "../postgres/AdmissionSql.ts"
import { auditDenied, auditOrigin, auditRefused } from "../auth/Audit.ts"
import { type Presumed, authenticate, presumed } from "../auth/Authenticate.ts"
import { Denied } from "../auth/Denied.ts"
import { authorize } from "../auth/Permission.ts"
import { type Principal, anonymous, username } from "../auth/Principal.ts"
import { headersOf } from "../auth/proxy/ProxyRules.ts"
import { signInByProxy } from "../auth/proxy/ProxySignIn.ts"
import { proxyUserIn } from "../auth/proxy/ProxyUser.ts"
import { csrfToken } from "../auth/Session.ts"
import type { Action } from "../inventory/Clearance.ts"
import { isForm, readForm } from "./wire/Body.ts"
import { isOfType } from "./wire/MediaType.ts"
import { csrfCookie, sessionCookie } from "./wire/Cookies.ts"
import { asksForEvents, asksForHtml, asksForPage } from "./wire/Reader.ts"
import { requireConfirmation } from "./account/Confirmation.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { type Origin, isOurs } from "./wire/Origin.ts"
import { AtOnce, type Method, type Route, isPage, locationCharsMax, methodOf } from "./Route.ts"
import type { Request } from "./wire/Request.ts"

type Incoming = HttpServerRequest.HttpServerRequest

const actions: Readonly<Record<Method, Action>> = {
  GET: "view",
  POST: "add",
  PUT: "change",
  PATCH: "change",
  DELETE: "delete"
}

export const addressOf = (incoming: Incoming): string | undefined => Option.getOrUndefined(incoming.remoteAddress)

/** `onSender` learns who the sender is, also of a request that is refused. */
export const admit = Effect.fnUntraced(function* (
  incoming: Incoming,
  route: Route,
  origin: Origin,
  onSender: (principal: Principal) => void
) {
  if (route.access === "unasked") return anonymous
  const principal = yield* identify(incoming, origin, route)
  onSender(principal)
  yield* permit(incoming, route, principal, origin)
  return principal
})

/** A form that represents a request of another method. */
interface MeantByForm {
  readonly method: string
  readonly form: URLSearchParams
}

/** Refuses what the sender may not do. */
export const permit = (
  incoming: Incoming,
  route: Route,
  principal: Principal,
  origin: Origin,
  meant?: MeantByForm
): Effect.Effect<void, Denied | HttpRefused, Settings> =>
  allow(incoming, route, principal, origin, meant).pipe(
    auditing(nameOf(incoming), username(principal), addressOf(incoming))
  )

/**
 * The sender of a request, by its credentials, on the connections of admission; by the header of a trusted proxy if it
 * has no others. Fails with `Denied` for wrong ones; does not check permissions. With a route, a session may begin by
 * the header, and its cookies have to be set; without one the request is no use of its session.
 */
export const identify = Effect.fnUntraced(function* (incoming: Incoming, origin: Origin, route?: Route) {
  const address = addressOf(incoming)
  const session = incoming.cookies[sessionCookie(origin)]
  const names = origin.isProxied ? headersOf(yield* Settings) : undefined
  const sent = names && proxyUserIn(toIncomingMessage(incoming).rawHeaders, names)
  const refused = (name: string) => (denied: Denied) =>
    auditRefused(denied, { what: nameOf(incoming), way: "proxy", name }, address)
  if (sent instanceof Denied) return yield* Effect.fail(sent).pipe(Effect.tapErrorTag("Denied", refused("")))
  const authorization = incoming.headers["authorization"]
  const isUse = route !== undefined && route.isPolled !== true && !asksForEvents(incoming)
  const found = yield* authenticate({ authorization, session, proxyUser: sent, address, isUse }).pipe(
    Effect.provideServiceEffect(SqlClient.SqlClient, AdmissionSql),
    auditing(nameOf(incoming), "", address)
  )
  if (sent === undefined || found.user !== undefined) return found
  const without = withoutSession(incoming, route)
  // A login and the like check credentials of their own.
  if (without === "refuse" && route?.access === "credentials") return found
  const agent = incoming.headers["user-agent"]
  return yield* signInByProxy(sent, { session, address, agent, without }).pipe(
    Effect.tapErrorTag("Denied", refused(sent.name))
  )
})

/** How a request with a proxy's header and without a session is answered. Only pages of browsers keep a cookie. */
const withoutSession = (incoming: Incoming, route: Route | undefined) => {
  if (!isSafe(incoming.method)) return "refuse"
  return route !== undefined && incoming.method === "GET" && asksForHtml(incoming) ? "begin" : "read"
}

/** Logs a refusal. */
const auditing =
  (what: string, name: string, address: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (error) =>
      error instanceof Denied ? auditDenied(error, what, name, address) : Effect.void
    )

const nameOf = ({ method, url }: Incoming): string => `${method} ${url}`

/** A request of a presumed sender. */
export interface PresumedCall extends Presumed {
  readonly handler: AtOnce
  readonly method: Method
}

/**
 * The presumed sender of a request, whom its token belonged to last time, with the handler that checks the premise in
 * its own statement. Undefined if the method has no such handler, the token is not cached, or the sender would be
 * refused: then `admit` decides.
 */
export const presume = Effect.fnUntraced(function* (incoming: Incoming, route: Route, origin: Origin) {
  const method = methodOf(incoming.method)
  const handler = method && route.methods[method]
  if (method === undefined || !(handler instanceof AtOnce)) return undefined
  if (incoming.cookies[sessionCookie(origin)] !== undefined) return undefined
  const known = yield* presumed(incoming.headers["authorization"], addressOf(incoming))
  if (known === undefined) return undefined
  const allowed = yield* Effect.result(allow(incoming, route, known.principal, origin))
  return Result.isSuccess(allowed) ? ({ ...known, handler, method } satisfies PresumedCall) : undefined
})

const allow = Effect.fnUntraced(function* (
  incoming: Incoming,
  route: Route,
  principal: Principal,
  reached: Origin,
  meant?: MeantByForm
) {
  const { access } = route
  const { loginRequired } = yield* Settings
  if (principal.session !== undefined && !isSafe(incoming.method)) {
    yield* cameFromUs(incoming, reached)
    if (!isUpload(incoming, route)) yield* sentByUs(incoming, route, principal.session, meant?.form)
  }
  if (access === "credentials" || access === "unasked") return
  const isForPeople = isPage(route) || (isRead(incoming.method) && asksForPage(incoming))
  const step = missingStep(principal)
  if (step !== undefined) {
    if (!isForPeople) return yield* new Denied({ reason: step.reason })
    return yield* new HttpRefused({ reason: "LoginFirst", body: {}, headers: { location: step.page } })
  }
  if (loginRequired && principal.user === undefined) {
    return yield* isForPeople ? loginFirst(incoming) : new Denied({ reason: "NoCredentials" })
  }
  const method = meant?.method ?? incoming.method
  // The description of an endpoint is no secret.
  if (access === "open" || method === "OPTIONS") return
  yield* authorize(principal, method, actionOf(route, methodOf(method)), access).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "NoCredentials" && isForPeople && isRead(incoming.method) && asksForHtml(incoming),
      () => loginFirst(incoming)
    )
  )
  if (isSafe(method)) return
  const isFormOfPage = isPage(route) && isForm(incoming)
  yield* requireConfirmation(incoming, route, principal, isFormOfPage ? yield* readForm(incoming) : undefined)
})

/** The page that a user with a session has to complete before anything else; undefined without one. */
const missingStep = ({ mustChangePassword, mustSetUpFactor }: Principal) => {
  if (mustChangePassword === true) return { reason: "TemporaryPassword", page: "/user/password/" } as const
  return mustSetUpFactor === true ? ({ reason: "FactorNotSetUp", page: "/user/factors/app/" } as const) : undefined
}

/** Leads to the login, which leads back, unless the address is too long to be named in a header. */
export const loginFirst = ({ url }: Incoming) => {
  const location = `/login/?${new URLSearchParams({ next: url })}`
  return new HttpRefused({
    reason: "LoginFirst",
    body: {},
    headers: { location: location.length > locationCharsMax ? "/login/" : location }
  })
}

/** The action that a method of a route does to the objects of its type. */
export const actionOf = ({ action }: Route, method: Method | undefined): Action =>
  action ?? (method && actions[method]) ?? "view"

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

const isSafe = (method: string): boolean => isRead(method) || method === "OPTIONS"

const isUpload = ({ headers }: Incoming, { takesFiles }: Route): boolean =>
  takesFiles === true && isOfType(headers["content-type"], "multipart/form-data")

/** Fails with 403 if the browser says that a page of another site sent the request, or has no cookie of ours. */
const cameFromUs = Effect.fnUntraced(function* ({ headers, cookies }: Incoming, reached: Origin) {
  const origin = headers["origin"]
  if (origin !== undefined && !isOurs(origin, reached)) {
    yield* auditOrigin(origin, reached.base, reached.host)
    const why = `Origin checking failed - ${origin.slice(0, originCharsMax)} does not match any trusted origins.`
    return yield* new HttpRefused({ reason: "ForeignOrigin", body: { detail: `CSRF Failed: ${why} ${wayOut}` } })
  }
  if (cookies[csrfCookie(reached)] === undefined) return yield* staleForm("CSRF cookie not set.")
})

/**
 * Fails with 403 unless one of our own pages sent the request: a browser adds the session's cookie to requests of any
 * site, but only our pages know the CSRF token. A form that was kept is only for routes that show it again.
 */
const sentByUs = Effect.fnUntraced(function* (
  incoming: Incoming,
  { keepsForm }: Pick<Route, "keepsForm">,
  session: string,
  form?: URLSearchParams
) {
  const inHeader = incoming.headers["x-csrftoken"]
  const fields = inHeader === undefined ? (form ?? (yield* readForm(incoming))) : undefined
  if (keepsForm !== true && fields?.has("_again") === true) {
    return yield* new HttpRefused({ reason: "Forbidden", body: { detail: "This address shows no form again." } })
  }
  const given = inHeader ?? fields?.get("csrfmiddlewaretoken") ?? null
  if (given === null) return yield* staleForm("CSRF token missing.")
  if (isSameSecret(given, csrfToken(session))) return
  const place = inHeader === undefined ? "POST" : "the 'X-Csrftoken' HTTP header"
  return yield* staleForm(`CSRF token from ${place} incorrect.`)
})

/**
 * Fails with 403 unless one of our own pages sent the form with files, of which these are the bytes. The token has to be
 * its first field, so that no large body is searched.
 */
export const refuseForgedUpload = ({ incoming, principal: { session } }: Request, bytes: ArrayBuffer) => {
  const begin = Buffer.from(bytes, 0, Math.min(bytes.byteLength, beginBytesMax)).toString("latin1")
  const [, token = null] =
    /^--[^\r\n]+\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n([^\r\n]+)\r\n/i.exec(begin) ?? []
  const form = new URLSearchParams(token === null ? {} : { csrfmiddlewaretoken: token })
  return session === undefined ? Effect.void : sentByUs(incoming, {}, session, form)
}

/** The first field of a form is within these bytes. */
const beginBytesMax = 1024

/** Most characters of a header that a refusal repeats. */
const originCharsMax = 300

const wayOut =
  "If this is an address of the service itself: its operator sets BASE_URL to that address, or has the proxy send X-Forwarded-Host and X-Forwarded-Proto and names it in TRUSTED_PROXIES."

/** The form may be one of ours, of a session before this one. */
const staleForm = (why: string) => new HttpRefused({ reason: "StaleForm", body: { detail: `CSRF Failed: ${why}` } })

/** Compares in constant time, so that the time does not reveal how much was right. */
export const isSameSecret = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
