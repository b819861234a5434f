/** Events of a batch to deliveries: changed webhooks reach the index in the order of the WAL, between the events. */
import { Effect } from "effect"
import { mapInSlices } from "../eventloop/Slices.ts"
import type { CapturedEvent, EventBatch, SetAside } from "../capture/CapturedEvent.ts"
import type { EventView } from "../auth/Sight.ts"
import { type Delivery, type DeliveryBody, deliveryBody, deliveryOf } from "../event/Delivery.ts"
import { insertFailed } from "../log/DeliveryRows.ts"
import { storableText } from "../capture/SetAside.ts"
import { type Event, contextOf } from "../event/Event.ts"
import { comparePositions } from "../event/Position.ts"
import { SharedBudget } from "../match/Budget.ts"
import type { ScopedEvent, FiredWebhook } from "../match/Scope.ts"
import type { WebhookIndex, WebhookRow } from "../match/WebhookIndex.ts"
import type { Version } from "../match/WebhookVersions.ts"

/** An event and the webhooks that it matches; those with a scope (match/Scope.ts) are still to be decided. */
export interface EventMatch extends Omit<ScopedEvent, "xid"> {
  readonly event: Event
  readonly webhooks: ReadonlyArray<number>
}

/** A change of which no event can be made, and the webhooks that may be owed one. */
interface Unmade {
  readonly change: SetAside
  readonly webhooks: ReadonlyArray<number>
}

export interface BatchMatch {
  readonly unmade: ReadonlyArray<Unmade>
  readonly versions: ReadonlyArray<Version>
  readonly owed: ReadonlyArray<EventMatch & ScopedEvent>
  /** The budget that the batch has left for costly conditions. */
  readonly shared: SharedBudget
}

/** Matches a batch. A changed webhook counts from its own position on, for its own event too. */
export function* matchAll(index: WebhookIndex, { events, aside }: EventBatch): Generator<void, BatchMatch> {
  const versions: Array<Version> = []
  const owed: Array<EventMatch & ScopedEvent> = []
  const shared = new SharedBudget()
  const learn = (type: string, { position, idx, after }: CapturedEvent | SetAside, webhook: number) => {
    if (type !== webhookType) return
    const row = after as WebhookRow | undefined
    index.set(webhook, row)
    versions.push({ webhook, position, idx, row })
  }
  const unmade: Array<Unmade> = []
  const pass = (change: SetAside) => {
    // A webhook counts from its own place on, also where its row cannot be read: then it fires for nothing.
    if (Number.isSafeInteger(Number(change.objectId))) learn(change.type.id, change, Number(change.objectId))
    const webhooks = index.asking(change.type.id, change.kind)
    if (webhooks.length > 0) unmade.push({ change, webhooks })
  }
  const unheard = [...aside]
  for (const event of events) {
    while (unheard[0] !== undefined && comparePositions(unheard[0], event) < 0) {
      pass(unheard.shift()!)
      yield
    }
    const { objectType: type, kind, objectId, xid } = event
    learn(type, event, objectId)
    yield
    if (!index.mayMatch(type, kind)) continue
    const { data, prechange, postchange } = event
    const subject = {
      ...{ type, kind, data, snapshots: { prechange, postchange } },
      // Few conditions read it.
      get context() {
        return contextOf(event)
      }
    }
    const webhooks = yield* index.matching(subject, shared)
    const scoped = index.scoped(subject)
    if (webhooks.length + scoped.length > 0) owed.push({ event, objectId, xid, subject, webhooks, scoped })
  }
  for (const change of unheard) {
    pass(change)
    yield
  }
  return { versions, owed, unmade, shared }
}

const webhookType = "extras.webhook"

/** Logs deliveries of changes of which no event can be made as failed. May be repeated. */
export const logUnmade = (unmade: ReadonlyArray<Unmade>) =>
  Effect.forEach(
    unmade,
    ({ change, webhooks }) => {
      const { type, kind, objectId, timestamp, requestId, position, idx, reason } = change
      const id = Number(objectId)
      const event = {
        ...{ position, idx, kind, timestamp, requestId, username: "", objectType: type.id },
        // The log keeps a number; the reason names the id.
        objectId: Number.isSafeInteger(id) ? id : 0,
        json: { data: "null", prechange: "null", postchange: "null" }
      }
      const message = `No event could be made of the change: ${reason}`
      const deliveries = webhooks.map((webhook) => deliveryOf(event, webhook, { body: "" }))
      return insertFailed(deliveries, { reason: "SetAside", message: storableText(message) })
    },
    { discard: true }
  )

/** The deliveries of matched events; `fired` are the webhooks with a scope that fire for each. */
export const deliveriesOf = Effect.fnUntraced(function* (
  owed: ReadonlyArray<EventMatch>,
  fired: ReadonlyArray<ReadonlyArray<FiredWebhook>>
) {
  const made = yield* mapInSlices(owed, ({ event, webhooks }, at): ReadonlyArray<Delivery> => {
    const whole = webhooks.length === 0 ? { body: "" } : deliveryBody(event)
    // A user may have many webhooks: their deliveries share one text.
    const bodies = new Map<EventView, DeliveryBody>()
    const bodyFor = (seen: EventView): DeliveryBody => {
      const body = bodies.get(seen) ?? seenBody(event, seen)
      bodies.set(seen, body)
      return body
    }
    return [
      ...webhooks.map((webhook) => deliveryOf(event, webhook, whole)),
      ...fired[at]!.map(({ webhook, seen }) => deliveryOf(event, webhook, bodyFor(seen)))
    ]
  })
  return made.flat()
})

/** The body that shows what the viewers of a webhook see. */
const seenBody = (event: Event, { data, snapshots, hidden }: EventView): DeliveryBody => {
  if (hidden.length === 0) return deliveryBody(event)
  const json = {
    data: JSON.stringify(data),
    prechange: JSON.stringify(snapshots!.prechange),
    postchange: JSON.stringify(snapshots!.postchange)
  }
  return deliveryBody({ ...event, json }, hidden)
}
