/**
 * Which webhooks have to be looked at, and when: those that have something in Redis, and no others.
 *
 * Whoever queues something marks the webhook. One process at a time, the sweeper, looks at what is marked: it finds
 * what was announced to nobody, what fell due while nobody waited for it, and entries whose holders died. So a process
 * with nothing to do asks one question every few seconds, however many webhooks there are.
 */
import { chunksOf } from "effect/Array"
import type { Client } from "../Redis.ts"
import type { Depth } from "./Depth.ts"
import { group, keysOf, sweepKeys } from "./Keys.ts"
import { Script } from "../RedisScript.ts"

/**
 * Time after which another process may become the sweeper, milliseconds; also until a look that came to no end is
 * repeated.
 */
const leaseMillis = 15_000

/** Most webhooks in one sweep. */
const lookMax = 1000

/** Pause between two looks at a webhook that has something to read or to end, milliseconds. */
const busyMillis = 5000

/** Longest time without a look at a webhook that only waits, milliseconds. */
const idleMillis = 300_000

/** A mark that was taken to be looked at, with the time that it has meanwhile. */
export interface Marked {
  readonly webhook: number
  readonly mark: string
}

/** Time after which a consumer that holds nothing is taken for one whose process is gone, milliseconds. */
const forgottenMillis = 3_600_000

/** What was found. */
export interface Look extends Depth {
  /** Until the first of those that wait is due, milliseconds; undefined when none waits. */
  readonly dueMillis: number | undefined
  /** Whether there are entries that nobody holds and nobody is going to read. */
  readonly stranded: boolean
}

const takeScript = new Script(`
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return {} end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])
local mark = string.format('%.0f', now + ARGV[2])
local out = {}
for at, webhook in ipairs(due) do
  redis.call('ZADD', KEYS[1], mark, webhook)
  out[at] = { webhook, mark }
end
return out`)

/** The webhooks that are to be looked at now, for the sweeper; none for other processes. */
export const take = async (client: Client, consumer: string): Promise<ReadonlyArray<Marked>> => {
  const call = { keys: [sweepKeys.marks, sweepKeys.sweeper], args: [consumer, leaseMillis, lookMax] }
  const found = (await takeScript.run(client, call)) as ReadonlyArray<readonly [webhook: string, mark: string]>
  return found.map(([webhook, mark]) => ({ webhook: Number(webhook), mark }))
}

/**
 * Every process is a consumer of its own: those that are gone for long are forgotten, or they would pile up for ever.
 */
const lookScript = new Script(`
local function field(info, name)
  for i = 1, #info, 2 do
    if info[i] == name then return info[i + 1] end
  end
end
local pending, stranded = 0, 0
for stream = 1, 2 do
  local summary = redis.pcall('XPENDING', KEYS[stream], ARGV[1])
  if not summary.err then
    pending = pending + summary[1]
    local last = field(redis.call('XINFO', 'STREAM', KEYS[stream]), 'last-generated-id')
    local read = field(redis.call('XINFO', 'GROUPS', KEYS[stream])[1], 'last-delivered-id')
    if read == last and redis.call('XLEN', KEYS[stream]) > summary[1] then stranded = 1 end
    for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[stream], ARGV[1])) do
      if field(info, 'pending') == 0 and field(info, 'idle') > tonumber(ARGV[2]) then
        redis.call('XGROUP', 'DELCONSUMER', KEYS[stream], ARGV[1], field(info, 'name'))
      end
    end
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
return {
  redis.call('XLEN', KEYS[1]) + redis.call('XLEN', KEYS[2]) + redis.call('ZCARD', KEYS[4]) - pending,
  pending,
  redis.call('ZCARD', KEYS[3]),
  next[2] and math.max(next[2] - now, 0) or -1,
  stranded
}`)

export const look = async (
  client: Client,
  webhooks: ReadonlyArray<number>,
  forgotten = forgottenMillis
): Promise<ReadonlyArray<Look>> => {
  const calls = webhooks.map((webhook) => {
    const { again, queue, later, parked } = keysOf(webhook)
    return { keys: [again, queue, later, parked], args: [group, forgotten] }
  })
  const replies = (await lookScript.runAll(client, calls)) as ReadonlyArray<[number, number, number, number, number]>
  return replies.map(([queued, pending, waiting, due, stranded]) => ({
    ...{ queued, pending, waiting },
    dueMillis: due < 0 ? undefined : due,
    stranded: stranded === 1
  }))
}

const leaveScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #ARGV, 3 do
  local mark = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if mark and tonumber(mark) == tonumber(ARGV[i + 1]) then
    if tonumber(ARGV[i + 2]) < 0 then
      redis.call('ZREM', KEYS[1], ARGV[i])
    else
      redis.call('ZADD', KEYS[1], now + ARGV[i + 2], ARGV[i])
    end
  end
end`)

/** Says when each webhook is to be looked at again; one that was marked anew meanwhile is left as it is. */
export const leave = async (client: Client, looks: ReadonlyArray<Marked & { readonly look: Look }>): Promise<void> => {
  if (looks.length === 0) return
  const args = looks.flatMap(({ webhook, mark, look }) => [webhook, mark, pauseAfter(look)])
  await leaveScript.run(client, { keys: [sweepKeys.marks], args })
}

const pauseAfter = ({ queued, pending, dueMillis }: Look): number => {
  if (queued + pending > 0) return busyMillis
  return dueMillis === undefined ? -1 : Math.min(dueMillis + busyMillis, idleMillis)
}

/** Marks in one command. */
const marksMax = 1000

/** Has webhooks looked at. */
export const mark = async (client: Client, webhooks: ReadonlyArray<number>): Promise<void> => {
  for (const some of chunksOf(webhooks, marksMax)) {
    await client.zadd(sweepKeys.marks, ...some.flatMap((webhook) => [0, `${webhook}`]))
  }
}
