/**
 * Order within an object, for webhooks with `ordering: object`.
 *
 * One delivery of each object at a time is under way or delayed: `blocked` names it. The later ones are parked in the
 * order of the WAL, and the first of them is unblocked when it is done. Reading and parking is one step in Redis, so
 * any number of processes may read. A batch may have several of an object: its first blocks the object for all of them,
 * and those that the batch leaves undone are parked again.
 */
import type { Client } from "../redis/Redis.ts"
import type { Delivery } from "../event/Delivery.ts"
import { formatPosition, parsePosition } from "../event/Position.ts"
import { type Entry, pack, streams } from "./Entry.ts"
import { group, type keysOf } from "./Keys.ts"
import { RedisScript } from "../redis/RedisScript.ts"

/** `dcim.site 5`; `include/block-or-park.lua` makes the same text. */
export const objectOf = ({ objectType, objectId }: Delivery): string => `${objectType} ${objectId}`

/** An entry of one of `streams`, counted from 1. */
type OrderedEntry = readonly [stream: number, entryId: string, content: string]

/** Most entries that one call reads: Redis does nothing else meanwhile. */
const scannedMax = 500

/** Position and id of a delivery as a text that sorts by position; `include/block-or-park.lua` makes the same text. */
export const placeOf = ({ position, idx, id }: Pick<Delivery, "position" | "idx" | "id">): string =>
  `${position.padStart(20, "0")}-${`${idx}`.padStart(10, "0")}|${id}`

/** The entry id in the queue of a place. */
export const idOfPlace = (place: string): string => formatPosition(parsePosition(place.slice(0, place.indexOf("|"))))

const readOrderedScript = new RedisScript<readonly [entries: ReadonlyArray<OrderedEntry>, scanned: number]>(
  new URL("scripts/read-ordered.lua", import.meta.url)
)

interface OrderedWish {
  readonly count: number
  readonly isTogether: boolean
  /** How many of `streams` are read, from the first on. */
  readonly streamCount: number
}

export const readOrdered = async (
  client: Client,
  keys: ReturnType<typeof keysOf>,
  consumer: string,
  { count, isTogether, streamCount }: OrderedWish
): Promise<ReadonlyArray<OrderedEntry>> => {
  const found: Array<OrderedEntry> = []
  while (true) {
    const [entries, scanned] = await readOrderedScript.run(client, {
      keys: [keys.urgent, keys.again, keys.queue, keys.blocked, keys.parked, keys.held, keys.unattempted],
      args: [group, consumer, count - found.length, scannedMax, isTogether ? 1 : 0, streamCount]
    })
    found.push(...entries)
    if (scanned < scannedMax || found.length >= count) return found
  }
}

const parkScript = new RedisScript<ReadonlyArray<number>>(new URL("scripts/park.lua", import.meta.url))

/** Parks those of the entries whose object another delivery blocks; returns the others. */
export const park = async (
  client: Client,
  keys: ReturnType<typeof keysOf>,
  consumer: string,
  entries: ReadonlyArray<Entry>,
  isOurs: (entry: Entry) => boolean
): Promise<ReadonlyArray<Entry>> => {
  if (entries.length === 0) return entries
  const args = entries.flatMap((entry) => [
    streams.indexOf(entry.stream) + 1,
    entry.entryId,
    pack(entry.delivery),
    isOurs(entry) ? 1 : 0
  ])
  const parked = new Set(
    await parkScript.run(client, {
      keys: [keys.urgent, keys.again, keys.queue, keys.blocked, keys.parked, keys.held, keys.unattempted],
      args: [group, consumer, ...args]
    })
  )
  return entries.filter((_, at) => !parked.has(at + 1))
}

const unblockScript = new RedisScript<null>(new URL("scripts/unblock.lua", import.meta.url))

/** An object and a delivery of it. */
export interface ObjectDelivery {
  readonly object: string
  readonly id: string
  /** The id of its entry in the queue, if it may be there. */
  readonly entryId?: string
}

export const blockersOf = async (
  client: Client,
  { blocked }: ReturnType<typeof keysOf>
): Promise<ReadonlyArray<ObjectDelivery>> =>
  Object.entries(await client.hgetall(blocked)).map(([object, id]) => ({ object, id }))

export const unblock = async (
  client: Client,
  { blocked, parked, held, again }: ReturnType<typeof keysOf>,
  done: ReadonlyArray<ObjectDelivery>
): Promise<void> => {
  const args = done.flatMap(({ object, id }) => [object, id])
  await unblockScript.run(client, { keys: [blocked, parked, held, again], args })
}
