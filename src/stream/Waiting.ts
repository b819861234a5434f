/** Deliveries that are delayed until their next attempt, and the end of entries. */
import type { Client } from "../redis/Redis.ts"
import { type Entry, type Delayed, type Settled, entriesOf, pack, streams } from "./Entry.ts"
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
  settled: ReadonlyArray<Settled>,
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
    entry.stream === "again" ? placeOf(entry.delivery) : ""
  ])
  const { again, queue, later, held, blocked, parked, unattempted } = keys
  await settleScript.run(client, {
    keys: [again, queue, later, held, blocked, parked, unattempted],
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
  deliveries: ReadonlyArray<Delayed>,
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

/** Entries of `again` in one page. */
const droppedPage = 500

export const drop = async (client: Client, keys: Keys, waiting: ReadonlyArray<ObjectDelivery>): Promise<void> => {
  const { later, held, blocked, parked, again, unattempted } = keys
  const run = (args: ReadonlyArray<string>) =>
    dropScript.run(client, { keys: [later, held, blocked, parked, again, unattempted], args: [group, ...args] })
  await run(waiting.flatMap(({ id, object }) => [id, object, "", ""]))
  // Then those that became due meanwhile.
  const dropped = new Map(waiting.map(({ id, object }) => [id, object]))
  let after = "-"
  while (true) {
    const page = entriesOf("again", await client.xrange(again, after, "+", "COUNT", droppedPage), false)
    const last = page.at(-1)
    if (last === undefined) return
    after = `(${last.entryId}`
    const found = page.flatMap(({ entryId, delivery }) => {
      const object = dropped.get(delivery.id)
      return object === undefined ? [] : [delivery.id, object, entryId, placeOf(delivery)]
    })
    if (found.length > 0) await run(found)
  }
}

export const remove = async (client: Client, keys: Keys, entries: ReadonlyArray<Entry>): Promise<void> => {
  for (const [stream, each] of Map.groupBy(entries, (entry) => entry.stream)) {
    const ids = each.map(({ entryId }) => entryId)
    await client.xack(keys[stream], group, ...ids)
    await client.xdel(keys[stream], ...ids)
    await client.zrem(keys.unattempted, ...each.map(({ delivery }) => placeOf(delivery)))
  }
}
