/**
 * http: the wire.
 *
 * Responsible for: admission, reading requests, and answers and errors in the shapes that NetBox clients expect.
 * Guarantees: a request changes the world through one transaction only; every answer carries `X-Request-ID`; an
 * unexpected error is logged with that id and answered without details. Does not: import capture, streams or pages.
 */
import { randomUUID } from "node:crypto"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Result } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IpNetwork } from "effect/net"
import type { SqlError } from "effect/sql"
import { Settings } from "../Config.ts"
import { Vault } from "../inventory/Vault.ts"
import { chainHeader, readChain } from "../webhook/Chain.ts"
import { OptionRefused } from "../Setting.ts"
import { RefusalBudget } from "../auth/audit/RefusalBudget.ts"
import { auditPasswords } from "../auth/Audit.ts"
import { SignInRequest } from "../auth/audit/SignInRows.ts"
import type { Principal } from "../auth/Principal.ts"
import { proxyProblem } from "../auth/proxy/ProxyRules.ts"
import type { PremiseFailed } from "../inventory/read/Premise.ts"
import { PasswordRecord } from "../inventory/write/Replace.ts"
import { addressOf, admit, presume } from "./Admission.ts"
import { basePathOf, basePathProblem, inward, outward } from "./publish/BasePath.ts"
import { type Browsing, browse } from "./Browse.ts"
import { Connections, trustedProxies } from "./Connections.ts"
import { type Cors, corsOf, corsProblem } from "./publish/Cors.ts"
import { isWrongPattern } from "./DatabaseReply.ts"
import { failed, replyTo } from "./ErrorReply.ts"
import { type InTurn, makeInTurn } from "./Fairness.ts"
import { handle, handlePresumed } from "./Handle.ts"
import { HttpRefused, notFound } from "./HttpRefused.ts"
import { MeasuredRequest } from "./MeasuredRequest.ts"
import { respond } from "./Respond.ts"
import { type Refusal, type Reply, type Route, type Services, isPage, locationCharsMax, makeRouter } from "./Route.ts"
import { type LostForm, keptForm } from "./LostForm.ts"
import { accessProblem } from "./system/MetricsAccess.ts"
import { type Cookie, sessionCookies, withCookies } from "./wire/Cookies.ts"
import { notBuilt } from "./publish/NotBuilt.ts"
import { type Forwarded, forwarded, isTls, originOf } from "./wire/Origin.ts"
import { asksForHtml, asksForPage } from "./wire/Reader.ts"
import { targetOf } from "./wire/Target.ts"

/** A request that was refused or failed, as its page shows it. */
export interface ErrorOfPage extends Refused {
  readonly status: number
  /** The message that the API answers. */
  readonly detail: string
  readonly path: string
  /** The request id, under which the log has more. */
  readonly requestId: string
}

/** Why a request was refused, and to whom; filled in while it is answered. */
interface Refused {
  refusal?: Refusal
  sender?: Principal
  /** The cookies of a session that began with the request. */
  cookies?: ReadonlyArray<Cookie>
}

/** The routes, and the pages, which `http` does not make. */
interface Site {
  readonly routes: ReadonlyArray<Route>
  /** The page of an error for senders who accept HTML. */
  readonly errorPage: (error: ErrorOfPage) => Reply
  /** The page of a form that was refused because its session has ended, or is another one. */
  readonly lostForm: (lost: LostForm) => Effect.Effect<Reply, never, Services>
  readonly browsing: Browsing
}

interface Serving extends Omit<Site, "routes">, Pick<Connections["Service"], "hasRoom"> {
  readonly find: ReturnType<typeof makeRouter>
  readonly proxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly inTurn: InTurn
  /** Bounds the rows of refused sign-ins. */
  readonly refusals: RefusalBudget
  /** The path of BASE_URL. */
  readonly path: string
  /** Undefined where scripts of no other site may use the API. */
  readonly cors: Cors | undefined
}

export const serve = ({ routes, ...site }: Site) => {
  const find = makeRouter(routes)
  return Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const path = basePathOf(settings.baseUrl)
      const problem =
        proxyProblem(settings) ?? accessProblem(settings) ?? corsProblem(settings) ?? basePathProblem(path, routes)
      if (problem !== undefined) return yield* new OptionRefused({ message: problem })
      const { hasRoom } = yield* Connections
      const proxies = yield* trustedProxies
      return HttpServer.serve(
        answerAll({ ...site, find, path, cors: corsOf(settings), proxies, hasRoom, ...ofProcess() })
      )
    })
  )
}

/** State that all requests share. */
const ofProcess = () => ({ inTurn: makeInTurn(), refusals: new RefusalBudget() })

const answerAll = (serving: Serving) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const told = forwarded(yield* HttpServerRequest.HttpServerRequest, serving.proxies)
    const target = inward(told.incoming.url, serving.path)
    const incoming = target === told.incoming.url ? told.incoming : told.incoming.modify({ url: target })
    const requestId = randomUUID()
    const measured = new MeasuredRequest(incoming.method)
    const refused: Refused = {}
    const reply: Reply = yield* answer(serving, { ...told, incoming }, requestId, measured, refused).pipe(
      Effect.catch((refusal) => {
        measured.refused(refusal)
        refused.refusal = refusal
        return replyTo(refusal, incoming.url, requestId)
      }),
      Effect.catchCause((cause) => failed(cause, incoming.url, requestId)),
      Effect.annotateLogs({ request: requestId }),
      Effect.provideService(SignInRequest, {
        requestId,
        agent: incoming.headers["user-agent"],
        refusals: serving.refusals
      }),
      Effect.provideService(PasswordRecord, (users, author) => auditPasswords(users, author, addressOf(incoming)))
    )
    const shown = outward(forPeople(serving, reply, incoming, { ...refused, requestId }), serving.path)
    const sending = { incoming, requestId, secure: isTls(settings.baseUrl) }
    const response = yield* respond(shown, sending).pipe(
      // A write is committed by now: a refusal as its answer would be wrong.
      Effect.filterOrFail(
        (response) => incoming.method !== "GET" || hasRoomFor(serving, incoming, response),
        () => unread
      ),
      Effect.catch((refusal) => {
        measured.refused(refusal)
        return Effect.flatMap(replyTo(refusal, incoming.url, requestId), (reply) => respond(reply, sending))
      }),
      Effect.catchCause((cause) =>
        Effect.flatMap(failed(cause, incoming.url, requestId), (reply) => respond(reply, sending))
      ),
      Effect.orDie
    )
    measured.answered(response.status)
    const { cors } = serving
    const open = cors === undefined ? response : HttpServerResponse.setHeaders(response, cors.headers(incoming))
    return withCookies(open, [...(refused.cookies ?? []), ...(shown.cookies ?? [])])
  })

const hasRoomFor = (
  { hasRoom }: Serving,
  incoming: HttpServerRequest.HttpServerRequest,
  { body }: HttpServerResponse.HttpServerResponse
): boolean =>
  hasRoom(toIncomingMessage(incoming).socket.remoteAddress, "contentLength" in body ? (body.contentLength ?? 0) : 0)

const unread = new HttpRefused({
  reason: "Throttled",
  body: { detail: "Request was throttled: too much of earlier answers has not been read yet." },
  headers: { "retry-after": "5" }
})

const answer = Effect.fnUntraced(function* (
  serving: Serving,
  told: Forwarded,
  requestId: string,
  measured: MeasuredRequest,
  refused: Refused
) {
  const { find } = serving
  const { incoming } = told
  const origin = yield* originOf(told, yield* Settings, serving.path)
  const preflight = serving.cors?.preflight(incoming)
  if (preflight !== undefined) return { status: 204, headers: preflight }
  // The path of BASE_URL without its slash.
  if (/^(?:\?|$)/.test(incoming.url)) return moved(`/${incoming.url}`)
  const url = yield* targetOf(incoming.url)
  const match = find(url.pathname)
  if (match === undefined) {
    const refusal = notBuilt(url.pathname)
    if (refusal !== undefined) return yield* refusal
    const slashed = find(`${url.pathname}/`) !== undefined
    const to = `${url.pathname}/${url.search}`
    if (slashed && to.length <= locationCharsMax) return moved(to)
    const asks = url.pathname.startsWith("/api/") ? asksForPage : asksForHtml
    if (!asks(incoming)) return yield* notFound()
    return serving.errorPage({ status: 404, detail: "", path: url.pathname, requestId })
  }
  measured.route = isPage(match.route) ? "page" : match.route.path
  const chain = readChain(incoming.headers[chainHeader], yield* Vault)
  const asked = { incoming, origin, url, requestId, chain }
  const onSender = (sender: Principal) => {
    refused.sender = sender
    const { session, begun } = sender
    if (session !== undefined && begun !== undefined) refused.cookies = sessionCookies(origin, session, begun)
  }
  if (asksForPage(incoming)) return yield* browse(serving, match, asked, onSender)
  const presumed = yield* presume(incoming, match.route, origin)
  if (presumed !== undefined) {
    const proven = yield* Effect.result(handlePresumed(serving.inTurn, match, asked, presumed))
    if (Result.isSuccess(proven)) return yield* Effect.fromResult(proven.success)
    // A failing database is answered at once: a second query would take as long and fail as well.
    if (isDatabaseFailure(proven.failure)) return yield* proven.failure
  }
  const admitted = yield* Effect.result(admit(incoming, match.route, origin, onSender))
  if (Result.isSuccess(admitted)) return yield* handle(serving.inTurn, match, asked, admitted.success)
  const kept = yield* keptForm(match.route, asked, admitted.failure)
  return kept === undefined ? yield* admitted.failure : yield* serving.lostForm(kept)
})

/** An error as a page for senders who accept HTML; other replies as they are. */
const forPeople = (
  { errorPage }: Serving,
  reply: Reply,
  incoming: HttpServerRequest.HttpServerRequest,
  refused: Refused & { readonly requestId: string }
): Reply => {
  if (reply.status < 400 || reply.json === undefined) return reply
  if (!(incoming.url.startsWith("/api/") ? asksForPage(incoming) : asksForHtml(incoming))) return reply
  const detail = String((reply.json as { readonly detail?: unknown }).detail ?? "")
  const page = errorPage({ ...refused, status: reply.status, detail, path: incoming.url })
  return { ...page, headers: { ...page.headers, ...reply.headers } }
}

/** Whether the database failed, independent of the sender. */
const isDatabaseFailure = (failure: Refusal | PremiseFailed): failure is SqlError.SqlError =>
  failure._tag === "SqlError" && !isWrongPattern(failure)

const moved = (to: string): Reply => ({ status: 301, headers: { location: to } })
