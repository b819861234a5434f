/**
 * Order within an object, where a webhook asks for it.
 *
 * Of each object one delivery at a time is out or waits for its next attempt: it is the one that `blocked` names. What
 * comes after it is parked in the order of the WAL, and the first of those goes when it is done. Reading and parking is
 * one step in Redis, so any number of processes may read.
 */
import type { Client } from "../Redis.ts"
import type { Delivery } from "../event/Delivery.ts"
import { formatPosition, parsePosition } from "../event/Position.ts"
import { group, type keysOf } from "./Keys.ts"
import { RedisScript } from "../RedisScript.ts"

/** `dcim.site 5`; the script makes the same of an entry's first line. */
export const objectOf = ({ objectType, objectId }: Delivery): string => `${objectType} ${objectId}`

/** Stream (1 again, 2 queue), id and content. */
type OrderedEntry = readonly [stream: number, entryId: string, content: string]

/** Entries looked at in one call: Redis does nothing else meanwhile. */
const scannedMax = 500

/** Where a delivery stands in the order of the WAL, as a text that sorts so; the script makes the same. */
export const placeOf = ({ position, idx, id }: Delivery): string =>
  `${position.padStart(20, "0")}-${`${idx}`.padStart(10, "0")}|${id}`

/** The id in the queue of a place. */
export const idOfPlace = (place: string): string => formatPosition(parsePosition(place.slice(0, place.indexOf("|"))))

const readOrderedScript = new RedisScript<readonly [entries: ReadonlyArray<OrderedEntry>, scanned: number]>(
  new URL("scripts/read-ordered.lua", import.meta.url)
)

export const readOrdered = async (
  client: Client,
  keys: ReturnType<typeof keysOf>,
  consumer: string,
  count: number
): Promise<ReadonlyArray<OrderedEntry>> => {
  const found: Array<OrderedEntry> = []
  while (true) {
    const [entries, scanned] = await readOrderedScript.run(client, {
      keys: [keys.again, keys.queue, keys.blocked, keys.parked, keys.held, keys.unattempted],
      args: [group, consumer, count - found.length, scannedMax]
    })
    found.push(...entries)
    if (scanned < scannedMax || found.length >= count) return found
  }
}

const unblockScript = new RedisScript<null>(new URL("scripts/unblock.lua", import.meta.url))

/** An object, and the delivery that others of it wait for. */
export interface ObjectDelivery {
  readonly object: string
  readonly id: string
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
