/** Deliveries that wait for their next attempt, and the end of entries. */
import type { Client } from "../Redis.ts"
import type { Delivery } from "../event/Delivery.ts"
import { type Entry, entriesOf, pack, streams } from "./Entry.ts"
import { group, keysOf } from "./Keys.ts"
import { type Out, goOut, objectOf, placeOf, release } from "./Ordered.ts"
import { owns } from "./Reader.ts"
import { Script } from "../RedisScript.ts"
import { mark } from "./Sweep.ts"

type Keys = ReturnType<typeof keysOf>

/** What becomes of an entry that was attempted: it is done, or waits. */
export interface Settled {
  readonly entry: Entry
  readonly later?: Held | undefined
}

/** A delivery that waits, as it is to come back. */
export interface Held {
  readonly delayMillis: number
  readonly delivery: Delivery
}

/** Most waiting deliveries that are moved at once. */
const promoteMax = 500

/**
 * Moves deliveries that are due from `later` to `again`, on Redis' own clock; where order does not matter any more
 * (ARGV[2]), also those that stood behind others. `ARGV[3]`: whether all are due. Answers how many, and when the next
 * is due (milliseconds), or -1.
 */
const promoteScript = new Script(`
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[4]) == 1 then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do
    local id = string.match(member, '|([^|]*)$')
    local held = redis.call('HGET', KEYS[2], id)
    if held then redis.call('XADD', KEYS[3], '*', 'd', held) end
    redis.call('HDEL', KEYS[2], id)
  end
  redis.call('UNLINK', KEYS[4], KEYS[5])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] == '1' and '+inf' or now, 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do
  local held = redis.call('HGET', KEYS[2], id)
  if held then redis.call('XADD', KEYS[3], '*', 'd', held) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { #ids, next[2] and math.max(next[2] - now, 0) or -1 }`)

/**
 * Puts deliveries aside, each due in so many milliseconds by Redis' own clock. ARGV[1]: whether nothing else of their
 * objects may go out before them.
 */
const holdScript = new Script(`
${goOut}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV, 3 do
  if ARGV[1] == '0' or goOut(KEYS[3], KEYS[4], KEYS[2], ARGV[i + 2]) then
    redis.call('HSET', KEYS[2], ARGV[i + 1], ARGV[i + 2])
    redis.call('ZADD', KEYS[1], now + ARGV[i], ARGV[i + 1])
  end
end`)

/**
 * Ends entries: acknowledges and deletes each, and puts aside what waits, due by Redis' own clock. One that is done
 * lets the next of its object go. Nothing happens to an entry that another consumer has taken over. Of one that Redis
 * has lost there may be a copy, made from the log: one that waits is done too, unless somebody asked for it by hand;
 * one that is out ends by itself. ARGV: the group, the consumer, then per entry its stream (1 again, 2 queue), its id,
 * its object where order matters, and the delay (milliseconds, -1 for none) with the delivery's id and content, whether
 * the consumer's lease holds, and its place where it may have been parked.
 */
const settleScript = new Script(`
${owns}
${goOut}
${release}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function cancel(id)
  if not redis.call('ZSCORE', KEYS[3], id) then return false end
  local copy = redis.call('HGET', KEYS[4], id)
  if copy and headOf(copy).spent == 0 then return false end
  redis.call('ZREM', KEYS[3], id)
  redis.call('HDEL', KEYS[4], id)
  return true
end
local function wait(object, id, delay, content)
  if object ~= '' then
    local out = redis.call('HGET', KEYS[5], object)
    if out and out ~= id then return end
    redis.call('HSET', KEYS[5], object, id)
  end
  redis.call('HSET', KEYS[4], id, content)
  redis.call('ZADD', KEYS[3], now + delay, id)
end
local ended = { {}, {} }
for i = 3, #ARGV, 8 do
  local at = tonumber(ARGV[i])
  local stream = KEYS[at]
  local object, delay, id = ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 4]
  local owned = owns(stream, ARGV[1], ARGV[2], ARGV[i + 1], ARGV[i + 6] == '1')
  if owned then
    if delay >= 0 then
      wait(object, id, delay, ARGV[i + 5])
    elseif (cancel(id) or owned ~= 'lost') and object ~= '' then
      release(KEYS[5], KEYS[6], KEYS[4], KEYS[1], object, id)
    end
    if ARGV[i + 7] ~= '' then redis.call('ZREM', KEYS[7], ARGV[i + 7]) end
    table.insert(ended[at], ARGV[i + 1])
  end
end
for at, ids in ipairs(ended) do
  if #ids > 0 then
    redis.call('XACK', KEYS[at], ARGV[1], unpack(ids))
    redis.call('XDEL', KEYS[at], unpack(ids))
  end
end`)

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
    isOurs(entry) ? 1 : 0,
    entry.stream === "again" ? placeOf(entry.delivery) : ""
  ])
  const { again, queue, later, held, blocked, parked, unattempted } = keys
  await settleScript.run(client, {
    keys: [again, queue, later, held, blocked, parked, unattempted],
    args: [group, consumer, ...parts]
  })
  if (settled.some(({ later }) => later !== undefined)) await mark(client, [webhook])
}

export const promote = async (client: Client, webhook: number, ordered: boolean, everything = false) => {
  const { later, held, again, blocked, parked } = keysOf(webhook)
  const call = { keys: [later, held, again, blocked, parked], args: [promoteMax, ordered ? 1 : 0, everything ? 1 : 0] }
  const [moved, next] = (await promoteScript.run(client, call)) as [number, number]
  return { moved, next: next < 0 ? undefined : next }
}

export const hold = async (
  client: Client,
  webhook: number,
  held: ReadonlyArray<Held>,
  first: boolean
): Promise<void> => {
  const { later, held: contents, blocked, parked } = keysOf(webhook)
  const parts = held.flatMap(({ delayMillis, delivery }) => [Math.round(delayMillis), delivery.id, pack(delivery)])
  await holdScript.run(client, {
    keys: [later, contents, blocked, parked],
    args: [first ? 1 : 0, ...parts]
  })
  await mark(client, [webhook])
}

/** Moves all that waits, and all that stands behind something, to `again`. */
export const gather = async (client: Client, webhook: number): Promise<void> => {
  while ((await promote(client, webhook, false, true)).moved > 0);
}

/**
 * KEYS: later, held, blocked, parked, again, unattempted. ARGV: the group, then per delivery its id, its object, and
 * where its time has come its entry and its place, else ''.
 */
const dropScript = new Script(`
${release}
local function isOut(entry)
  local pending = redis.pcall('XPENDING', KEYS[5], ARGV[1], entry, entry, 1)
  return not pending.err and #pending > 0
end
local function unpark(object, id)
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[4], '[' .. object .. '|', '(' .. object .. '}')) do
    if string.match(member, '|([^|]*)$') == id then
      redis.call('ZREM', KEYS[4], member)
      redis.call('ZREM', KEYS[6], string.sub(member, #object + 2))
      redis.call('HDEL', KEYS[2], id)
    end
  end
end
for i = 2, #ARGV, 4 do
  local id, object, entry = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local isDropped
  if entry == '' then
    isDropped = redis.call('ZREM', KEYS[1], id) == 1
    if isDropped then redis.call('HDEL', KEYS[2], id) else unpark(object, id) end
  else
    isDropped = not isOut(entry) and redis.call('XDEL', KEYS[5], entry) == 1
    if isDropped then redis.call('ZREM', KEYS[6], ARGV[i + 3]) end
  end
  if isDropped then release(KEYS[3], KEYS[4], KEYS[2], KEYS[5], object, id) end
end`)

/** Entries of `again` looked at together. */
const droppedPage = 500

export const drop = async (client: Client, keys: Keys, waiting: ReadonlyArray<Out>): Promise<void> => {
  const { later, held, blocked, parked, again, unattempted } = keys
  const run = (args: ReadonlyArray<string>) =>
    dropScript.run(client, { keys: [later, held, blocked, parked, again, unattempted], args: [group, ...args] })
  await run(waiting.flatMap(({ id, object }) => [id, object, "", ""]))
  // Then those whose time has come meanwhile.
  const dropped = new Map(waiting.map((each) => [each.id, each]))
  let after = "-"
  while (true) {
    const page = entriesOf("again", await client.xrange(again, after, "+", "COUNT", droppedPage), false)
    if (page.length === 0) return
    after = `(${page.at(-1)!.entryId}`
    const found = page.filter(({ delivery }) => dropped.has(delivery.id))
    if (found.length === 0) continue
    await run(
      found.flatMap(({ entryId, delivery }) => [
        delivery.id,
        dropped.get(delivery.id)!.object,
        entryId,
        placeOf(delivery)
      ])
    )
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
