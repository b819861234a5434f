/** Sending one request: what the receiver answered, or why there is no answer. */
import { Effect } from "effect"
import { type Agent, type Dispatcher, request } from "undici"
import type { Failure, Response } from "./Outcome.ts"
import type { Outgoing } from "./Request.ts"
import { retryAfter } from "./RetrySchedule.ts"

/** Beginning of a response that is kept, bytes; the rest is not read. */
const responseSizeMax = 16 * 1024

export interface Sent {
  readonly response: Response | undefined
  readonly failure: Failure | undefined
}

/**
 * Sends and reads the answer within the time given, connecting and body included. Redirects are not followed, and a
 * compressed answer is not inflated.
 */
export const send = (outgoing: Outgoing, agent: Agent, timeoutMillis: number, nowMillis: number): Effect.Effect<Sent> =>
  Effect.tryPromise({
    try: async (signal) => {
      const { method, headers, body } = outgoing
      const answer = await request(outgoing.url, {
        method,
        headers,
        body,
        dispatcher: agent,
        signal,
        // The deadline below counts; these would only cut it short.
        headersTimeout: 0,
        bodyTimeout: 0
      })
      const response = { status: answer.statusCode, body: await beginning(answer.body) }
      return { response, failure: failureOf(response, answer.headers, nowMillis) }
    },
    catch: connectionFailure
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () =>
        Effect.fail<Failure>({ reason: "Timeout", message: `No complete answer within ${timeoutMillis} ms.` })
    }),
    Effect.catch((failure) => Effect.succeed({ response: undefined, failure }))
  )

const beginning = async (body: Dispatcher.ResponseData["body"]): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= responseSizeMax) {
      body.destroy()
      break
    }
  }
  return Buffer.concat(chunks).subarray(0, responseSizeMax).toString("utf8")
}

const failureOf = (
  { status }: Response,
  headers: Dispatcher.ResponseData["headers"],
  nowMillis: number
): Failure | undefined => {
  if (status >= 200 && status < 300) return undefined
  const asked = headers["retry-after"]
  return {
    reason: status === 410 ? "Gone" : "Status",
    message: `The receiver answered ${status}.`,
    retryAfterMillis: retryAfter(Array.isArray(asked) ? asked[0] : asked, nowMillis)
  }
}

/** Reason by the error code of Node, undici or TLS; what is not listed broke the connection in some other way. */
const reasons: ReadonlyArray<readonly [RegExp, Failure["reason"]]> = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/, "Refused"],
  [/^(ENOTFOUND|EAI_\w+)$/, "Dns"],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, "Timeout"],
  [/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/, "Tls"],
  [/^UND_ERR_INVALID_ARG$/, "Render"]
]

const connectionFailure = (error: unknown): Failure => {
  const { code = "", message } = error as Error & { readonly code?: string }
  return { reason: reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "Reset", message: message || code }
}
