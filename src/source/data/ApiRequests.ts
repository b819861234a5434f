/**
 * GET requests to the API of one source: under the target policy of deliveries, with a limit of bytes, a bounded number
 * at a time, and a circuit breaker. Redirects are not followed, and nothing is inflated. The token is sent to the given
 * origin only, and is in no message: messages have paths and status codes, and nothing of a body.
 */
import { Clock, Effect, Redacted, Semaphore } from "effect"
import { Agent, request } from "undici"
import { Pace } from "../../eventloop/Pace.ts"
import { makeConnector } from "../../transport/Connector.ts"
import { proxyRules, targetRules } from "../../transport/OutgoingRules.ts"
import { failureOf } from "../../transport/Send.ts"
import { BackOff } from "./BackOff.ts"
import { apiBase } from "./Endpoint.ts"
import { type AbsentObject, type AbsentReason, absent } from "./FetchedObject.ts"

/** Most requests at a time. */
export const requestsMax = 4

/** Largest answer, bytes. */
export const answerBytesMax = 2 * 1024 * 1024

/** Longest message of a failed connection, characters. */
const messageCharsMax = 300

/** Time for a connection, milliseconds. */
const connectMillis = 3000

export interface ApiOptions {
  readonly apiUrl: string
  readonly token: Redacted.Redacted
}

interface AnswerBody {
  readonly _tag: "Body"
  readonly text: string
  readonly etag: string | undefined
}

/** `Unchanged`: the object still has the ETag of the request. */
export type ApiAnswer = AnswerBody | { readonly _tag: "Unchanged" } | AbsentObject

export interface ApiRequests {
  /** The answer to `GET` of a path below `/api/`. Never fails. */
  readonly get: (path: string, etag?: string) => Effect.Effect<ApiAnswer>
  /** The breaker that all requests pass. */
  readonly backOff: BackOff
}

/** APIs that were opened by this process: each counts as a webhook of its own where lookups of names are shared. */
let opened = 0

/** Opens the connections, which are closed with the scope. */
export const openRequests = Effect.fnUntraced(function* ({ apiUrl, token }: ApiOptions) {
  opened += 1
  // The options were checked when the process started.
  const target = { webhook: -opened, rules: yield* Effect.orDie(targetRules), proxy: yield* Effect.orDie(proxyRules) }
  const connect = makeConnector({ ...target, tls: {}, timeoutMillis: connectMillis })
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connect, connections: requestsMax, pipelining: 1 })),
    (made) => Effect.promise(() => made.destroy())
  )
  const backOff = new BackOff((yield* Pace).objectApi)
  const semaphore = yield* Semaphore.make(requestsMax)
  const [base, authorization] = [apiBase(apiUrl), authorizationOf(Redacted.value(token))]
  const get = (path: string, etag?: string): Effect.Effect<ApiAnswer> => {
    if (base === undefined) return Effect.succeed(absent("Blocked", "The address of the API is no URL."))
    if (authorization === undefined)
      return Effect.succeed(absent("Forbidden", "The token is empty, or has characters that no token has."))
    const headers = { ...usualHeaders, authorization, ...(etag !== undefined && { "if-none-match": etag }) }
    const url = `${base}/api/${path}`
    return semaphore.withPermits(1)(guarded(backOff, answerTo(agent, url, headers)))
  }
  return { get, backOff } satisfies ApiRequests
})

const usualHeaders = { accept: "application/json", "accept-encoding": "identity", "user-agent": "Rackwire" }

/** Tokens of the second version, of NetBox 4.5 and later, begin with `nbt_`. Undefined if no header takes the token. */
const authorizationOf = (token: string): string | undefined =>
  /^[\x21-\x7e]{1,500}$/.test(token) ? `${token.startsWith("nbt_") ? "Bearer" : "Token"} ${token}` : undefined

/** Reasons that an API gives which works. */
const harmless: ReadonlySet<AbsentReason> = new Set(["NotFound", "TooLarge"])

/** Sends the request if the breaker admits it, and counts its end. */
const guarded = (backOff: BackOff, send: Effect.Effect<ApiAnswer>): Effect.Effect<ApiAnswer> =>
  Clock.clockWith((clock) => {
    const now = () => clock.currentTimeMillisUnsafe()
    if (!backOff.admits(now()))
      return Effect.succeed(absent("BackOff", "The last requests to the API failed: no request is sent for a while."))
    const before = backOff.successes
    const count = (answer: ApiAnswer) => {
      if (answer._tag === "Absent" && answer.reason === "Forbidden") backOff.released(now())
      else if (answer._tag === "Absent" && !harmless.has(answer.reason)) backOff.failed(now())
      else backOff.succeeded()
    }
    // The deadline of a large batch says nothing about an API that answers its other requests.
    const cancelled = () => (backOff.successes === before ? backOff.failed(now()) : backOff.released(now()))
    return Effect.onInterrupt(
      Effect.tap(send, (answer) => Effect.sync(() => count(answer))),
      () => Effect.sync(cancelled)
    )
  })

const answerTo = (agent: Agent, url: string, headers: Readonly<Record<string, string>>): Effect.Effect<ApiAnswer> =>
  Effect.promise(async (signal): Promise<ApiAnswer> => {
    const place = `GET ${new URL(url).pathname}`
    try {
      const answer = await request(url, { dispatcher: agent, method: "GET", headers, signal })
      const { statusCode: status, headers: fields } = answer
      const one = (name: string) => [fields[name] ?? []].flat()[0]
      const isWanted = status === 200 && isPlain(one("content-encoding")) && isJson(one("content-type"))
      const text = await textOf(answer.body, isWanted ? answerBytesMax : 0)
      if (status === 304) return { _tag: "Unchanged" }
      if (status !== 200) return refusedBy(status, place, locationIn(one("location"), url))
      if (!isWanted) return absent("Malformed", `${place} answers with no JSON, or with JSON that is compressed.`)
      if (text === undefined) return absent("TooLarge", `${place} answers with more than ${answerBytesMax} bytes.`)
      return { _tag: "Body", text, etag: one("etag") }
    } catch (error) {
      const { reason, message } = failureOf(error as Error)
      return absent(reasons.get(reason) ?? "Refused", `${place}: ${message.slice(0, messageCharsMax)}`)
    }
  })

const reasons: ReadonlyMap<string, AbsentReason> = new Map([
  ["Blocked", "Blocked"],
  ["Timeout", "Timeout"],
  ["TooLarge", "TooLarge"]
])

const isPlain = (encoding: string | undefined): boolean => encoding === undefined || encoding === "identity"

const isJson = (type = ""): boolean => /^application\/json\s*(?:;|$)/i.test(type)

/** The body of an answer; undefined if it has more bytes than the most. */
const textOf = async (body: AsyncIterable<Buffer>, bytesMax: number): Promise<string | undefined> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    // Leaving the loop destroys the body and its connection.
    if (bytes > bytesMax) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** The origin of a redirect; undefined if it has no address. */
const locationIn = (location: string | undefined, url: string): string | undefined =>
  location !== undefined && URL.canParse(location, url) ? new URL(location, url).origin : undefined

const refusedBy = (status: number, place: string, location: string | undefined): AbsentObject => {
  if (status === 404) return absent("NotFound", `${place} answers with 404.`)
  if (status === 401 || status === 403) return absent("Forbidden", `${place} answers with ${status}.`)
  if (status === 429 || status === 503) return absent("Busy", `${place} answers with ${status}.`)
  if (status < 300 || status > 399) return absent("Status", `${place} answers with ${status}.`)
  const target = location === undefined ? "no address" : `${location}, where the token is not sent`
  return absent("Redirected", `${place} redirects to ${target}: give the address of NetBox itself.`)
}
