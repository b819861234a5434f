/**
 * Webhooks that fire only for what a user may view (`scope_user`): decided for a batch of events at once.
 *
 * Their conditions are evaluated over the event as that user may see it, or whether they hold would tell of the rest.
 */
import { Effect } from "effect"
import { inSlices } from "../Slices.ts"
import { type Seen, seen } from "../auth/Sight.ts"
import type { Json } from "../inventory/derive/Representation.ts"
import type { SharedBudget } from "./Budget.ts"
import type { Scoped, Subject, WebhookIndex } from "./WebhookIndex.ts"

/** An event, and the webhooks with a scope that may want it. */
export interface Considered {
  readonly subject: Subject & { readonly data: Json }
  readonly objectId: number
  readonly scoped: ReadonlyArray<Scoped>
}

/** A webhook that fires, and the event as it is sent. */
export interface Fired {
  readonly webhook: number
  readonly seen: Seen
}

/** For each event the webhooks that fire. Without webhooks that have a scope no question is asked. */
export const fired = Effect.fnUntraced(function* (
  index: WebhookIndex,
  considered: ReadonlyArray<Considered>,
  shared: SharedBudget
) {
  const asked = considered.flatMap(({ subject, objectId, scoped }, at) =>
    [...Map.groupBy(scoped, ({ viewer }) => viewer)].map(([viewer, entries]) => ({
      at,
      entries,
      told: { type: subject.type, objectId, data: subject.data, viewers: [viewer] }
    }))
  )
  const answers = yield* seen(asked.map(({ told }) => told))
  const found = considered.map((): Array<Fired> => [])
  const deciding = function* (): Generator<void, void> {
    for (const [nth, { at, entries }] of asked.entries()) {
      const answer = answers[nth]
      if (answer === undefined) continue
      const subject = { ...considered[at]!.subject, data: answer.data }
      const webhooks = yield* index.deciding(entries, subject, shared)
      found[at]!.push(...webhooks.map((webhook) => ({ webhook, seen: answer })))
    }
  }
  yield* inSlices(deciding())
  return found
})
