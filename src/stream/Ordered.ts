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
import { Script } from "../RedisScript.ts"

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

/**
 * Lua: names the delivery as the one of its object that is out; where another one is, parks it behind that, and notes
 * that it left the queue without an attempt.
 */
export const goOut = `
local function headOf(content) return cjson.decode(string.match(content, '^[^\\n]*')) end
local function goOut(blocked, parked, held, content, unattempted)
  local head = headOf(content)
  local object = head.objectType .. ' ' .. string.format('%.0f', head.objectId)
  local owner = redis.call('HGET', blocked, object)
  if not owner or owner == head.id then
    redis.call('HSET', blocked, object, head.id)
    return true
  end
  local position = string.rep('0', 20 - #head.position) .. head.position
  local place = position .. string.format('-%010.0f', head.idx) .. '|' .. head.id
  redis.call('ZADD', parked, 0, object .. '|' .. place)
  if unattempted then redis.call('ZADD', unattempted, 0, place) end
  redis.call('HSET', held, head.id, content)
  return false
end`

/**
 * KEYS: again, queue, blocked, parked, held, unattempted. ARGV: group, consumer, count. Answers entries, and how many
 * it looked at.
 */
const script = new Script(`
${goOut}
local wanted, scanned, out = tonumber(ARGV[3]), 0, {}
local function take(stream, entryId, content)
  if goOut(KEYS[3], KEYS[4], KEYS[5], content, stream == 2 and KEYS[6]) then
    out[#out + 1] = { stream, entryId, content }
    return
  end
  redis.call('XACK', KEYS[stream], ARGV[1], entryId)
  redis.call('XDEL', KEYS[stream], entryId)
end
for stream = 1, 2 do
  local more = true
  while more and #out < wanted and scanned < ${scannedMax} do
    local reply = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', wanted - #out, 'STREAMS', KEYS[stream], '>')
    more = reply and #reply > 0
    for _, entry in ipairs(more and reply[1][2] or {}) do
      scanned = scanned + 1
      take(stream, entry[1], entry[2][2])
    end
  end
end
return { out, scanned }`)

export const readOrdered = async (
  client: Client,
  keys: ReturnType<typeof keysOf>,
  consumer: string,
  count: number
): Promise<ReadonlyArray<OrderedEntry>> => {
  const found: Array<OrderedEntry> = []
  while (true) {
    const [out, scanned] = (await script.run(client, {
      keys: [keys.again, keys.queue, keys.blocked, keys.parked, keys.held, keys.unattempted],
      args: [group, consumer, count - found.length]
    })) as readonly [ReadonlyArray<OrderedEntry>, number]
    found.push(...out)
    if (scanned < scannedMax || found.length >= count) return found
  }
}

/** Lua: a delivery is done, and the next of its object goes among those whose time has come. */
export const release = `
local function release(blocked, parked, held, again, object, id)
  if redis.call('HGET', blocked, object) ~= id then return end
  -- '|' ends the object in a member, and '}' is the character after it.
  local next = redis.call('ZRANGEBYLEX', parked, '[' .. object .. '|', '(' .. object .. '}', 'LIMIT', 0, 1)[1]
  if not next then
    redis.call('HDEL', blocked, object)
    return
  end
  local nextId = string.match(next, '|([^|]*)$')
  local content = redis.call('HGET', held, nextId)
  redis.call('ZREM', parked, next)
  redis.call('HDEL', held, nextId)
  redis.call('HSET', blocked, object, nextId)
  if content then redis.call('XADD', again, '*', 'd', content) end
end`

/** KEYS: blocked, parked, held, again. ARGV: objects, each with the id of its delivery. */
const releaseScript = new Script(`
${release}
for i = 1, #ARGV, 2 do release(KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[i], ARGV[i + 1]) end`)

/** An object, and the delivery that others of it wait for. */
export interface Out {
  readonly object: string
  readonly id: string
}

export const outOf = async (client: Client, { blocked }: ReturnType<typeof keysOf>): Promise<ReadonlyArray<Out>> =>
  Object.entries(await client.hgetall(blocked)).map(([object, id]) => ({ object, id }))

export const letGo = async (
  client: Client,
  { blocked, parked, held, again }: ReturnType<typeof keysOf>,
  done: ReadonlyArray<Out>
): Promise<void> => {
  const args = done.flatMap(({ object, id }) => [object, id])
  await releaseScript.run(client, { keys: [blocked, parked, held, again], args })
}
