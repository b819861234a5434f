/** Relays changes of transactions, and changes that are read from the table: where no slot had them, and by polling. */
import { Effect } from "effect"
import type { FoldedChange } from "./netbox/ChangeRow.ts"
import { changesBehind } from "./netbox/NetBoxTable.ts"
import type { OpenSource } from "./OpenSource.ts"
import { type RelayPart, relay } from "./Relay.ts"
import { eventsOf } from "./SourceEvents.ts"
import type { Lead } from "./state/SourceState.ts"

/** The events of changes; `ids` are all rows that were read for them. */
export const partOf = Effect.fnUntraced(function* (
  { events, learn }: OpenSource,
  changes: ReadonlyArray<FoldedChange>,
  ids: ReadonlyArray<string>
) {
  yield* learn(new Set(changes.map(({ contentType }) => contentType)))
  const part = yield* eventsOf(events, changes)
  const used = new Set(part.events.flatMap((each) => each.ids))
  return { events: part.events, unused: ids.filter((id) => !used.has(id)) } satisfies RelayPart
})

/**
 * Relays everything behind an id that is not among the read ones, page by page, and adds the ids of what it relays. Returns
 * the moment up to which everything has been read then, and how many events there were.
 */
export const fill = Effect.fnUntraced(function* (source: OpenSource, lead: Lead, settledId: string, read: Set<string>) {
  let events = 0
  while (true) {
    const page = yield* changesBehind(source.sql, source.table, settledId, [...read])
    if (page.ids.length > 0) {
      const part = yield* partOf(source, page.changes, page.ids)
      yield* relay(source, lead, undefined, part)
      events += part.events.length
      for (const id of page.ids) read.add(id)
    }
    if (page.isWhole) return { next: page.next, events }
  }
})
