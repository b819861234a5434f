/** Events of a batch to deliveries: changed webhooks reach the index in the order of the WAL, between the events. */
import { Effect } from "effect"
import { mapInSlices } from "../Slices.ts"
import type { CapturedEvent, EventBatch, SetAside } from "../capture/fold/CapturedEvent.ts"
import { type Delivery, deliveryBody, deliveryOf } from "../event/Delivery.ts"
import { comparePositions } from "../event/Position.ts"
import { SharedBudget } from "../match/Budget.ts"
import { type Considered, fired } from "../match/Scope.ts"
import type { WebhookIndex, WebhookRow } from "../match/WebhookIndex.ts"
import type { Version } from "../match/WebhookVersions.ts"

/** An event and the webhooks that it matches; those with a scope (match/Scope.ts) are still to be decided. */
interface Owed extends Considered {
  readonly event: CapturedEvent
  readonly webhooks: ReadonlyArray<number>
}

export interface Matched {
  readonly versions: ReadonlyArray<Version>
  readonly owed: ReadonlyArray<Owed>
  /** The budget that the batch has left for costly conditions. */
  readonly shared: SharedBudget
}

/** Matches a batch. A changed webhook counts from its own position on, for its own event too. */
export function* matchAll(index: WebhookIndex, { events, aside }: EventBatch): Generator<void, Matched> {
  const versions: Array<Version> = []
  const owed: Array<Owed> = []
  const shared = new SharedBudget()
  const learn = ({ type, position, idx, after }: CapturedEvent | SetAside, webhook: number) => {
    if (type.id !== webhookType) return
    const row = after as WebhookRow | undefined
    index.set(webhook, row)
    versions.push({ webhook, position, idx, row })
  }
  const unheard = aside.filter(({ objectId }) => Number.isSafeInteger(Number(objectId)))
  for (const event of events) {
    // A webhook counts from its own place on, also where its row cannot be read: then it fires for nothing.
    while (unheard[0] !== undefined && comparePositions(unheard[0], event) < 0) {
      learn(unheard[0], Number(unheard.shift()!.objectId))
      yield
    }
    learn(event, event.objectId)
    const { type, kind, data, prechange, postchange, objectId, xid } = event
    yield
    const subject = { type: type.id, kind, data, snapshots: { prechange, postchange } }
    const webhooks = yield* index.matching(subject, shared)
    const scoped = index.scoped(subject)
    if (webhooks.length + scoped.length > 0) owed.push({ event, objectId, xid, subject, webhooks, scoped })
  }
  for (const change of unheard) {
    learn(change, Number(change.objectId))
    yield
  }
  return { versions, owed, shared }
}

const webhookType = "extras.webhook"

/** The deliveries of matched events; those of webhooks with a scope are decided here. */
export const deliveriesOf = Effect.fnUntraced(function* (
  index: WebhookIndex,
  owed: ReadonlyArray<Owed>,
  shared: SharedBudget
) {
  const scoped = yield* fired(index, owed, shared)
  const made = yield* mapInSlices(owed, ({ event, webhooks }, at): ReadonlyArray<Delivery> => {
    const whole = webhooks.length === 0 ? { body: "" } : deliveryBody(event)
    return [
      ...webhooks.map((webhook) => deliveryOf(event, webhook, whole)),
      ...scoped[at]!.map(({ webhook, seen: { data, hidden } }) => {
        const shown = { ...event, json: { ...event.json, data: JSON.stringify(data) } }
        return deliveryOf(event, webhook, deliveryBody(shown, hidden))
      })
    ]
  })
  return made.flat()
})
