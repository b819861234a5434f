/**
 * The effect of a past event on an unsaved webhook: whether it would fire, and the request as it would leave. The
 * webhook sees the event as the reader may see it. Nothing is written or sent.
 */
import { Clock, Effect } from "effect"
import { deliveryOf } from "../../event/Delivery.ts"
import { eventBody } from "../../event/Event.ts"
import type { MatchFields } from "../../match/WebhookIndex.ts"
import type { Verdict } from "../../match/Verdict.ts"
import type { Source } from "../../template/Part.ts"
import type { TemplateError } from "../../template/TemplateError.ts"
import { contextOf, headersOf } from "../../webhook/Request.ts"
import { addressProblem, isTemplate, ownHeaders } from "../../webhook/RequestText.ts"
import { withConfigContexts } from "../../webhook/ConfigContexts.ts"
import { sentAlone } from "../../webhook/Batch.ts"
import type { BatchPolicy } from "../../inventory/types/extras/WebhookBatch.ts"
import { withoutUserInformation } from "../../webhook/BasicAuthorization.ts"
import { hiddenMark } from "../../inventory/field/hidden/Hiding.ts"
import { userInformation } from "../../inventory/field/hidden/UserInformation.ts"
import type { Signing } from "../../webhook/Sign.ts"
import { WorkLimit, verdictsOf } from "../explain/Evaluating.ts"
import { readableOf } from "../explain/ExplainedEvent.ts"
import { type LoggedEvent, eventOf } from "../../changelog/LoggedEvent.ts"
import { withHidden } from "../../changelog/SeenEvents.ts"

/** The fields that decide, as a form or a body has them. */
export interface Draft extends MatchFields {
  readonly id: number | undefined
  readonly http_method: string
  readonly http_content_type: string
  readonly payload_url: string
  readonly template_engine: string
  readonly additional_headers: string
  readonly body_template: string
  /** Undefined where each request has one event. */
  readonly batch: BatchPolicy | undefined
  readonly signature: Signing["style"]
  /** "" for none. */
  readonly secret: string
  /** "" where requests carry no token. */
  readonly oauth_token_url: string
}

/** Renders a template for a context, which is JSON text. */
export type Render = (
  source: Source,
  context: string,
  engine: string
) => Effect.Effect<string, Pick<TemplateError, "told" | "line" | "column" | "snippet">>

export interface Fault {
  readonly field: "payload_url" | "additional_headers" | "body_template"
  readonly message: string
  /** Where in the template; absent for a fault of its result. */
  readonly line?: number
  readonly column?: number
  readonly snippet?: string
}

export interface Trial {
  readonly verdict: Verdict
  readonly method: string
  /** As rendered; undefined where that fails. */
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
  readonly faults: ReadonlyArray<Fault>
}

/** Whether the request carries an authorization of ours, which is not shown. */
const isAuthorized = (draft: Draft, address = ""): boolean =>
  draft.oauth_token_url !== "" ||
  address.includes(`${hiddenMark}@`) ||
  withoutUserInformation(address).authorization !== undefined

const sourceIn: Readonly<Record<Fault["field"], (template: string) => Source>> = {
  payload_url: (address) => ({ address }),
  additional_headers: (headers) => ({ headers }),
  body_template: (body) => body
}

export const tried = Effect.fnUntraced(function* (draft: Draft, logged: LoggedEvent, render: Render) {
  const [readable] = yield* readableOf([logged])
  const [judged] = yield* verdictsOf(
    [{ readable: readable!, fields: draft, webhook: draft.id, isForReader: true }],
    new WorkLimit()
  )
  const event = eventOf(withHidden(logged, [...readable!.hidden]))
  const delivery = deliveryOf(event, draft.id ?? 0, { body: eventBody(event) })
  const texts = [draft.payload_url, draft.additional_headers, draft.body_template]
  const [whole] = yield* withConfigContexts(texts, [delivery])
  const sent = sentAlone(whole!, draft.batch !== undefined)
  const context = contextOf(sent)
  const faults: Array<Fault> = []
  const part = Effect.fnUntraced(function* (field: Fault["field"], template: string, isTemplated: boolean) {
    if (!isTemplated) return template
    return yield* render(sourceIn[field](template), context, draft.template_engine).pipe(
      Effect.catch((error) => {
        const { told: message, line, column, snippet } = error
        faults.push({ field, message, ...(line > 0 && { line, column, snippet }) })
        return Effect.succeed(undefined)
      })
    )
  })
  const { payload_url: url, additional_headers: headers, body_template: body } = draft
  const address = yield* part("payload_url", url, isTemplate(url))
  // An address that a saved webhook hides as a whole cannot be judged.
  const isKnown = address !== undefined && address !== "" && address !== hiddenMark
  const addressFault = isKnown ? addressProblem(address) : undefined
  if (addressFault !== undefined) faults.push({ field: "payload_url", message: addressFault })
  const headerText = yield* part("additional_headers", headers, isTemplate(headers))
  const own = headerText === undefined ? undefined : ownHeaders(headerText)
  if (own !== undefined && "error" in own) faults.push({ field: "additional_headers", message: own.error })
  const content = body === "" ? sent.body : yield* part("body_template", body, true)
  return {
    verdict: judged!.verdict,
    method: draft.http_method,
    url: address && userInformation.hide(address).shown,
    headers:
      own === undefined || "error" in own || content === undefined
        ? undefined
        : headersOf({
            contentType: draft.http_content_type,
            own: own.headers,
            authorization: isAuthorized(draft, address) ? hiddenMark : undefined,
            signing: { style: draft.signature, secret: draft.secret, previous: "" },
            delivery: sent,
            body: Buffer.from(content),
            nowMillis: yield* Clock.currentTimeMillis
          }),
    body: content,
    faults
  } satisfies Trial
})
