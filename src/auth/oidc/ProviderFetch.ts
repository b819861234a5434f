/**
 * Requests to providers: under the target policy of deliveries, with a deadline, and limits of bytes and of requests.
 *
 * The address of a provider is the operator's, but its discovery document names further addresses. Each connection is
 * checked like that of a delivery (transport/Connector.ts). Redirects are not followed, and nothing is inflated.
 */
import { Effect } from "effect"
import { Agent, request } from "undici"
import type { CustomFetch } from "openid-client"
import { makeConnector } from "../../transport/Connector.ts"
import { proxyRules, targetRules } from "../../transport/OutgoingRules.ts"
import { ProviderFault } from "../directory/SignInRefused.ts"

interface AnswerLimits {
  /** Time for connecting, headers and body, milliseconds. */
  readonly answerMillis: number
  /** Largest body, bytes: keys with their certificates take some 20 KB. */
  readonly answerBytes: number
  /** Most requests without an answer, to all providers; further requests fail at once. */
  readonly requestsMax: number
}

const usualLimits: AnswerLimits = { answerMillis: 10_000, answerBytes: 256 * 1024, requestsMax: 64 }

/** Most connections to one origin; further requests wait within their deadline. */
const connectionsMax = 8

/** The function that openid-client and jose send requests by, for the scope. Fails with OptionRefused. */
export const providerFetch = Effect.fnUntraced(function* (limits: AnswerLimits = usualLimits) {
  // All providers count as one webhook: they share lookups of names and handshakes.
  const target = { webhook: 0, rules: yield* targetRules, proxy: yield* proxyRules }
  const connect = makeConnector({ ...target, tls: {}, timeoutMillis: limits.answerMillis })
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connect, connections: connectionsMax, pipelining: 1 })),
    (made) => Effect.promise(() => made.destroy())
  )
  let underWay = 0
  const fetch: CustomFetch = async (url, options) => {
    if (underWay >= limits.requestsMax) throw new ProviderFault("too many requests to providers are under way", true)
    underWay += 1
    try {
      return await answerTo(agent, limits, url, options)
    } finally {
      underWay -= 1
    }
  }
  return fetch
})

const answerTo = async (
  agent: Agent,
  { answerMillis, answerBytes }: AnswerLimits,
  url: string,
  { method, headers, body, signal }: Parameters<CustomFetch>[1]
): Promise<Response> => {
  const deadline = AbortSignal.timeout(answerMillis)
  const host = new URL(url).host
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: method as "GET" | "POST",
      headers: { ...headers, "accept-encoding": "identity" },
      body: body instanceof URLSearchParams ? body.toString() : ((body ?? null) as string | null),
      signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    })
    const bytes = await bytesOf(answer.body, answerBytes)
    const { statusCode: status, headers: fields } = answer
    if (status >= 500) throw new ProviderFault(`${host} answered ${status}`, true)
    if (bytes === undefined) throw new ProviderFault(`the answer of ${host} is larger than ${answerBytes} bytes`, false)
    const kept = { "content-type": String(fields["content-type"] ?? ""), date: String(fields["date"] ?? "") }
    return new Response(status === 204 ? null : bytes, { status, headers: kept })
  } catch (error) {
    if (error instanceof ProviderFault) throw error
    const message = deadline.aborted ? `no complete answer within ${answerMillis} ms` : (error as Error).message
    throw new ProviderFault(`${host}: ${message}`, true)
  }
}

/** The bytes of a body; undefined if there are more than the most. */
const bytesOf = async (body: AsyncIterable<Buffer>, most: number): Promise<Buffer<ArrayBuffer> | undefined> => {
  const parts: Array<Buffer> = []
  let length = 0
  for await (const part of body) {
    length += part.length
    // Leaving the loop destroys the body and its connection.
    if (length > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
