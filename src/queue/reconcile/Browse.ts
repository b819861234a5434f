/** All entries of a webhook's streams, a page at a time. */
import { Effect } from "effect"
import { type Entry, streams } from "../Entry.ts"
import { Streams } from "../Streams.ts"

/** Entries read at once. */
const pageSize = 500

export const overEntries = Effect.fnUntraced(function* <E, R>(
  webhook: number,
  visit: (page: ReadonlyArray<Entry>) => Effect.Effect<unknown, E, R>
) {
  const { browse } = yield* Streams
  for (const stream of streams) {
    let after = "-"
    while (true) {
      const page = yield* browse(webhook, stream, after, pageSize)
      if (page.length === 0) break
      after = `(${page.at(-1)!.entryId}`
      yield* visit(page)
    }
  }
})
