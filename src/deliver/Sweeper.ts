/**
 * Finds what was missed: entries that were queued but not announced, retries that became due while no process waited
 * for them, entries whose processes died. The backlog of each webhook is written to a table that all processes read.
 */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { type Position, parsePosition } from "../event/Position.ts"
import { Streams } from "../queue/Streams.ts"
import type { Inspection, SweptWebhook } from "../queue/Sweep.ts"
import type { Actor } from "./actor/Actor.ts"
import type { Actors } from "./actor/Actors.ts"
import { allWebhooks, deletedAmong } from "../queue/reconcile/Deleted.ts"
import { settleFinished } from "../queue/reconcile/Finished.ts"
import { backlogTable } from "../log/BacklogTable.ts"

/** Webhooks of one sweep statement. */
const lookedAtOnce = 20

type InspectedWebhook = SweptWebhook & { readonly inspection: Inspection }

/** Inspects the webhooks that are due, and returns them; undefined if this process is not the sweeper. */
export const sweep = Effect.fnUntraced(function* (actors: Actors) {
  const streams = yield* Streams
  const found: Array<InspectedWebhook> = []
  const { isSweeper, areLost, marked } = yield* streams.sweep
  if (areLost) yield* streams.mark(yield* allWebhooks)
  const idle = marked.map(({ webhook }) => webhook).filter((webhook) => actors.get(webhook) === undefined)
  for (const webhook of yield* deletedAmong(idle)) yield* streams.forget(webhook)
  for (const some of chunksOf(marked, lookedAtOnce)) {
    const inspections = yield* streams.inspect(some.map(({ webhook }) => webhook))
    for (const [at, inspection] of inspections.entries()) {
      const marked = some[at]!
      found.push({ ...marked, inspection })
      const actor = actors.get(marked.webhook)
      if (actor !== undefined) yield* lookAfter(marked.webhook, inspection, actor)
    }
  }
  yield* streams.reschedule(found)
  yield* noteBacklogs(found)
  return isSweeper ? found.map(({ webhook }) => webhook) : undefined
})

const lookAfter = Effect.fnUntraced(function* (webhook: number, inspection: Inspection, actor: Actor) {
  const streams = yield* Streams
  const unleased = inspection.unleased > 0 ? yield* streams.reclaim(webhook, actor.isOrdered()) : []
  const stranded = inspection.stranded ? yield* streams.claimStranded(webhook, actor.isOrdered()) : []
  const left = yield* settleFinished(webhook, [...unleased, ...stranded])
  // Other processes may claim the earlier entries of a batch.
  actor.adopt(actor.isOrdered() ? yield* streams.park(webhook, left) : left)
  if (inspection.dueMillis !== undefined) actor.dueIn(inspection.dueMillis)
  if (inspection.queued === 0) return
  // A process that has room takes it. We wake our own actor directly: nobody may hear the message.
  actor.urge()
  yield* streams.announce(webhook)
})

const nowhere: Position = { position: 0n, idx: 0 }

const noteBacklogs = Effect.fnUntraced(function* (found: ReadonlyArray<InspectedWebhook>) {
  if (found.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const column = <A>(value: (inspection: Inspection) => A) => found.map(({ inspection }) => value(inspection))
  const heads = column(({ head }) => (head === undefined ? nowhere : parsePosition(head)))
  yield* sql.unsafe(
    `with looked as (
       select * from unnest($1::text[]::bigint[], $2::text[]::bigint[], $3::text[]::bigint[], $4::text[]::bigint[],
                                   $5::text[]::bigint[], $6::text[]::bigint[]) as u (w, q, p, l, hp, hi)),
     gone as (delete from ${backlogTable.name} where webhook_id in (select w from looked where q + p + l = 0))
     insert into ${backlogTable.name} (webhook_id, queued, pending, waiting, head_position, head_idx, looked)
     select w, q, p, l, hp, hi, now() from looked where q + p + l > 0
     on conflict (webhook_id) do update set queued = excluded.queued, pending = excluded.pending,
       waiting = excluded.waiting, head_position = excluded.head_position, head_idx = excluded.head_idx,
       looked = excluded.looked`,
    [
      asTexts(found.map(({ webhook }) => webhook)),
      asTexts(column(({ queued }) => queued)),
      asTexts(column(({ pending }) => pending)),
      asTexts(column(({ waiting }) => waiting)),
      heads.map(({ position }) => `${position}`),
      asTexts(heads.map(({ idx }) => idx))
    ]
  )
})
