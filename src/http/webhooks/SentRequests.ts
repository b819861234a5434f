/** `GET /api/extras/deliveries/<id>/request/?attempt=2`: the request of an attempt, whole, and how to verify it. */
import { Effect } from "effect"
import type { Row } from "../../inventory/Field.ts"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import { attemptsInSight } from "../../history/inspect/AttemptsInSight.ts"
import type { Placed } from "../../history/inspect/Neighbours.ts"
import type { Traced } from "../../history/inspect/Journey.ts"
import {
  type InspectedDelivery,
  type Rendering,
  type SentBody,
  type SentRequest,
  bodyNow,
  sentRequest
} from "../../history/inspect/SentRequest.ts"
import { curlOf } from "../../history/inspect/snippet/Curl.ts"
import { subjectOf } from "../../history/inspect/snippet/Snippet.ts"
import { languages } from "../../history/inspect/snippet/Snippets.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { Templates } from "../../template/Template.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { rowOf } from "../objects/Objects.ts"
import { isSet, parameterOf } from "../query/Parameter.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, integer, listOf, optional, orNull, record, string, words } from "../declare/Parts.ts"
import { headers } from "../deliveries/DeliveryDetail.ts"
import type { Request } from "../wire/Request.ts"
import { TryOutLimits } from "./TryOutLimits.ts"

/** The number of the attempt that the query names; undefined where it names none. Fails with 400. */
export const attemptIn = ({ url }: Request): Effect.Effect<number | undefined, HttpRefused> => {
  const text = parameterOf(url.searchParams, "attempt")
  if (text === undefined || text === "") return Effect.undefined
  if (/^\d{1,9}$/.test(text)) return Effect.succeed(Number(text))
  return Effect.fail(new HttpRefused({ reason: "InvalidQuery", body: { attempt: ["A valid integer is required."] } }))
}

export const inspected = (row: Row) => row as unknown as InspectedDelivery & Traced & Placed

/** Renders for the sender of this request, in turn with others. */
const rendering = (request: Request) =>
  Effect.gen(function* () {
    const templates = yield* Templates
    const { inTurn } = yield* TryOutLimits
    const render: Rendering = (template, context, engine) =>
      inTurn(request, (owner) => templates.render([template], context, engine, owner)).pipe(
        Effect.map(([text = ""]) => text),
        Effect.mapError((error) =>
          error instanceof HttpRefused ? { told: "Too many templates are being rendered." } : error
        )
      )
    return render
  })

/** The request of an attempt as the sender of this request may see it. */
export const sentRequestFor = Effect.fnUntraced(function* (request: Request, row: Row, attempt: LoggedAttempt) {
  return yield* sentRequest(inspected(row), attempt, yield* rendering(request))
})

/** The body that would be sent now, as the sender of this request may see it; or why there is none. */
export const bodyNowFor = Effect.fnUntraced(function* (request: Request, row: Row) {
  return yield* bodyNow(inspected(row), yield* rendering(request))
})

const schemes = ["netbox", "standard"] as const

const signature = record({
  header: string,
  scheme: words(...schemes),
  algorithm: words("HMAC-SHA512", "HMAC-SHA256", "Ed25519"),
  encoding: words("hex", "base64"),
  value: string,
  prefix: described(string, "Text that is signed before the body."),
  secret: described(orNull(words("current", "previous")), "The secret that gives it for this body.")
})

const snippet = record({
  scheme: words(...schemes),
  language: words(...languages.map(({ name }) => name)),
  run: string,
  program: described(string, "Verifies the delivery; reads the secret from the variable SECRET.")
})

const sentRequestSchema = record({
  ...{ attempt: integer, method: orNull(string), url: string, headers },
  headers_are_cut: described(flag, "Whether the log has only the beginning of the headers."),
  problem: described(string, "Why there is no body."),
  body: orNull(string),
  body_bytes: orNull(integer),
  body_origin: described(
    orNull(words("event", "template")),
    "From the change log, or rendered again from the template of the time of the attempt."
  ),
  body_is_masked: described(
    orNull(flag),
    "Whether objects are shown by id alone since you may not view them; then it is not what was sent."
  ),
  signatures: listOf(signature),
  curl: string,
  snippets: listOf(snippet),
  body_now: optional(described(orNull(string), "With `now`: what the webhook as it is now would send.")),
  problem_now: optional(described(string, "Why there would be no body now."))
}).annotate({ identifier: "SentRequest" })

export const showRequest = endpoint(
  {
    summary: "The request of an attempt, whole, and how to verify it",
    query: {
      attempt: described(integer, "Its number, from 1; without it the last one."),
      now: described(flag, "Whether to show what would be sent now, as well.")
    },
    reply: sentRequestSchema
  },
  (request) =>
    Effect.gen(function* () {
      const number = yield* attemptIn(request)
      const row = yield* rowOf(deliveryType, request)
      const attempts = yield* attemptsInSight(inspected(row), number === undefined ? { most: 1 } : { whole: number })
      const attempt = number === undefined ? attempts.at(-1) : attempts.find((each) => each.number === number)
      if (attempt === undefined) return yield* notFound()
      const now = (yield* isSet(request, "now", false)) ? yield* bodyNowFor(request, row) : undefined
      const sent = shown(yield* sentRequestFor(request, row, attempt))
      return { status: 200, json: { attempt: attempt.number, ...sent, ...(now !== undefined && shownNow(now)) } }
    })
)

const shownNow = (now: SentBody | string) => ({
  body_now: typeof now === "string" ? null : now.bytes.toString(),
  problem_now: typeof now === "string" ? now : ""
})

const shown = (sent: SentRequest) => {
  const { method, url, headers, hasCutHeaders, body, problem = "", signatures } = sent
  return {
    ...{ method, url, headers, headers_are_cut: hasCutHeaders, problem },
    body: body === undefined ? null : body.bytes.toString(),
    body_bytes: body?.bytes.length ?? null,
    body_origin: body?.origin ?? null,
    body_is_masked: body?.isMasked ?? null,
    signatures,
    curl: curlOf(sent),
    snippets: schemes.flatMap((scheme) => {
      const subject = subjectOf(scheme, signatures, body?.bytes)
      if (subject === undefined) return []
      return languages.map(({ name, run, write }) => ({ scheme, language: name, run, program: write(subject) }))
    })
  }
}
