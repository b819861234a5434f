/**
 * Webhooks that fire only for what a user may view (`scope_user`): decided for a batch of events at once.
 *
 * Their conditions are evaluated over the event as that user may see it; otherwise the outcome would reveal the rest.
 */
import { Data, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { inSlices } from "../eventloop/Slices.ts"
import { type EventView, seen } from "../auth/Sight.ts"
import type { Json } from "../inventory/derive/represent/Representation.ts"
import type { SharedBudget } from "./Budget.ts"
import type { ScopedWebhook, WebhookIndex } from "./WebhookIndex.ts"
import type { Subject } from "./Subject.ts"

/** An event, and the webhooks with a scope that may want it. */
export interface ScopedEvent {
  readonly subject: Subject & { readonly data: Json }
  readonly objectId: number
  /** The lower 32 bits of the number of its transaction. */
  readonly xid: number
  readonly scoped: ReadonlyArray<ScopedWebhook>
}

/** A webhook that fires, and the event as it is sent. */
export interface FiredWebhook {
  readonly webhook: number
  readonly seen: EventView
}

/** Time between two queries, and how many there are before the batch is tried again. */
const look = { pause: "2 millis", times: 2500 } as const

/**
 * Waits until queries see what these transactions wrote. A commit is in the WAL a moment before other sessions can see
 * it, longer with synchronous standbys; a query in between would see objects as they were before.
 */
export const untilVisible = Effect.fnUntraced(function* (xids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  // Full transaction numbers have 64 bits: theirs is the one nearest to the snapshot's.
  const hidden = sql<{ readonly count: number }>`
    select count(*)::int as count
      from (select s, pg_snapshot_xmax(s)::text::bigint as top from (select pg_current_snapshot() as s) now) snapshot,
           unnest(${[...new Set(xids)].map(String)}::text[]::bigint[]) as x
     where not pg_visible_in_snapshot(
       (top + ((x - top) % 4294967296 + 6442450944) % 4294967296 - 2147483648)::text::xid8, s)`
  yield* Effect.flatMap(hidden, ([row]) => (row!.count === 0 ? Effect.void : Effect.fail(new Unseen()))).pipe(
    Effect.retry({
      while: (error) => error instanceof Unseen,
      schedule: Schedule.spaced(look.pause),
      times: look.times
    })
  )
})

class Unseen extends Data.TaggedError("Unseen") {
  override readonly message = "transactions of the WAL are not visible yet: do they wait for a standby?"
}

/** The webhooks that fire for each event. Without scoped webhooks there is no query. */
export const fired = Effect.fnUntraced(function* (
  index: WebhookIndex,
  considered: ReadonlyArray<ScopedEvent>,
  shared: SharedBudget
) {
  if (considered.some(({ scoped }) => scoped.length > 0)) yield* untilVisible(considered.map(({ xid }) => xid))
  return yield* firedNow(index, considered, shared)
})

/** The same for events of transactions that queries see. */
export const firedNow = Effect.fnUntraced(function* (
  index: WebhookIndex,
  considered: ReadonlyArray<Omit<ScopedEvent, "xid">>,
  shared: SharedBudget
) {
  const asked = considered.flatMap(({ subject, objectId, scoped }, at) =>
    [...Map.groupBy(scoped, ({ viewer }) => viewer)].map(([viewer, entries]) => ({
      at,
      entries,
      told: { type: subject.type, objectId, data: subject.data, snapshots: subject.snapshots, viewers: [viewer] }
    }))
  )
  const answers = yield* seen(asked.map(({ told }) => told))
  const found = considered.map((): Array<FiredWebhook> => [])
  const deciding = function* (): Generator<void, void> {
    for (const [nth, { at, entries }] of asked.entries()) {
      const answer = answers[nth]
      if (answer === undefined) continue
      const subject = { ...considered[at]!.subject, data: answer.data, snapshots: answer.snapshots }
      const webhooks = yield* index.deciding(entries, subject, shared)
      found[at]!.push(...webhooks.map((webhook) => ({ webhook, seen: answer })))
    }
  }
  yield* inSlices(deciding())
  return found
})
