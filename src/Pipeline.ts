/**
 * Where the stages meet. They do not know each other: here a changed webhook reaches the match index, an event becomes
 * deliveries, and a text's grammar finds the stage that owns it.
 */
import { Effect, Layer } from "effect"
import { EventSink } from "./capture/Capture.ts"
import { type Event, eventBody } from "./capture/Event.ts"
import { addressProblem, headersProblem, isTemplate } from "./deliver/Request.ts"
import { parsePolicy } from "./deliver/RetrySchedule.ts"
import { Grammars } from "./inventory/Grammar.ts"
import { registry } from "./inventory/Registry.ts"
import { isEmpty, parse } from "./match/Condition.ts"
import { WebhookIndex } from "./match/WebhookIndex.ts"
import { type Version, keepVersions, versionsAt } from "./match/WebhookVersions.ts"
import { Append } from "./stream/Append.ts"
import { type Delivery, deliveryId } from "./stream/Entry.ts"
import { Templates } from "./template/Template.ts"

/** Events of capture, matched and queued. */
export const sinkLayer = Layer.effect(
  EventSink,
  Effect.gen(function* () {
    const { append } = yield* Append
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof versionsAt>>>()
    const index = new WebhookIndex()
    return EventSink.of({
      begin: (from, epochBegin) =>
        Effect.gen(function* () {
          const webhooks = yield* versionsAt(from, epochBegin)
          index.clear()
          for (const row of webhooks) index.set(row.id, row)
        }).pipe(Effect.provideContext(context)),
      take: (events) =>
        Effect.suspend(() => {
          const { versions, deliveries } = matchAll(index, events)
          return Effect.andThen(keepVersions(versions), append(deliveries))
        }).pipe(Effect.provideContext(context))
    })
  })
)

/** Webhooks take effect at their own place in the WAL: a change of one counts from there on, itself included. */
const matchAll = (index: WebhookIndex, events: ReadonlyArray<Event>) => {
  const versions: Array<Version> = []
  const deliveries: Array<Delivery> = []
  for (const event of events) {
    const { type, kind, data, position, idx } = event
    if (type.id === "extras.webhook") {
      index.set(event.objectId, event.after)
      versions.push({ webhook: event.objectId, position, idx, row: event.after })
    }
    const webhooks = index.match({ type: type.id, kind, data })
    if (webhooks.length === 0) continue
    const body = eventBody({ ...event, model: type.name })
    for (const webhook of webhooks) deliveries.push(deliveryOf(event, webhook, body))
  }
  return { versions, deliveries }
}

const deliveryOf = (event: Event, webhook: number, body: string): Delivery => ({
  id: deliveryId(webhook, `${event.position}`, event.idx),
  webhook,
  position: `${event.position}`,
  idx: event.idx,
  event: event.kind,
  objectType: event.type.id,
  objectId: event.objectId,
  requestId: event.requestId,
  time: event.timestamp,
  attempts: 0,
  spent: 0,
  firstAttempt: 0,
  body
})

export const grammarsLayer = Layer.effect(
  Grammars,
  Effect.map(Templates, ({ check }) => {
    const template = (value: unknown) => check(String(value))?.message
    /** A literal text is checked as what it will be; of a template only the template can be. */
    const orTemplate = (problem: (text: string) => string | undefined) => (value: unknown) =>
      isTemplate(String(value)) ? template(value) : problem(String(value))
    return Grammars.of({
      objectTypes: (value) => {
        const wrong = (value as ReadonlyArray<string>).find((id) => registry.get(id)?.kind !== "object")
        return wrong === undefined ? undefined : `Invalid content type: ${wrong}`
      },
      template,
      headers: orTemplate(headersProblem),
      url: orTemplate(addressProblem),
      condition: (value) => {
        try {
          if (!isEmpty(value)) parse(value)
          return undefined
        } catch (error) {
          return (error as Error).message
        }
      },
      retry: (value) => {
        const policy = parsePolicy(value)
        return typeof policy === "string" ? policy : undefined
      }
    })
  })
)
