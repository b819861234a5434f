/** Deliveries that are delayed until their next attempt, and the end of entries. */
import type { Client } from "../redis/Redis.ts"
import { type Delivery, deliveryId } from "../event/Delivery.ts"
import { formatPosition, positionOf } from "../event/Position.ts"
import { type Entry, type Delay, type Settlement, entriesOf, pack, streams } from "./Entry.ts"
import { group, keysOf } from "./Keys.ts"
import { type ObjectDelivery, objectOf, placeOf } from "./Ordered.ts"
import { RedisScript } from "../redis/RedisScript.ts"
import { mark } from "./Sweep.ts"

type Keys = ReturnType<typeof keysOf>

/** Most delayed deliveries that one call moves. */
const promoteMax = 500

const promoteScript = new RedisScript<readonly [moved: number, next: number]>(
  new URL("scripts/promote.lua", import.meta.url)
)

const delayScript = new RedisScript<null>(new URL("scripts/delay.lua", import.meta.url))

const settleScript = new RedisScript<null>(new URL("scripts/settle.lua", import.meta.url))

export const settle = async (
  client: Client,
  consumer: string,
  webhook: number,
  settled: ReadonlyArray<Settlement>,
  isOurs: (entry: Entry) => boolean
): Promise<void> => {
  const keys = keysOf(webhook)
  const parts = settled.flatMap(({ entry, later }) => [
    streams.indexOf(entry.stream) + 1,
    entry.entryId,
    entry.ordered ? objectOf(entry.delivery) : "",
    later === undefined ? -1 : Math.max(Math.round(later.delayMillis), 0),
    entry.delivery.id,
    later === undefined ? "" : pack(later.delivery),
    isOurs(entry),
    entry.stream === "queue" ? "" : placeOf(entry.delivery)
  ])
  const { urgent, again, queue, later, held, blocked, parked, unattempted } = keys
  await settleScript.run(client, {
    keys: [urgent, again, queue, later, held, blocked, parked, unattempted],
    args: [group, consumer, JSON.stringify(parts)]
  })
  if (settled.some(({ later }) => later !== undefined)) await mark(client, [webhook])
}

export const promote = async (client: Client, webhook: number, ordered: boolean, everything = false) => {
  const { later, held, again, blocked, parked } = keysOf(webhook)
  const call = { keys: [later, held, again, blocked, parked], args: [promoteMax, ordered ? 1 : 0, everything ? 1 : 0] }
  const [moved, next] = await promoteScript.run(client, call)
  return { moved, next: next < 0 ? undefined : next }
}

export const delay = async (
  client: Client,
  webhook: number,
  deliveries: ReadonlyArray<Delay>,
  first: boolean
): Promise<void> => {
  const { later, held, blocked, parked } = keysOf(webhook)
  const parts = deliveries.flatMap(({ delayMillis, delivery }) => [
    Math.round(delayMillis),
    delivery.id,
    pack(delivery)
  ])
  await delayScript.run(client, {
    keys: [later, held, blocked, parked],
    args: [first ? 1 : 0, ...parts]
  })
  await mark(client, [webhook])
}

/** Moves all delayed and all parked deliveries to `again`. */
export const gather = async (client: Client, webhook: number): Promise<void> => {
  while ((await promote(client, webhook, false, true)).moved > 0);
}

const dropScript = new RedisScript<null>(new URL("scripts/drop.lua", import.meta.url))

/** Entries in one page. */
const pageSize = 500

/** The entries of a stream, a page at a time. */
async function* pagesOf(client: Client, keys: Keys, stream: Entry["stream"]) {
  for (let after = "-"; ;) {
    const page = entriesOf(stream, await client.xrange(keys[stream], after, "+", "COUNT", pageSize), false)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = `(${last.entryId}`
  }
}

export const drop = async (
  client: Client,
  keys: Keys,
  waiting: ReadonlyArray<ObjectDelivery>,
  leaseMillis: number
): Promise<void> => {
  const { later, held, blocked, parked, again, unattempted } = keys
  const run = (due: string, args: ReadonlyArray<string>) =>
    dropScript.run(client, {
      keys: [later, held, blocked, parked, again, unattempted, due],
      args: [group, leaseMillis, ...args]
    })
  const dropped = new Map(waiting.map(({ id, object }) => [id, object]))
  await run(
    again,
    waiting.flatMap(({ id, object }) => [id, object, "", ""])
  )
  const queued = waiting.flatMap(({ id, object, entryId }) => (entryId === undefined ? [] : [id, object, entryId, ""]))
  if (queued.length > 0) await run(keys.queue, queued)
  // Then those that became due meanwhile.
  for (const stream of ["again", "urgent"] as const) {
    for await (const page of pagesOf(client, keys, stream)) {
      const found = page.flatMap(({ entryId, delivery }) => {
        const object = dropped.get(delivery.id)
        return object === undefined ? [] : [delivery.id, object, entryId, placeOf(delivery)]
      })
      if (found.length > 0) await run(keys[stream], found)
    }
  }
}

const urgeScript = new RedisScript<ReadonlyArray<number>>(new URL("scripts/urge.lua", import.meta.url))

/** Queues deliveries in `urgent`, in place of where they wait; returns those that stay where they are. */
export const urge = async (
  client: Client,
  webhook: number,
  deliveries: ReadonlyArray<Delivery>,
  leaseMillis: number
): Promise<ReadonlyArray<Delivery>> => {
  const keys = keysOf(webhook)
  const sought = new Set(deliveries.map(({ id }) => id))
  const due = new Map<string, string>()
  for await (const page of pagesOf(client, keys, "again")) {
    for (const { entryId, delivery } of page) if (sought.has(delivery.id)) due.set(delivery.id, entryId)
  }
  const args = deliveries.flatMap((delivery) => [
    ...[delivery.id, pack(delivery), due.get(delivery.id) ?? ""],
    // A test or a replay was never in the queue.
    delivery.id === deliveryId(webhook, delivery.position, delivery.idx) ? formatPosition(positionOf(delivery)) : ""
  ])
  const left = await urgeScript.run(client, {
    keys: [keys.urgent, keys.again, keys.queue, keys.later, keys.held],
    args: [group, leaseMillis, ...args]
  })
  await mark(client, [webhook])
  return left.map((number) => deliveries[number - 1]!)
}

export const remove = async (client: Client, keys: Keys, entries: ReadonlyArray<Entry>): Promise<void> => {
  for (const [stream, each] of Map.groupBy(entries, (entry) => entry.stream)) {
    const ids = each.map(({ entryId }) => entryId)
    await client.xack(keys[stream], group, ...ids)
    await client.xdel(keys[stream], ...ids)
    await client.zrem(keys.unattempted, ...each.map(({ delivery }) => placeOf(delivery)))
  }
}
