/** Bodies of requests, read within a bound. */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { HttpRefused } from "../HttpRefused.ts"
import { notTooDeep } from "./Nesting.ts"

/** Largest body of JSON. */
export const bodySizeMax = ByteSize.mebibytes(1)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The text of bytes; undefined where they are not UTF-8. */
const asText = (bytes: ArrayBuffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether a header names the media type, whatever its parameters. */
export const isOfType = (header: string | undefined, type: string): boolean =>
  (header ?? "").split(";")[0]!.trim().toLowerCase() === type

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

export const readJson = (incoming: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, HttpRefused> =>
  Effect.gen(function* () {
    const type = incoming.headers["content-type"]
    if (!isOfType(type, "application/json")) {
      const detail = `Unsupported media type "${type ?? ""}" in request.`
      return yield* new HttpRefused({ reason: "UnsupportedMediaType", body: { detail } })
    }
    const bytes = yield* readBytes(incoming, bodySizeMax)
    return yield* Effect.try({
      try: () => notTooDeep(JSON.parse(utf8.decode(bytes))),
      catch: (error) => malformed((error as Error).message)
    })
  })

/** Largest form. */
const formSizeMax = ByteSize.kibibytes(64)

/** The fields of a form; none if the body is no form or too large. */
export const readForm = (incoming: HttpServerRequest.HttpServerRequest): Effect.Effect<URLSearchParams> =>
  isOfType(incoming.headers["content-type"], "application/x-www-form-urlencoded")
    ? readBytes(incoming, formSizeMax).pipe(
        Effect.map((bytes) => new URLSearchParams(asText(bytes))),
        Effect.orElseSucceed(() => new URLSearchParams())
      )
    : Effect.succeed(new URLSearchParams())

const malformed = (message: string) =>
  new HttpRefused({ reason: "MalformedJson", body: { detail: `JSON parse error - ${message}` } })
