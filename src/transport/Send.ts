/** Sends one request and judges the answer, or why there is none. */
import { Effect } from "effect"
import { AnswerFault } from "./exchange/AnswerFault.ts"
import { Exchange } from "./exchange/Exchange.ts"
import type { ConnectTimes, Connections } from "./Connector.ts"
import type { Answer, Failure, Phases, Response } from "../event/Outcome.ts"
import type { Outgoing } from "./Outgoing.ts"
import { retryAfter } from "./RetryAfter.ts"

/**
 * Sends the request and reads the answer within the timeout, which includes connecting and the body. Redirects are not
 * followed, and a compressed answer is not inflated. Calls back once, and not after it was ended by the function that it
 * returns.
 */
export const send = (
  outgoing: Outgoing,
  connections: Connections,
  timeoutMillis: number,
  nowMillis: number,
  onAnswer: (answer: Answer) => void
): (() => void) => {
  const exchange = new Exchange()
  const abort = () => exchange.abort(new Error("The attempt was ended."))
  const stop = () => {
    clearTimeout(deadline)
    exchange.onDone = () => {}
  }
  const deadline = setTimeout(() => {
    stop()
    onAnswer({ ...timedOut(timeoutMillis), phases: phasesOf(exchange, connections.last()) })
    abort()
  }, timeoutMillis)
  exchange.onDone = (error) => {
    stop()
    const judged = error === undefined ? judge(exchange.response(), nowMillis) : unanswered(error)
    onAnswer({ ...judged, phases: phasesOf(exchange, connections.last()) })
  }
  try {
    connections.clients.dispatch(outgoing, exchange)
  } catch (error) {
    exchange.abort(error as Error)
  }
  return () => {
    stop()
    abort()
  }
}

/** The same in a fiber: when that is interrupted, the attempt is ended. */
export const sending = (
  outgoing: Outgoing,
  connections: Connections,
  timeoutMillis: number,
  nowMillis: number
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const end = send(outgoing, connections, timeoutMillis, nowMillis, (answer) => resume(Effect.succeed(answer)))
    return Effect.sync(end)
  })

const timedOut = (timeoutMillis: number): Omit<Answer, "phases"> => ({
  response: undefined,
  failure: { reason: "Timeout", message: `No complete answer within ${timeoutMillis} ms.` }
})

/** The connection's steps count only if it was made for this request: after the request began. */
const phasesOf = (exchange: Exchange, connection: ConnectTimes | undefined): Phases => {
  const { began, written, firstByte, ended } = exchange
  const made = connection !== undefined && written !== undefined && connection.begun >= began ? connection : undefined
  return {
    dns: between(0, made?.dns),
    connect: between(made?.dns ?? 0, made?.connect),
    tls: between(made?.connect, made?.tls),
    firstByte: between(written, firstByte),
    body: between(firstByte, ended)
  }
}

/** Milliseconds, to a tenth. */
const between = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.round((to - from) * 10) / 10

/** The one value of a header, or the first of them. */
const headerOf = ({ headers }: Response, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

/** Statuses of a receiver that is overloaded. */
const tooMuch: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The header of Standard Webhooks by which a receiver says how the sender should continue. */
const wishOf = (response: Response): string | undefined => headerOf(response, "webhook-delivery")?.trim().toLowerCase()

/** Whether the receiver wants no more deliveries, even if it accepted this one. */
export const wantsNoMore = (response: Response): boolean => response.status === 410 || wishOf(response) === "disable"

const judge = (response: Response, nowMillis: number): Omit<Answer, "phases"> => {
  const { status } = response
  if (status >= 200 && status < 300) return { response, failure: undefined }
  const wish = wishOf(response)
  const reason = wantsNoMore(response) ? "Gone" : wish === "abort-message" ? "Declined" : "Status"
  const also = reason === "Status" || status === 410 ? "" : ` and webhook-delivery: ${wish}`
  const message = `The receiver answered ${status}${also}.`
  const retryAfterMillis = retryAfter(headerOf(response, "retry-after"), nowMillis)
  return { response, failure: { reason, message, retryAfterMillis, isTooMuch: tooMuch.has(status) } }
}

const unanswered = (error: Error): Omit<Answer, "phases"> => ({ response: undefined, failure: failureOf(error) })

/** Reason by the error code of Node, undici's connector or TLS; all other codes mean a broken connection. */
const reasons: ReadonlyArray<readonly [RegExp, Failure["reason"]]> = [
  [/^ERR_BLOCKED_TARGET$/, "Blocked"],
  [/^ERR_PROXY$/, "Proxy"],
  [/^ERR_CA_CERTIFICATE$/, "CaCertificate"],
  [/^ERR_CLIENT_CERTIFICATE$/, "ClientCertificate"],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/, "Refused"],
  [/^(ENOTFOUND|EAI_\w+)$/, "Dns"],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, "Timeout"],
  [/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/, "Tls"],
  [/^ERR_NO_REQUEST$/, "Render"]
]

/** The failure of a request without an answer, by the error of its connection. */
export const failureOf = (error: Error & { readonly code?: string }): Failure => {
  const { code = error.name, message } = error
  if (error instanceof AnswerFault) return { reason: error.reason, message }
  return { reason: reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "Reset", message: message || code }
}
