/**
 * http: the wire.
 *
 * Responsible for: admission, reading requests, and answers and errors in the shapes that NetBox clients know.
 * Guarantees: a request changes the world through one transaction only; every answer carries `X-Request-ID`; an
 * unexpected error is logged with that id and answered without details. Does not: know capture, streams or pages.
 */
import { randomUUID } from "node:crypto"
import { Cause, Effect, Layer, Result, Stream, identity } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { AdmissionSql } from "../postgres/AdmissionSql.ts"
import { Settings } from "../Config.ts"
import { OptionRefused } from "../Setting.ts"
import { auditGrant } from "../auth/Audit.ts"
import { Denied } from "../auth/Denied.ts"
import { refuseGrant } from "../auth/Grant.ts"
import { clearanceOf } from "../auth/Permission.ts"
import { type Principal, username } from "../auth/Principal.ts"
import { Clearance, type Premise } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import { parseIpNetwork } from "../inventory/field/Networks.ts"
import { addressOf, admit, asksForHtml, presume } from "./Admission.ts"
import { isOfType, readBytes, readJson } from "./wire/Body.ts"
import { withCookies } from "./wire/Cookies.ts"
import { databaseReply, isWrongPattern } from "./DatabaseReply.ts"
import { type InTurn, makeInTurn } from "./Fairness.ts"
import { HttpRefused, notFound } from "./HttpRefused.ts"
import { allowed, metadata } from "./objects/Metadata.ts"
import { accessProblem } from "./describe/MetricsAccess.ts"
import { negotiate } from "./wire/Negotiation.ts"
import { forwarded, isTls, originOf } from "./wire/Origin.ts"
import { targetOf } from "./wire/Target.ts"
import {
  type Match,
  type Method,
  type Refusal,
  type Reply,
  type Request,
  type Route,
  makeRouter,
  isPage,
  methodOf
} from "./Route.ts"

/** The major and minor version of the NetBox API that this API is compatible with. */
export const apiVersion = "3.5"

/** The routes, and the page of an error for senders who ask for HTML. */
interface Site {
  readonly routes: ReadonlyArray<Route>
  readonly errorPage: (error: {
    readonly status: number
    readonly detail: string
    readonly path: string
    readonly requestId: string
  }) => Reply
}

interface Serving extends Pick<Site, "errorPage"> {
  readonly find: ReturnType<typeof makeRouter>
  readonly proxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly inTurn: InTurn
}

export const serve = ({ routes, errorPage }: Site) => {
  const find = makeRouter(routes)
  return Layer.unwrap(
    Effect.map(proxyNetworks, (proxies) =>
      HttpServer.serve(answerAll({ find, errorPage, proxies, inTurn: makeInTurn() }))
    )
  )
}

/** The networks of the proxies whose headers are trusted. Fails if an option cannot be read. */
const proxyNetworks = Effect.gen(function* () {
  const { trustedProxies, metricsAccess } = yield* Settings
  const problem = accessProblem(metricsAccess)
  if (problem !== undefined) return yield* new OptionRefused({ message: problem })
  return yield* Effect.forEach(trustedProxies, (text) => {
    const network = parseIpNetwork(text)
    return network === undefined
      ? Effect.fail(new OptionRefused({ message: `TRUSTED_PROXIES: ${text} is no network` }))
      : Effect.succeed(network)
  })
})

const answerAll = (serving: Serving) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const told = forwarded(yield* HttpServerRequest.HttpServerRequest, serving.proxies)
    const { incoming } = told
    const requestId = randomUUID()
    const reply: Reply = yield* originOf(told, settings).pipe(
      Effect.flatMap((origin) => answer(serving, { incoming, origin, requestId })),
      Effect.catch((refusal) => replyTo(refusal, incoming.url, requestId)),
      Effect.catchCause((cause) => unexpected(cause, requestId)),
      Effect.map((reply) => forPeople(serving, reply, incoming, requestId))
    )
    return withCookies(respond(reply, incoming, requestId, isTls(settings.baseUrl)), reply.cookies ?? [])
  })

const answer = Effect.fnUntraced(function* (serving: Serving, { incoming, origin, requestId }: Omit<Asked, "url">) {
  const { find } = serving
  const url = yield* targetOf(incoming.url)
  const match = find(url.pathname)
  if (match === undefined) {
    const slashed = find(`${url.pathname}/`) !== undefined
    if (slashed) return moved(`${url.pathname}/${url.search}`)
    if (url.pathname.startsWith("/api/") && wantsJson(incoming)) return yield* notFound()
    return serving.errorPage({ status: 404, detail: "", path: url.pathname, requestId })
  }
  const answerTo = handle(serving, match, { incoming, origin, url, requestId })
  const guess = yield* presume(incoming, match.route, origin)
  if (guess !== undefined) {
    const reply = yield* Effect.result(answerTo(guess.principal, guess.premise))
    // A failing database is answered at once: asking again would take as long and fail as well.
    if (guess.premise.holds || isFailure(reply)) return yield* Effect.fromResult(reply)
  }
  const admitted = admit(incoming, match.route, origin).pipe(
    Effect.provideServiceEffect(SqlClient.SqlClient, AdmissionSql)
  )
  return yield* answerTo(yield* admitted)
})

/** Whether a client asks for JSON, by name. */
const wantsJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => {
  if (isOfType(headers["content-type"], "application/json")) return true
  const accepted = negotiate(headers["accept"], ["text/html", "application/json"], apiVersion)
  return !(accepted instanceof HttpRefused) && accepted.type === "application/json"
}

/** An error of a page as HTML; other replies as they are. */
const forPeople = (
  { errorPage }: Serving,
  reply: Reply,
  incoming: HttpServerRequest.HttpServerRequest,
  requestId: string
): Reply => {
  const { url } = incoming
  if (reply.status < 400 || reply.json === undefined || url.startsWith("/api/") || !asksForHtml(incoming)) return reply
  const detail = String((reply.json as { readonly detail?: unknown }).detail ?? "")
  const page = errorPage({ status: reply.status, detail, path: url, requestId })
  return { ...page, headers: { ...page.headers, ...reply.headers } }
}

/** Whether the database failed, whoever the sender is. */
const isFailure = (reply: Result.Result<Reply, Refusal>): boolean =>
  Result.isFailure(reply) && reply.failure._tag === "SqlError" && !isWrongPattern(reply.failure)

interface Asked extends Pick<Request, "incoming" | "origin" | "url"> {
  readonly requestId: string
}

const handle =
  ({ inTurn }: Serving, { route, params }: Match, { incoming, origin, url, requestId }: Asked) =>
  (principal: Principal, premise?: Premise) =>
    Effect.gen(function* () {
      const method = methodOf(incoming.method)
      const { access, methods, produces = json } = route
      if (incoming.method === "OPTIONS") return yield* metadata(route, principal)
      const handler = method && methods[method]
      if (method === undefined || handler === undefined)
        return yield* methodNotAllowed(incoming.method, allowed(methods))
      const accepted = negotiate(
        url.pathname.startsWith("/api/") ? incoming.headers["accept"] : undefined,
        produces,
        apiVersion
      )
      if (accepted instanceof HttpRefused) return yield* accepted
      const body = Effect.map(readJson(incoming), ({ value }) => value)
      const request: Request = {
        incoming,
        url,
        params,
        principal,
        author: { username: username(principal), requestId, userId: principal.user?.id },
        origin,
        base: origin.base,
        body: access === tokenType ? Effect.tap(body, (value) => refuseGrant(principal, value)) : body,
        bodyWithText: readJson(incoming),
        bytes: (max) => readBytes(incoming, max),
        contentType: incoming.headers["content-type"],
        ifMatch: incoming.headers["if-match"],
        accepted: accepted.type
      }
      const clearance = yield* clearanceOf(principal, premise)
      // Others need no connection, or one for a moment only.
      const reads = method === "GET" && (typeof access === "object" || (access === "open" && isPage(route)))
      const reply = yield* handler(request).pipe(
        Effect.provideService(Clearance, clearance),
        reads ? inTurn(principal, addressOf(incoming)) : identity
      )
      if (typeof access === "object" && access.kind === "account") yield* auditWrite(request, method, reply)
      return accepted.indent === 0 ? reply : { ...reply, indent: accepted.indent }
    })

const json = ["application/json"]

const tokenType = objectType("users.token")

/** Logs who changed which accounts. */
const auditWrite = ({ principal, url }: Request, method: Method, { json, written }: Reply) => {
  const rows = [json ?? []].flat() as ReadonlyArray<{ readonly id?: number }>
  const ids = written ?? rows.flatMap(({ id }) => id ?? [])
  const changesNothing = method === "GET" || written?.length === 0
  return changesNothing ? Effect.void : auditGrant(principal, `${method} ${url.pathname}`, ids)
}

const moved = (to: string): Reply => ({ status: 301, headers: { location: to } })

const methodNotAllowed = (method: string, allow: string) =>
  new HttpRefused({
    reason: "MethodNotAllowed",
    body: { detail: `Method "${method}" not allowed.` },
    headers: { allow }
  })

const replyTo = (refusal: Refusal, url: string, requestId: string): Effect.Effect<Reply> => {
  switch (refusal._tag) {
    case "Denied":
      return Effect.succeed({ status: 403, json: { detail: refusal.detail } })
    case "OutOfBounds":
      return Effect.succeed({ status: 403, json: { detail: new Denied({ reason: "NoPermission" }).detail } })
    case "HttpRefused":
      return Effect.succeed({ status: refusal.status, json: refusal.body, headers: refusal.headers ?? {} })
    case "Protected":
      return Effect.succeed({ status: 409, json: { detail: refusal.detail } })
    case "WriteRefused":
      return Effect.succeed({ status: 400, json: refusal.errors })
    case "SqlError": {
      const reply = databaseReply(refusal, url)
      return reply === undefined ? unexpected(Cause.fail(refusal), requestId) : Effect.succeed(reply)
    }
  }
}

const unexpected = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<Reply> =>
  Effect.as(Effect.logError(`request ${requestId} failed`, cause), {
    status: 500,
    json: { error: "Internal server error", exception: "", request_id: requestId }
  })

/** Answers depend on the sender, so no cache may keep them and no other site may frame them. */
const guardedHeaders = (secure: boolean): Readonly<Record<string, string>> => ({
  "cache-control": "private, no-store",
  vary: "Accept, Authorization, Cookie",
  "content-security-policy": "frame-ancestors 'none'",
  // For browsers without frame-ancestors.
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  ...(secure && { "strict-transport-security": "max-age=31536000" })
})

const respond = (reply: Reply, incoming: HttpServerRequest.HttpServerRequest, requestId: string, secure: boolean) => {
  const isJson = reply.json !== undefined || isOfType(incoming.headers["content-type"], "application/json")
  const asked = isJson && incoming.url.startsWith("/api/")
  const headers = {
    "x-request-id": requestId,
    ...guardedHeaders(secure),
    ...(asked && { "api-version": apiVersion }),
    ...reply.headers
  }
  if (reply.json !== undefined) {
    return HttpServerResponse.text(JSON.stringify(reply.json, undefined, reply.indent), {
      status: reply.status,
      headers,
      contentType: "application/json"
    })
  }
  if (reply.text !== undefined) {
    return HttpServerResponse.text(reply.text.content, { status: reply.status, headers, contentType: reply.text.type })
  }
  if (reply.bytes !== undefined) {
    const { type, content } = reply.bytes
    const contentLength = content.reduce((length, part) => length + part.length, 0)
    const options = { status: reply.status, headers, contentType: type, contentLength }
    return HttpServerResponse.stream(Stream.fromIterable(content, { chunkSize: 1 }), options)
  }
  if (reply.stream !== undefined) {
    const { type, content } = reply.stream
    return HttpServerResponse.stream(Stream.encodeText(content), { status: reply.status, headers, contentType: type })
  }
  return HttpServerResponse.empty({ status: reply.status, headers })
}
