/** A paused webhook let go on, with all that it was owed meanwhile or with less. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Delivery } from "../../event/Delivery.ts"
import type { Entry } from "../../stream/Entry.ts"
import { objectOf } from "../../stream/Ordered.ts"
import { Streams } from "../../stream/Streams.ts"
import { overEntries } from "../recover/Browse.ts"
import { insertUnattempted } from "../log/DeliveryRows.ts"
import type { Dropped } from "../outcome/Outcome.ts"

const reasons: Readonly<Record<"latest" | "none", Dropped>> = {
  latest: { reason: "Superseded", message: "A later event of its object was kept when the webhook was resumed." },
  none: { reason: "Unwanted", message: "Nothing of the pause was kept when the webhook was resumed." }
}

/** Drops what is not to be kept, logs it as discarded, and lets the webhook go on. `onDropped` is told how many. */
export const resume = Effect.fnUntraced(function* <E, R>(
  webhook: number,
  keep: "all" | "latest" | "none",
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
    if (known === undefined || isAfter(delivery, known)) latest.set(objectOf(delivery), { ...delivery, body: "" })
  }
}

const isAfter = (one: Delivery, other: Delivery): boolean => {
  const [a, b] = [BigInt(one.position), BigInt(other.position)]
  return a > b || (a === b && one.idx > other.idx)
}
