/**
 * One consumer of the group: taking entries, keeping hold of them, and taking over those of consumers that are gone.
 */
import type { Client } from "../Redis.ts"
import { type Entry, type RawEntry, entriesOf, streams } from "./Entry.ts"
import { group, keysOf } from "./Keys.ts"
import { readOrdered } from "./Ordered.ts"
import { Script } from "../RedisScript.ts"

/** An entry whose holder has not been heard of for this long is given to another process, milliseconds. */
export const leaseMillis = 15_000

/** How long before its end a lease is not relied on any more, milliseconds. */
const marginMillis = 2000

/** Most pending entries looked at in one reclaiming call: Redis blocks meanwhile. */
const reclaimMax = 100

/**
 * Lua: whether the consumer may still end the entry: it holds it, or nobody does since the group was lost. What another
 * consumer holds is not ours any more. An entry that is gone was ended by another when our lease is over; within it
 * nobody can have done that, so Redis has lost it, and what we know of it is still true: then the answer is 'lost'.
 */
export const owns = `
local function owns(stream, group, consumer, id, withinLease)
  local pending = redis.pcall('XPENDING', stream, group, id, id, 1)
  if not pending.err and pending[1] then return pending[1][2] == consumer end
  return #redis.call('XRANGE', stream, id, id) > 0 or withinLease and 'lost'
end`

/** Sets for how long entries were not heard of, where they are the consumer's; answers the ids of the others. */
const keepScript = new Script(`
${owns}
local lost = {}
for i = 4, #ARGV do
  if owns(KEYS[1], ARGV[1], ARGV[2], ARGV[i], false) then
    redis.pcall('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'IDLE', ARGV[3], 'JUSTID')
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost`)

/**
 * Takes what nobody holds though the group has read past it. Redis 7 brings that about: a file that ends within a
 * transaction is cut behind the last whole command, and what is left of the transaction takes place at the next start.
 */
const strandedScript = new Script(`
redis.call('XPENDING', KEYS[1], ARGV[1])
local read
local info = redis.call('XINFO', 'GROUPS', KEYS[1])[1]
for i = 1, #info, 2 do
  if info[i] == 'last-delivered-id' then read = info[i + 1] end
end
local out = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', read, 'COUNT', ARGV[3])) do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], entry[1], entry[1], 1) == 0 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, entry[1], 'FORCE', 'JUSTID')
    out[#out + 1] = entry
  end
end
return out`)

/** One consumer of the group. */
export class Reader {
  private readonly client: Client
  private readonly consumer: string
  /** Where reclaiming goes on, by stream: from the start it would never get past a busy head. */
  private readonly cursors = new Map<string, string>()
  private readonly heldSince = new WeakMap<Entry, number>()

  constructor(client: Client, consumer: string) {
    this.client = client
    this.consumer = consumer
  }

  async read(webhook: number, count: number, ordered: boolean): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const now = performance.now()
    if (ordered) {
      const found = await this.inGroup(webhook, () => readOrdered(this.client, keys, this.consumer, count))
      const entries = found.flatMap(([stream, entryId, content]) =>
        entriesOf(streams[stream - 1]!, [[entryId, ["d", content]]], true)
      )
      return this.held(entries, now)
    }
    const reply = await this.inGroup(webhook, () =>
      this.client.call(
        ...["XREADGROUP", "GROUP", group, this.consumer, "COUNT", `${count}`],
        ...["STREAMS", keys.again, keys.queue, ">", ">"]
      )
    )
    const found = (reply ?? []) as ReadonlyArray<readonly [key: string, entries: ReadonlyArray<RawEntry>]>
    const entriesIn = ([key, raw]: (typeof found)[number]) =>
      entriesOf(key === keys.again ? "again" : "queue", raw, false)
    return this.held(found.flatMap(entriesIn), now)
  }

  async reclaim(webhook: number, ordered: boolean): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const now = performance.now()
    const taken: Array<Entry> = []
    for (const stream of streams) {
      const key = keys[stream]
      const cursor = this.cursors.get(key) ?? "0-0"
      const [next, entries] = (await this.inGroup<unknown>(webhook, () =>
        this.client.xautoclaim(key, group, this.consumer, leaseMillis, cursor, "COUNT", reclaimMax)
      )) as readonly [string, ReadonlyArray<RawEntry>]
      if (next === "0-0") this.cursors.delete(key)
      else this.cursors.set(key, next)
      taken.push(...entriesOf(stream, entries, ordered))
    }
    return this.held(taken, now)
  }

  async takeStranded(webhook: number, ordered: boolean): Promise<ReadonlyArray<Entry>> {
    const now = performance.now()
    const call = (key: string) => ({ keys: [key], args: [group, this.consumer, reclaimMax] })
    const replies = await this.inGroup(webhook, () =>
      strandedScript.runAll(
        this.client,
        streams.map((stream) => call(keysOf(webhook)[stream]))
      )
    )
    const taken = streams.flatMap((stream, at) => entriesOf(stream, replies[at] as ReadonlyArray<RawEntry>, ordered))
    return this.held(taken, now)
  }

  isOurs(entry: Entry): boolean {
    return performance.now() - (this.heldSince.get(entry) ?? Number.NEGATIVE_INFINITY) < leaseMillis - marginMillis
  }

  /** Says how long we have not been heard of. */
  async keep(webhook: number, entries: ReadonlyArray<Entry>, idleMillis = 0): Promise<ReadonlyArray<Entry>> {
    const now = performance.now()
    const calls = streams.flatMap((stream) => {
      const ids = entries.filter((entry) => entry.stream === stream).map(({ entryId }) => entryId)
      return ids.length === 0
        ? []
        : [{ stream, call: { keys: [keysOf(webhook)[stream]], args: [group, this.consumer, idleMillis, ...ids] } }]
    })
    const replies = await keepScript.runAll(
      this.client,
      calls.map(({ call }) => call)
    )
    const lost = new Set(
      calls.flatMap(({ stream }, at) => (replies[at] as ReadonlyArray<string>).map((id) => `${stream} ${id}`))
    )
    const isLost = ({ stream, entryId }: Entry) => lost.has(`${stream} ${entryId}`)
    for (const entry of entries) if (!isLost(entry)) this.heldSince.set(entry, now - idleMillis)
    return entries.filter(isLost)
  }

  /** Notes that we hold these, from before they were asked for. */
  private held(entries: ReadonlyArray<Entry>, since: number): ReadonlyArray<Entry> {
    for (const entry of entries) this.heldSince.set(entry, since)
    return entries
  }

  /** A group that is not there (a new webhook, or Redis lost its data) is made, and reads from the start. */
  private async inGroup<A>(webhook: number, run: () => Promise<A>): Promise<A> {
    try {
      return await run()
    } catch (error) {
      if (!(error as Error).message.startsWith("NOGROUP")) throw error
      for (const stream of streams) {
        await this.client.xgroup("CREATE", keysOf(webhook)[stream], group, "0", "MKSTREAM").catch((error: Error) => {
          if (!error.message.startsWith("BUSYGROUP")) throw error
        })
      }
      return await run()
    }
  }
}
