/** The other end: reading a webhook's deliveries, keeping hold of them, and being done with them. */
import { Context, Effect, Layer, type Scope } from "effect"
import { type Client, Redis, type RedisError, command } from "../Redis.ts"
import { type Delivery, pack, unpack } from "./Entry.ts"
import { group, keysOf, wakeChannel } from "./Keys.ts"
import { Script } from "./Script.ts"

/** Where an entry stands. */
export interface Entry {
  readonly stream: "queue" | "again"
  readonly entryId: string
  readonly delivery: Delivery
}

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

export interface Depth {
  readonly queued: number
  readonly pending: number
  readonly waiting: number
}

/** An entry whose holder has not been heard of for this long is given to another process, milliseconds. */
export const leaseMillis = 15_000

/** Most waiting deliveries that are moved at once. */
const promoteMax = 500

/** Most pending entries looked at in one reclaiming call: Redis blocks meanwhile. */
const reclaimMax = 100

/**
 * Moves deliveries that are due from `later` to `again`, on Redis' own clock.
 * Answers how many, and when the next is due (milliseconds), or -1.
 */
const promoteScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do
  local held = redis.call('HGET', KEYS[2], id)
  if held then redis.call('XADD', KEYS[3], '*', 'd', held) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { #ids, next[2] and math.max(next[2] - now, 0) or -1 }`)

/** Puts deliveries aside, each due in so many milliseconds by Redis' own clock. */
const holdScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[2], ARGV[i + 1], ARGV[i + 2])
  redis.call('ZADD', KEYS[1], now + ARGV[i], ARGV[i + 1])
end`)

/**
 * Ends entries: acknowledges and deletes each, and puts aside what waits, due by Redis' own clock.
 * ARGV: the group, then per entry its stream (1 again, 2 queue), its id, and the delay (milliseconds, -1 for none) with
 * the delivery's id and content.
 */
const settleScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV, 5 do
  local stream = KEYS[tonumber(ARGV[i])]
  if tonumber(ARGV[i + 2]) >= 0 then
    redis.call('HSET', KEYS[4], ARGV[i + 3], ARGV[i + 4])
    redis.call('ZADD', KEYS[3], now + ARGV[i + 2], ARGV[i + 3])
  end
  redis.call('XACK', stream, ARGV[1], ARGV[i + 1])
  redis.call('XDEL', stream, ARGV[i + 1])
end`)

export class Streams extends Context.Service<
  Streams,
  {
    /** Takes up to `count` entries of the webhook, those whose time has come again first. */
    readonly read: (webhook: number, count: number) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Takes over entries whose holder is gone. */
    readonly reclaim: (webhook: number) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Says that these entries are still being worked on. */
    readonly keep: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<void, RedisError>
    /** Acknowledges and deletes entries, and puts aside those that wait: each entry as one step. */
    readonly settle: (webhook: number, entries: ReadonlyArray<Settled>) => Effect.Effect<void, RedisError>
    /** Moves what is due; answers how many, and in how many milliseconds the next is due, if any waits. */
    readonly promote: (
      webhook: number
    ) => Effect.Effect<{ readonly moved: number; readonly next: number | undefined }, RedisError>
    /** Puts deliveries among those that wait; one that waits already is replaced. */
    readonly hold: (webhook: number, held: ReadonlyArray<Held>) => Effect.Effect<void, RedisError>
    /** The id of the first entry that the WAL brought and that is not done. */
    readonly head: (webhook: number) => Effect.Effect<string | undefined, RedisError>
    readonly depth: (webhook: number) => Effect.Effect<Depth, RedisError>
    /** Forgets everything of a webhook. */
    readonly forget: (webhook: number) => Effect.Effect<void, RedisError>
    /** Calls back with the webhook for which something was queued, and with 0 when that may have been missed. */
    readonly onWake: (listener: (webhook: number) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("rackwire/stream/Streams") {
  static readonly layer = (consumer: string) =>
    Layer.effect(
      Streams,
      Effect.map(Redis, ({ client, connect }) => {
        const reader = new Reader(client, consumer)
        return Streams.of({
          read: (webhook, count) => command(() => reader.read(webhook, count)),
          reclaim: (webhook) => command(() => reader.reclaim(webhook)),
          keep: (webhook, entries) => command(() => reader.keep(webhook, entries)),
          settle: (webhook, entries) => command(() => settle(client, webhook, entries)),
          promote: (webhook) => command(() => promote(client, webhook)),
          hold: (webhook, held) => command(() => hold(client, webhook, held)),
          head: (webhook) => command(() => head(client, webhook)),
          depth: (webhook) => command(() => depth(client, webhook)),
          forget: (webhook) => command(async () => void (await client.unlink(...Object.values(keysOf(webhook))))),
          onWake: (listener) =>
            Effect.map(connect, (subscriber) => {
              subscriber.on("message", (_, webhook) => listener(Number(webhook)))
              subscriber.on("ready", () => listener(0))
              subscriber.subscribe(wakeChannel).catch(() => {})
            })
        })
      })
    )
}

const streams = ["again", "queue"] as const

/** One consumer of the group. */
class Reader {
  private readonly client: Client
  private readonly consumer: string
  /** Where reclaiming goes on, by stream: from the start it would never get past a busy head. */
  private readonly cursors = new Map<string, string>()

  constructor(client: Client, consumer: string) {
    this.client = client
    this.consumer = consumer
  }

  async read(webhook: number, count: number): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const reply = await this.inGroup(webhook, () =>
      this.client.call(
        ...["XREADGROUP", "GROUP", group, this.consumer, "COUNT", `${count}`],
        ...["STREAMS", keys.again, keys.queue, ">", ">"]
      )
    )
    const found = (reply ?? []) as ReadonlyArray<readonly [key: string, entries: ReadonlyArray<RawEntry>]>
    return found.flatMap(([key, entries]) => entriesOf(key === keys.again ? "again" : "queue", entries))
  }

  async reclaim(webhook: number): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const taken: Array<Entry> = []
    for (const stream of streams) {
      const key = keys[stream]
      const cursor = this.cursors.get(key) ?? "0-0"
      const [next, entries] = (await this.inGroup(webhook, () =>
        this.client.xautoclaim(key, group, this.consumer, leaseMillis, cursor, "COUNT", reclaimMax)
      )) as readonly [string, ReadonlyArray<RawEntry>]
      if (next === "0-0") this.cursors.delete(key)
      else this.cursors.set(key, next)
      taken.push(...entriesOf(stream, entries))
    }
    return taken
  }

  async keep(webhook: number, entries: ReadonlyArray<Entry>): Promise<void> {
    for (const stream of streams) {
      const ids = entries.filter((entry) => entry.stream === stream).map(({ entryId }) => entryId)
      if (ids.length > 0) await this.client.xclaim(keysOf(webhook)[stream], group, this.consumer, 0, ...ids, "JUSTID")
    }
  }

  /** A group that is not there (a new webhook, or Redis lost its data) is made, and reads from the start. */
  private async inGroup(webhook: number, run: () => Promise<unknown>): Promise<unknown> {
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

type RawEntry = readonly [id: string, fields: ReadonlyArray<string>]

const entriesOf = (stream: Entry["stream"], raw: ReadonlyArray<RawEntry>): ReadonlyArray<Entry> =>
  raw.map(([entryId, fields]) => ({ stream, entryId, delivery: unpack(fields[1]!) }))

const settle = async (client: Client, webhook: number, settled: ReadonlyArray<Settled>): Promise<void> => {
  const keys = keysOf(webhook)
  const parts = settled.flatMap(({ entry, later }) => [
    streams.indexOf(entry.stream) + 1,
    entry.entryId,
    later === undefined ? -1 : Math.max(Math.round(later.delayMillis), 0),
    entry.delivery.id,
    later === undefined ? "" : pack(later.delivery)
  ])
  const { again, queue, later, held } = keys
  await settleScript.run(client, { keys: [again, queue, later, held], args: [group, ...parts] })
}

const promote = async (client: Client, webhook: number) => {
  const keys = keysOf(webhook)
  const call = { keys: [keys.later, keys.held, keys.again], args: [promoteMax] }
  const [moved, next] = (await promoteScript.run(client, call)) as [number, number]
  return { moved, next: next < 0 ? undefined : next }
}

const hold = async (client: Client, webhook: number, held: ReadonlyArray<Held>): Promise<void> => {
  const keys = keysOf(webhook)
  const args = held.flatMap(({ delayMillis, delivery }) => [Math.round(delayMillis), delivery.id, pack(delivery)])
  await holdScript.run(client, { keys: [keys.later, keys.held], args })
}

const head = async (client: Client, webhook: number): Promise<string | undefined> => {
  const [first] = await client.xrange(keysOf(webhook).queue, "-", "+", "COUNT", 1)
  return first?.[0]
}

const depth = async (client: Client, webhook: number): Promise<Depth> => {
  const keys = keysOf(webhook)
  const [queue, again, waiting] = await Promise.all([
    client.xlen(keys.queue),
    client.xlen(keys.again),
    client.zcard(keys.later)
  ])
  const pending = await Promise.all(streams.map((stream) => pendingCount(client, keys[stream])))
  const held = pending.reduce((sum, count) => sum + count, 0)
  return { queued: queue + again - held, pending: held, waiting }
}

const pendingCount = async (client: Client, key: string): Promise<number> => {
  try {
    return Number(((await client.xpending(key, group)) as ReadonlyArray<unknown>)[0])
  } catch {
    return 0
  }
}
