/** Deliveries that Redis delays or parks although the delivery log says that they have ended (Reconcile.ts). */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient } from "effect/sql"
import type { Delivery } from "../../event/Delivery.ts"
import { objectOf } from "../Ordered.ts"
import { Streams } from "../Streams.ts"

/** Deliveries read at once. */
const pageSize = 500

/** Where the pages of delayed and parked deliveries begin, behind those of the streams (WaitingPage.ts). */
const firstHeld = "parked:"

export const dropFinished = Effect.fnUntraced(function* (webhook: number) {
  const { waiting, drop } = yield* Streams
  const finished: Array<Delivery> = []
  for (let cursor = firstHeld; ;) {
    const page = yield* waiting(webhook, cursor, pageSize)
    if (page.length === 0) break
    cursor = page.at(-1)!.cursor
    finished.push(...(yield* finishedAmong(page.map(({ delivery }) => delivery))))
  }
  // Afterwards: a page begins at a rank, which moves when others before it are dropped.
  for (const part of chunksOf(finished, pageSize)) {
    yield* drop(
      webhook,
      part.map((delivery) => ({ id: delivery.id, object: objectOf(delivery) }))
    )
  }
})

const finishedAmong = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select delivery_id as id from extras_delivery
      where (delivery_id, time) in (select * from unnest($1::text[], $2::text[]::timestamptz[]))
        and status not in ('queued', 'retrying')`,
    [deliveries.map(({ id }) => id), deliveries.map(({ time }) => time)]
  )
  const ids = new Set(rows.map(({ id }) => id))
  return deliveries.filter(({ id }) => ids.has(id))
})
