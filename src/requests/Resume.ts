/** Resuming a paused webhook, with all deliveries of the pause or with some of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Delivery } from "../event/Delivery.ts"
import { comparePositions, positionOf } from "../event/Position.ts"
import type { Entry } from "../queue/Entry.ts"
import { objectOf } from "../queue/Ordered.ts"
import { Streams } from "../queue/Streams.ts"
import { overEntries } from "../queue/reconcile/Browse.ts"
import { insertUnattempted } from "../log/DeliveryRows.ts"
import type { DropReason } from "../event/Outcome.ts"

/** The deliveries of a pause to keep: all, the latest of each object, or none. */
export const keepChoices = ["all", "latest", "none"] as const
export type KeepChoice = (typeof keepChoices)[number]

const reasons: Readonly<Record<Exclude<KeepChoice, "all">, DropReason>> = {
  latest: { reason: "Superseded", message: "A later event of its object was kept when the webhook was resumed." },
  none: { reason: "Unwanted", message: "Nothing of the pause was kept when the webhook was resumed." }
}

/** Logs and removes the deliveries that are not kept, then resumes the webhook. `onDropped` gets their count by page. */
export const resume = Effect.fnUntraced(function* <E, R>(
  webhook: number,
  keep: KeepChoice,
  onDropped: (count: number) => Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  if (keep !== "all") {
    const streams = yield* Streams
    yield* streams.gather(webhook)
    const latest = new Map<string, Delivery>()
    if (keep === "latest") yield* overEntries(webhook, (page) => Effect.sync(() => noteLatest(latest, page)))
    yield* overEntries(webhook, (page) => {
      const dropped = page.filter(({ delivery }) => latest.get(objectOf(delivery))?.id !== delivery.id)
      return insertUnattempted(
        dropped.map(({ delivery }) => delivery),
        { dropped: reasons[keep] }
      ).pipe(Effect.andThen(streams.remove(webhook, dropped)), Effect.andThen(onDropped(dropped.length)))
    })
  }
  yield* sql`update extras_webhook set paused = false where id = ${webhook}::bigint and paused`
})

const noteLatest = (latest: Map<string, Delivery>, page: ReadonlyArray<Entry>): void => {
  for (const { delivery } of page) {
    const known = latest.get(objectOf(delivery))
    if (known !== undefined && comparePositions(positionOf(delivery), positionOf(known)) <= 0) continue
    // Without the body: there may be many objects.
    latest.set(objectOf(delivery), { ...delivery, body: "" })
  }
}
