/** Order within objects: an entry that follows another one of its object is parked in Redis until that one is done. */
import { Effect } from "effect"
import type { Entry } from "../../queue/Entry.ts"
import { objectOf } from "../../queue/Ordered.ts"
import { Streams } from "../../queue/Streams.ts"
import type { ActorParts } from "../actor/ActorParts.ts"

/** Parks entries that follow another one of their object, as entries read for a batch may; returns the others. */
export const firstsOf = (parts: ActorParts, entries: ReadonlyArray<Entry>) => {
  if (!parts.webhook.current().definition.ordered) return Effect.succeed(entries)
  const firsts = new Map(entries.toReversed().map((entry) => [objectOf(entry.delivery), entry]))
  if (firsts.size === entries.length) return Effect.succeed(entries)
  const others = entries.filter((entry) => firsts.get(objectOf(entry.delivery)) !== entry)
  return Effect.map(parked(parts, others), (left) => [...firsts.values(), ...left])
}

/** Parks entries that have to follow another one; returns the others. */
export const parked = ({ id, webhook }: ActorParts, entries: ReadonlyArray<Entry>) =>
  entries.length === 0 || !webhook.current().definition.ordered
    ? Effect.succeed(entries)
    : Effect.flatMap(Streams, (streams) => streams.park(id, entries))
