/** Readers of request bodies, each with a limit. */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { inWords } from "../../telemetry/Telemetry.ts"
import { parseExactly } from "../../postgres/ExactJson.ts"
import { writtenNestingMax } from "../../inventory/Unreadable.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { isOfType } from "./MediaType.ts"
import { isNestedDeeper } from "../../postgres/JsonNesting.ts"

/** Largest body of JSON, where a route sets no other limit. */
const jsonMax = ByteSize.mebibytes(1)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The text of bytes; undefined if they are not UTF-8. */
const asText = (bytes: ArrayBuffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The body; fails with 413 if it is larger than `max`. */
export const readBytes = (
  incoming: HttpServerRequest.HttpServerRequest,
  max: ByteSize.ByteSize
): Effect.Effect<ArrayBuffer, HttpRefused> =>
  incoming.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, max),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? new HttpRefused({
            reason: "TooLarge",
            body: { detail: `The request body exceeds ${ByteSize.format(max)}.` }
          })
        : malformed("the request ended early")
    )
  )

/** A body of JSON: its value, and its text. */
export interface JsonBody {
  readonly value: unknown
  readonly text: string
}

const empty: JsonBody = { value: {}, text: "{}" }

/**
 * The body as JSON; an empty body is an empty object, whatever its type. Fails with 415, with 413 if it is larger than
 * `max`, or with 400.
 */
export const readJson: (
  incoming: HttpServerRequest.HttpServerRequest,
  max?: ByteSize.ByteSize
) => Effect.Effect<JsonBody, HttpRefused> = Effect.fnUntraced(function* (incoming, max = jsonMax) {
  if (hasNoBody(incoming)) return empty
  const type = incoming.headers["content-type"]
  if (!isOfType(type, "application/json")) {
    const detail = `Unsupported media type "${type ?? ""}" in request.`
    return yield* new HttpRefused({ reason: "UnsupportedMediaType", body: { detail } })
  }
  const bytes = yield* readBytes(incoming, max)
  return bytes.byteLength === 0 ? empty : yield* jsonOf(() => utf8.decode(bytes))
})

/** The JSON of a text. Fails with 400 if it is none. */
export const jsonOf: (text: () => string) => Effect.Effect<JsonBody, HttpRefused> = Effect.fnUntraced(function* (text) {
  return yield* Effect.try({
    try: (): JsonBody => {
      const json = text()
      if (isNestedDeeper(json, writtenNestingMax)) throw new Error(`nested more than ${writtenNestingMax} levels deep`)
      return { text: json, value: parseExactly(json) }
    },
    catch: (error) => malformed(inWords(error))
  })
})

const hasNoBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

/** Largest form: splitting a mebibyte into its fields can take a tenth of a second. */
export const formSizeMax = ByteSize.kibibytes(256)

/** Whether the body is a form. */
export const isForm = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  isOfType(headers["content-type"], "application/x-www-form-urlencoded")

/** The fields of a form; none if the body is no form. Fails with 413 if it is too large. */
export const readForm = (incoming: HttpServerRequest.HttpServerRequest): Effect.Effect<URLSearchParams, HttpRefused> =>
  isForm(incoming)
    ? readBytes(incoming, formSizeMax).pipe(
        Effect.mapError((refused) => (refused.reason === "TooLarge" ? tooLargeForm : refused)),
        Effect.flatMap(fieldsIn)
      )
    : Effect.succeed(new URLSearchParams())

/** The fields of a form; none if it is not UTF-8. Fails with 413 if it is larger than `max`, or has too many fields. */
export const readFormOf = (
  incoming: HttpServerRequest.HttpServerRequest,
  max: ByteSize.ByteSize
): Effect.Effect<URLSearchParams, HttpRefused> => Effect.flatMap(readBytes(incoming, max), fieldsIn)

const tooLargeForm = new HttpRefused({
  reason: "TooLarge",
  body: {
    detail: `The form is larger than ${ByteSize.format(formSizeMax)}. Nothing was saved. Go back and shorten the longest text, or write it with the API.`
  }
})

/** Most fields of a form: a page reads each field of an object among them. */
const fieldsMax = 10_000

const ampersand = "&".charCodeAt(0)

const fieldsIn = (bytes: ArrayBuffer): Effect.Effect<URLSearchParams, HttpRefused> => {
  const fields = new Uint8Array(bytes).reduce((count, byte) => (byte === ampersand ? count + 1 : count), 1)
  if (fields <= fieldsMax) return Effect.succeed(new URLSearchParams(asText(bytes)))
  const detail = `The form has more than ${fieldsMax} fields. Nothing was saved.`
  return Effect.fail(new HttpRefused({ reason: "TooLarge", body: { detail } }))
}

const malformed = (message: string) =>
  new HttpRefused({ reason: "MalformedJson", body: { detail: `JSON parse error - ${message}` } })
