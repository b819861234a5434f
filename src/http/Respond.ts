/** Answers as they are sent: their body, and the headers that every answer has. */
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpRefused } from "./HttpRefused.ts"
import type { Reply } from "./Route.ts"
import { answerCharsMax, jsonText } from "./wire/JsonText.ts"
import { Listed } from "./wire/Listed.ts"
import { indentedJson, indentedMax } from "./wire/Nesting.ts"

/** The major and minor version of the NetBox API that this API is compatible with. */
export const apiVersion = "3.5"

interface Sending {
  readonly incoming: HttpServerRequest.HttpServerRequest
  readonly requestId: string
  /** Whether the address of the service begins with https. */
  readonly secure: boolean
}

/** Answers depend on the sender, so no cache may keep them and no other site may frame them. */
const guarded: Readonly<Record<string, string>> = {
  "cache-control": "private, no-store",
  vary: "Accept, Authorization, Cookie",
  "content-security-policy": "frame-ancestors 'none'",
  // For browsers without frame-ancestors.
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff"
}

const guardedOverTls = { ...guarded, "strict-transport-security": "max-age=31536000" }

/** When a client should try again where no other time is given. */
const retrySeconds = 5

/** The headers of an answer, but for those of its body's type and length. */
export const headersOf = (reply: Reply, { incoming, requestId, secure }: Sending): Readonly<Record<string, string>> => {
  const isOfApi = incoming.url.startsWith("/api/") && reply.text?.type !== "text/html"
  return {
    "x-request-id": requestId,
    ...(secure ? guardedOverTls : guarded),
    ...(isOfApi && { "api-version": apiVersion }),
    // A page that says in words what is missing has no time of its own.
    ...(reply.status === 503 && { "retry-after": `${retrySeconds}` }),
    ...reply.headers
  }
}

/** The answer as it is sent. Fails with 413 if the JSON of a read is too large. */
export const respond = (
  reply: Reply,
  sending: Sending
): Effect.Effect<HttpServerResponse.HttpServerResponse, HttpRefused> =>
  reply.json === undefined ? Effect.succeed(withoutJson(reply, sending)) : withJson(reply, sending)

const withJson = Effect.fnUntraced(function* ({ json, ...reply }: Reply, sending: Sending) {
  const { method } = sending.incoming
  const isRead = method === "GET" || method === "HEAD"
  const brief = isRead || !(json instanceof Listed) ? undefined : json.brief
  // Objects that were written are shown in any case, if need be briefly: a refusal would say that they were not.
  const whole = yield* jsonText(json, isRead || brief ? answerCharsMax : Infinity)
  const text = whole ?? (brief && (yield* jsonText(brief)))
  if (text === undefined) return yield* tooLarge
  const { indent = 0 } = reply
  const isIndented = indent > 0 && text.length <= indentedMax.answer
  const made = isIndented ? indentedJson(whole === undefined ? brief : json, indent, indentedMax.answer) : text
  const headers = headersOf({ ...reply, json }, sending)
  const options = { status: reply.status, headers, contentType: "application/json" }
  return typeof made === "string"
    ? HttpServerResponse.text(made, options)
    : HttpServerResponse.uint8Array(made, options)
})

const tooLarge = new HttpRefused({
  reason: "TooLarge",
  body: {
    detail: `The answer has more than ${answerCharsMax} characters. Request fewer objects at a time (limit), or less of each (brief=true, fields).`
  }
})

const withoutJson = (reply: Reply, sending: Sending) => {
  const headers = headersOf(reply, sending)
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
  if (reply.file !== undefined) {
    const { type, content } = reply.file
    return HttpServerResponse.stream(content, { status: reply.status, headers, contentType: type })
  }
  return HttpServerResponse.empty({ status: reply.status, headers })
}
