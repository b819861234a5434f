/**
 * The client of a NetBox's REST API: GET requests alone, with limits on time, bytes and nesting. The token is sent to the
 * given origin only, and is in no error: messages have paths and status codes, and no text of the server.
 */
import { Clock, Data, Effect, Redacted } from "effect"
import { Agent, request } from "undici"
import { Pace } from "../../../eventloop/Pace.ts"
import { imageBytesMax } from "../../../inventory/image/ImageField.ts"
import { nestingMax } from "../../../inventory/Unreadable.ts"
import { parseExactly } from "../../../postgres/ExactJson.ts"
import { isNestedDeeper } from "../../../postgres/JsonNesting.ts"
import { retryAfter } from "../../../transport/RetryAfter.ts"
import { type FoundFile, tooLarge } from "../Files.ts"

/** A running NetBox. */
export interface ApiAddress {
  /** Its address with its base path, and without a trailing slash: `https://netbox.example`. */
  readonly url: string
  readonly token: Redacted.Redacted
  /** Whether an endpoint that the token may not read ends the move. */
  readonly needsAll: boolean
  /** Receives the rows of each endpoint as they are read. */
  readonly progress: (path: string, rows: number, of: number) => Effect.Effect<void>
  /** The usual limits, if undefined. */
  readonly limits?: ApiLimits
}

interface ApiLimits {
  /** Time for a whole answer. */
  readonly answerMillis: number
  readonly answerBytesMax: number
}

const usualLimits: ApiLimits = { answerMillis: 120_000, answerBytesMax: 32 * 1024 * 1024 }

/** An answer that a move cannot use. `TooMuch`: a page with fewer objects may do. `NoList`: it is no page of objects. */
export class ApiFailed extends Data.TaggedError("ApiFailed")<{
  readonly reason: "NotFound" | "Forbidden" | "TooMuch" | "NoList" | "Unusable"
  readonly message: string
}> {}

/** Most attempts of a request, and redirects of an attempt. */
const attemptsMax = 6
const redirectsMax = 5

/** The longest `Retry-After` that is waited for. */
const retryAfterMillisMax = 10 * 60_000

const isTemporary = (status: number): boolean => [429, 502, 503, 504].includes(status)

/** The address of a NetBox as it is called, or its problem. */
export const apiUrl = (text: string): { readonly url: string } | { readonly problem: string } => {
  if (!URL.canParse(text)) return { problem: "is no URL" }
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text)
  if (protocol !== "https:" && protocol !== "http:") return { problem: "does not begin with https:// or http://" }
  if (username !== "" || password !== "") return { problem: "has a user: name a token with --token" }
  if (search !== "" || hash !== "") return { problem: "has a query or a fragment: name the address of NetBox alone" }
  return { url: `${origin}${pathname.replace(/\/(?:api\/?)?$/, "")}` }
}

/** The problem of a token; undefined if a header takes it. */
export const tokenProblem = (token: Redacted.Redacted): string | undefined =>
  /^[\x21-\x7e]{1,200}$/.test(Redacted.value(token))
    ? undefined
    : "The token is empty, or has characters that no token has."

/** The media type of an answer, and its limits. */
interface AnswerKind {
  readonly accept: string
  readonly bytesMax: number
  readonly millis: number
}

/** Time for the file of an image: that of an upload. */
const fileMillis = 60_000

interface Answer {
  readonly status: number
  readonly bytes: Buffer
  readonly location: string | undefined
  readonly retryAfter: string | undefined
}

/** Reads a whole body, as long as it has no more bytes. */
const bytesOf = async (body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The reason of a failed request, without texts of the server. */
const reasonOf = (error: unknown): string => {
  const { name, code, cause } = error as { readonly name?: string; readonly code?: string; readonly cause?: unknown }
  if (name === "TimeoutError") return "no complete answer in time"
  if (code !== undefined) return String(code)
  return cause === undefined ? String(name) : reasonOf(cause)
}

export class ApiClient {
  readonly url: string
  private readonly token: Redacted.Redacted
  private readonly limits: ApiLimits
  private readonly agent: Agent
  private readonly json: AnswerKind

  constructor({ url, token, limits = usualLimits }: ApiAddress, agent: Agent) {
    this.url = url
    this.token = token
    this.limits = limits
    this.agent = agent
    this.json = { accept: "application/json", bytesMax: limits.answerBytesMax, millis: limits.answerMillis }
  }

  /** The JSON of an answer to `GET`. The target is a path below the address of NetBox, or a URL of its origin. */
  readonly get = (target: string): Effect.Effect<unknown, ApiFailed> =>
    Effect.flatMap(this.answer(target, this.json), ({ bytes }): Effect.Effect<unknown, ApiFailed> => {
      const text = bytes.toString("utf8")
      if (isNestedDeeper(text, nestingMax))
        return failed("TooMuch", target, `is nested more than ${nestingMax} levels deep`)
      return Effect.try({
        try: () => parseExactly(text),
        catch: () => new ApiFailed({ reason: "Unusable", message: `${shownTarget(target)} answers with no JSON.` })
      })
    })

  /** The file of an image. The address is one of the host of NetBox, and no other host is requested. */
  readonly file = (address: string): Effect.Effect<FoundFile> => {
    const base = new URL(this.url)
    const url = URL.canParse(address, this.url) ? new URL(address, this.url) : undefined
    if (url?.host !== base.host) return Effect.succeed({ refused: `The file is at another host than ${base.host}.` })
    // A proxy may hide from NetBox that its address begins with https.
    const target = `${base.origin}${url.pathname}${url.search}`
    const kind = {
      accept: "image/*",
      bytesMax: imageBytesMax,
      millis: Math.min(fileMillis, this.limits.answerMillis)
    }
    return this.answer(target, kind).pipe(
      Effect.map(({ bytes }): FoundFile => bytes),
      Effect.catch(({ reason, message }) => Effect.succeed(reason === "TooMuch" ? tooLarge : { refused: message }))
    )
  }

  /** The answer with status 200, after as many attempts as it takes. */
  private answer(target: string, kind: AnswerKind): Effect.Effect<Answer, ApiFailed> {
    const redirected = this.redirected(target, kind)
    return Effect.gen(function* () {
      const { retryMinMillis, retryMaxMillis } = (yield* Pace).move
      for (let attempt = 1; ; attempt++) {
        const { problem, answer, isTooMuch, isTransient } = yield* redirected
        if (answer !== undefined && !isTemporary(answer.status)) return yield* judged(target, answer)
        if (answer === undefined && !isTransient)
          return yield* failed(isTooMuch ? "TooMuch" : "Unusable", target, problem)
        const shown = answer === undefined ? problem : `answers with ${answer.status}`
        if (attempt === attemptsMax) return yield* failed("Unusable", target, `${shown}, ${attempt} times`)
        const wished = retryAfter(answer?.retryAfter, yield* Clock.currentTimeMillis)
        if (wished !== undefined && wished > retryAfterMillisMax)
          return yield* failed("Unusable", target, `${shown}, and a Retry-After of more than ten minutes`)
        yield* Effect.sleep(wished ?? Math.min(retryMinMillis * 2 ** (attempt - 1), retryMaxMillis))
      }
    })
  }

  /** Follows redirects within the origin: the token is for no other one. */
  private redirected(target: string, kind: AnswerKind): Effect.Effect<Attempt> {
    const once = (url: URL) => Effect.promise((signal) => this.once(url, kind, signal))
    const first = new URL(target.startsWith("/") ? `${this.url}${target}` : target)
    return Effect.gen(function* () {
      let url = first
      for (let redirects = 0; redirects <= redirectsMax; redirects++) {
        const attempt = yield* once(url)
        if (attempt.answer === undefined || !isRedirect(attempt.answer.status)) return attempt
        const { location = "" } = attempt.answer
        const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
        if (next === undefined) return noAnswer("redirects to no address")
        if (next.origin !== url.origin) {
          return noAnswer(
            `redirects to ${next.origin}, another origin, where the token is not sent: if that is NetBox, name its address`
          )
        }
        url = next
      }
      return noAnswer(`redirects more than ${redirectsMax} times`)
    })
  }

  private async once(url: URL, { accept, bytesMax, millis }: AnswerKind, signal: AbortSignal): Promise<Attempt> {
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: this.agent,
        signal: AbortSignal.any([signal, AbortSignal.timeout(millis)]),
        headers: { authorization: `Token ${Redacted.value(this.token)}`, accept }
      })
      const bytes = await bytesOf(body, bytesMax)
      if (bytes === undefined) return { ...noAnswer(`answers with more than ${bytesMax} bytes`), isTooMuch: true }
      const one = (name: string) => [headers[name] ?? []].flat()[0]
      return {
        ...noAnswer(""),
        answer: { status: statusCode, bytes, location: one("location"), retryAfter: one("retry-after") }
      }
    } catch (error) {
      return { ...noAnswer(`cannot be read: ${reasonOf(error)}`), isTransient: isTransient(error) }
    }
  }
}

/** An answer, or the reason why there is none. */
interface Attempt {
  readonly answer: Answer | undefined
  readonly problem: string
  readonly isTooMuch: boolean
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean
}

const noAnswer = (problem: string): Attempt => ({ answer: undefined, problem, isTooMuch: false, isTransient: false })

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** Whether a connection was lost, or refused for now. */
const isTransient = (error: unknown): boolean => /ECONN|EPIPE|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT)/.test(reasonOf(error))

/** A target for people: the path, without the query. */
const shownTarget = (target: string): string => `GET ${target.replace(/^https?:\/\/[^/]*/, "").replace(/\?.*/s, "")}`

const failed = (reason: ApiFailed["reason"], target: string, problem: string) =>
  Effect.fail(new ApiFailed({ reason, message: `${shownTarget(target)} ${problem}.` }))

const judged = (target: string, answer: Answer): Effect.Effect<Answer, ApiFailed> => {
  const { status } = answer
  if (status === 200) return Effect.succeed(answer)
  if (status === 404) return failed("NotFound", target, "answers with 404")
  if (status === 401 || status === 403) return failed("Forbidden", target, `answers with ${status}`)
  return failed("Unusable", target, `answers with ${status}`)
}

/** Most requests at once. */
export const requestsMax = 4

/** Opens the client, which is closed with the scope. Certificates are verified. */
export const openClient = (address: ApiAddress) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections: requestsMax, connectTimeout: 10_000 })),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) => new ApiClient(address, agent)
  )
