/** The HTTP request of a delivery, made from its webhook's definition. */
import { Effect, Result } from "effect"
import { version } from "../Config.ts"
import { emptyRecord } from "../inventory/Field.ts"
import type { Delivery } from "../event/Delivery.ts"
import { traceparentFor } from "../telemetry/Traces.ts"
import type { Templates } from "../template/Template.ts"
import type { TemplateError } from "../template/TemplateError.ts"
import type { Definition } from "./Definition.ts"
import type { Batch } from "./Batch.ts"
import { chainHeader } from "./Chain.ts"
import { templateContextOf } from "./ConfigContexts.ts"
import type { DeliveryWithBody } from "../changelog/EventBodies.ts"
import { type OwnHeaders, addressProblem, isTemplate, ownHeaders } from "./RequestText.ts"
import { withoutUserInformation } from "./BasicAuthorization.ts"
import { type Failure, Unsendable } from "../event/Outcome.ts"
import { type Signing, signatureHeaders } from "./Sign.ts"
import type { Outgoing } from "../transport/Outgoing.ts"

/** The request of a webhook without templates, or why there is none. */
export const plainRequest = (
  definition: Definition,
  delivery: DeliveryWithBody,
  nowMillis: number
): Result.Result<Outgoing, Failure> =>
  compose(definition, delivery, [definition.identity.address, definition.headers, delivery.body], nowMillis)

/** The request of any webhook, for a delivery or a batch, its templates rendered. */
export const buildRequest = (
  definition: Definition,
  delivery: DeliveryWithBody | Batch,
  templates: Templates["Service"],
  nowMillis: number
): Effect.Effect<Result.Result<Outgoing, Failure>> => {
  // The time that rendering takes counts: receivers refuse a signature that is minutes old.
  const begun = performance.now()
  const engine = definition.row.template_engine
  return renderAll({ ...definition, engine, url: definition.identity.address }, delivery, templates).pipe(
    Effect.map((texts) => compose(definition, delivery, texts, nowMillis + performance.now() - begun)),
    Effect.catch(({ failure }) => Effect.succeed(Result.fail(failure)))
  )
}

const compose = (
  definition: Definition,
  delivery: DeliveryWithBody | Batch,
  [whole, headerText, bodyText]: RequestTexts,
  nowMillis: number
): Result.Result<Outgoing, Failure> => {
  const address = addressProblem(whole)
  if (address !== undefined) return fail("Render", address)
  const { url, authorization } = withoutUserInformation(whole)
  const body = (definition.bodyTemplate === "" ? delivery.bytes : undefined) ?? Buffer.from(bodyText)
  const own = ownHeaders(headerText)
  if ("error" in own) return fail("Render", `additional_headers: ${own.error}`)
  const { method, row, signing } = definition
  const current = nowMillis < definition.previousUntil ? signing : { ...signing, previous: "" }
  const trace = traceparentFor(delivery)
  const chain = definition.chainHeader(delivery.chain)
  const headers = headersOf({
    contentType: row.http_content_type,
    own: own.headers,
    authorization,
    signing: current,
    delivery,
    body,
    nowMillis,
    trace,
    chain
  })
  return Result.succeed({ method, url, headers, body })
}

interface Head {
  readonly contentType: string
  readonly own: OwnHeaders
  /** By the address, in place of the webhook's own. */
  readonly authorization: string | undefined
  readonly signing: Signing
  readonly delivery: Pick<Delivery, "id" | "attempts"> & Partial<Pick<Batch, "size">>
  readonly body: Buffer
  readonly nowMillis: number
  /** The `traceparent` of the attempt, unless the webhook sets one itself. */
  readonly trace?: string | undefined
  readonly chain?: string
}

/** The headers of an attempt: the webhook's, and ours. */
export const headersOf = (head: Head): Readonly<Record<string, string>> => {
  const { contentType, own, authorization, signing, body, nowMillis, trace, chain } = head
  const { id, attempts, size } = head.delivery
  const headers = emptyRecord<string>()
  headers["content-type"] = contentType
  for (const [name, value] of own) headers[name.toLowerCase()] = value
  if (authorization !== undefined) headers["authorization"] = authorization
  headers["user-agent"] ??= `rackwire/${version}`
  if (trace !== undefined) headers["traceparent"] ??= trace
  headers["x-hook-delivery"] = id
  headers["x-hook-attempt"] = `${attempts + 1}`
  if (chain !== undefined) headers[chainHeader] = chain
  if (size !== undefined) headers["x-hook-batch-size"] = `${size}`
  return Object.assign(headers, signatureHeaders(signing, { id, timestamp: Math.floor(nowMillis / 1000), body }))
}

const fail = (reason: Failure["reason"], message: string) => Result.fail<Failure>({ reason, message })

/** Whether any part of the webhook's requests is a template. */
export const isRendered = ({ identity, headers, bodyTemplate }: Definition): boolean =>
  bodyTemplate !== "" || isTemplate(identity.address) || isTemplate(headers)

/** The texts of a request; the body's is that of the whole event where the webhook has no template for it. */
type RequestTexts = readonly [url: string, headers: string, body: string]

/** The context of a webhook's templates, as JSON text. */
export const contextOf = (delivery: Parameters<typeof templateContextOf>[0] | Batch): string =>
  "context" in delivery ? delivery.context() : templateContextOf(delivery)

/** Renders the texts that are templates. Without one the engine is never entered. */
export const renderAll = (
  {
    engine,
    url,
    headers,
    bodyTemplate
  }: Pick<Definition, "url" | "bodyTemplate"> & {
    readonly engine: string
    readonly headers: string
  },
  delivery: Delivery | Batch,
  templates: Templates["Service"]
): Effect.Effect<RequestTexts, Unsendable> => {
  const hasTemplate = { url: isTemplate(url), headers: isTemplate(headers), body: bodyTemplate !== "" }
  const sources = [
    ...(hasTemplate.url ? [{ address: url }] : []),
    ...(hasTemplate.headers ? [{ headers }] : []),
    ...(hasTemplate.body ? [bodyTemplate] : [])
  ]
  if (sources.length === 0) return Effect.succeed([url, headers, delivery.body])
  return templates.render(sources, contextOf(delivery), engine, `webhook ${delivery.webhook}`).pipe(
    Effect.map((rendered) => {
      const texts = rendered.values()
      const next = (isRendered: boolean, text: string): string => (isRendered ? (texts.next().value ?? text) : text)
      return [
        next(hasTemplate.url, url),
        next(hasTemplate.headers, headers),
        next(hasTemplate.body, delivery.body)
      ] as const
    }),
    Effect.mapError((error) => new Unsendable({ failure: { reason: reasonOf(error), message: error.told } }))
  )
}

const reasonOf = ({ mayRetry, limit }: TemplateError): Failure["reason"] => {
  if (!mayRetry) return "Render"
  return limit === undefined ? "Unrendered" : "Overrun"
}
