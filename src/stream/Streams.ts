/** The other end: reading a webhook's deliveries, keeping hold of them, and being done with them. */
import { Context, Effect, Layer, type Scope } from "effect"
import { type Client, Redis, type RedisError, command } from "../Redis.ts"
import { type Depth, depth } from "./Depth.ts"
import { comparePositions, parsePosition } from "../event/Position.ts"
import { type Entry, type Delayed, type Settled, entriesOf } from "./Entry.ts"
import { keysOf, wakeChannel } from "./Keys.ts"
import { type ObjectDelivery, blockersOf, idOfPlace, unblock } from "./Ordered.ts"
import { reserve } from "./RateSlots.ts"
import {
  type BreakerNews,
  beginProbe,
  breakerOf,
  channelOf,
  closeBreaker,
  endProbe,
  openBreaker,
  probeNow,
  readNews
} from "./Breaker.ts"
import { Reader } from "./Reader.ts"
import { RedisScript } from "../RedisScript.ts"
import { type Inspection, type Marked, claimMarked, inspect, mark, reschedule } from "./Sweep.ts"
import { delay, drop, gather, promote, remove, settle } from "./Waiting.ts"

/** Pause between two questions to a connection that only subscribes, milliseconds. */
const beatMillis = 5000

/** Idle time of an entry that was handed back: longer than any lease. */
const handedBackMillis = 86_400_000

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Takes up to `count` entries of the webhook, and as many more whose time has come again, which are the first.
     * `ordered`: up to `count`, and of an object only the oldest that is not done.
     */
    readonly read: (
      webhook: number,
      count: number,
      ordered?: boolean
    ) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Takes over entries whose holder is gone. */
    readonly reclaim: (webhook: number, ordered?: boolean) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Takes entries that nobody holds though the group has read past them. */
    readonly claimStranded: (webhook: number, ordered?: boolean) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Lets others take these entries at once. */
    readonly handBack: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<void, RedisError>
    /**
     * Takes the next `count` of the places that `rate` gives to the webhook per second, in all processes together.
     * Answers in how many milliseconds the first one is; the others follow at the rate.
     */
    readonly reserve: (webhook: number, count: number, rate: number) => Effect.Effect<number, RedisError>
    /** Says that these entries are still being worked on; answers those that are another's by now, or gone. */
    readonly keep: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Whether nobody can have taken the entry over: it was read or kept within the lease. */
    readonly isOurs: (entry: Entry) => boolean
    /** Acknowledges and deletes entries, and puts aside those that wait: each as one step. Not those of others. */
    readonly settle: (webhook: number, entries: ReadonlyArray<Settled>) => Effect.Effect<void, RedisError>
    /** Moves what is due; answers how many, and in how many milliseconds the next is due, if any waits. */
    readonly promote: (
      webhook: number,
      ordered?: boolean
    ) => Effect.Effect<{ readonly moved: number; readonly next: number | undefined }, RedisError>
    /**
     * Puts deliveries among those that wait; one that waits already is replaced. `first`: nothing else of their objects
     * goes out before they are done.
     */
    readonly delay: (
      webhook: number,
      deliveries: ReadonlyArray<Delayed>,
      first?: boolean
    ) => Effect.Effect<void, RedisError>
    /**
     * Takes out deliveries that wait, that stand behind others of their objects, or whose time has come and that nobody
     * holds; others of their objects may go then.
     */
    readonly drop: (webhook: number, waiting: ReadonlyArray<ObjectDelivery>) => Effect.Effect<void, RedisError>
    /** Deliveries that others of their objects wait for, wherever they are. */
    readonly blockers: (webhook: number) => Effect.Effect<ReadonlyArray<ObjectDelivery>, RedisError>
    /** Says that these are done; others of their objects may go then. */
    readonly unblock: (webhook: number, done: ReadonlyArray<ObjectDelivery>) => Effect.Effect<void, RedisError>
    /** Puts all that waits among what may be read. */
    readonly gather: (webhook: number) => Effect.Effect<void, RedisError>
    /** Entries of a stream as they stand, from `after` on (an id, `(` and an id, or `-`), nobody's or somebody's. */
    readonly browse: (
      webhook: number,
      stream: Entry["stream"],
      after: string,
      count: number
    ) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Deletes entries, whoever holds them. */
    readonly remove: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<void, RedisError>
    /** By webhook, the id of the first entry that the WAL brought and that is not done. */
    readonly heads: (
      webhooks: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, string | undefined>, RedisError>
    readonly depth: (webhook: number) => Effect.Effect<Depth, RedisError>
    /** For the one process that looks after all webhooks: those that are to be looked at now. */
    readonly sweep: Effect.Effect<ReadonlyArray<Marked>, RedisError>
    /** What each of these webhooks has; of a few only at once, as Redis does nothing else meanwhile. */
    readonly inspect: (webhooks: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Inspection>, RedisError>
    /** Ends the look at these webhooks. */
    readonly reschedule: (
      inspected: ReadonlyArray<Marked & { readonly inspection: Inspection }>
    ) => Effect.Effect<void, RedisError>
    /** Has webhooks looked at soon. */
    readonly mark: (webhooks: ReadonlyArray<number>) => Effect.Effect<void, RedisError>
    /** Tells all processes that the webhook has something to read. */
    readonly announce: (webhook: number) => Effect.Effect<void, RedisError>
    /** Forgets everything of a webhook. */
    readonly forget: (webhook: number) => Effect.Effect<void, RedisError>
    /** Calls back with the webhook for which something was queued, and with 0 when that may have been missed. */
    readonly onWake: (
      listener: (webhook: number) => void,
      onBreaker?: (news: BreakerNews) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /** Remembers that a webhook's circuit breaker is open, and tells all processes. */
    readonly openBreaker: (news: BreakerNews) => Effect.Effect<void, RedisError>
    readonly closeBreaker: (webhook: number) => Effect.Effect<void, RedisError>
    /** How a webhook's circuit breaker was left. */
    readonly breakerOf: (webhook: number) => Effect.Effect<BreakerNews, RedisError>
    /** Asks to be the one that probes, for so many milliseconds. Answers 0, or in how many to ask again. */
    readonly beginProbe: (webhook: number, millis: number) => Effect.Effect<number, RedisError>
    /** Lets another probe at once: we have nothing to probe with. */
    readonly endProbe: (webhook: number) => Effect.Effect<void, RedisError>
    /** Lets a breaker that is open be probed at once. */
    readonly probeNow: (webhook: number) => Effect.Effect<void, RedisError>
  }
>()("rackwire/stream/Streams") {
  static readonly layer = (consumer: string) =>
    Layer.effect(
      Streams,
      Effect.map(Redis, ({ client, connect }) => {
        const reader = new Reader(client, consumer)
        return Streams.of({
          read: (webhook, count, ordered = false) => command(() => reader.read(webhook, count, ordered)),
          reclaim: (webhook, ordered = false) => command(() => reader.reclaim(webhook, ordered)),
          claimStranded: (webhook, ordered = false) => command(() => reader.claimStranded(webhook, ordered)),
          handBack: (webhook, entries) => Effect.asVoid(command(() => reader.keep(webhook, entries, handedBackMillis))),
          isOurs: (entry) => reader.isOurs(entry),
          reserve: (webhook, count, rate) => command(() => reserve(client, keysOf(webhook).pace, count, rate)),
          keep: (webhook, entries) => command(() => reader.keep(webhook, entries)),
          settle: (webhook, entries) =>
            command(() => settle(client, consumer, webhook, entries, (entry) => reader.isOurs(entry))),
          promote: (webhook, ordered = false) => command(() => promote(client, webhook, ordered)),
          delay: (webhook, deliveries, first = false) => command(() => delay(client, webhook, deliveries, first)),
          drop: (webhook, waiting) => command(() => drop(client, keysOf(webhook), waiting)),
          blockers: (webhook) => command(() => blockersOf(client, keysOf(webhook))),
          unblock: (webhook, done) => command(() => unblock(client, keysOf(webhook), done)),
          gather: (webhook) => command(() => gather(client, webhook)),
          browse: (webhook, stream, after, count) =>
            command(async () =>
              entriesOf(stream, await client.xrange(keysOf(webhook)[stream], after, "+", "COUNT", count), false)
            ),
          remove: (webhook, entries) => command(() => remove(client, keysOf(webhook), entries)),
          heads: (webhooks) => command(() => heads(client, webhooks)),
          depth: (webhook) => command(() => depth(client, keysOf(webhook))),
          sweep: command(() => claimMarked(client, consumer)),
          inspect: (webhooks) => command(() => inspect(client, webhooks)),
          reschedule: (inspected) => command(() => reschedule(client, inspected)),
          mark: (webhooks) => command(() => mark(client, webhooks)),
          announce: (webhook) => command(async () => void (await client.publish(wakeChannel, `${webhook}`))),
          forget: (webhook) => command(async () => void (await client.unlink(...Object.values(keysOf(webhook))))),
          onWake: (listener, onBreaker = () => {}) =>
            Effect.map(connect, (subscriber) => {
              subscriber.on("message", (channel, told) => {
                if (channel === wakeChannel) listener(Number(told))
                else onBreaker(readNews(told))
              })
              subscriber.on("ready", () => listener(0))
              subscriber.subscribe(wakeChannel, channelOf(subscriber)).catch(() => {})
              // One that owes no reply is never found dead.
              const beat = setInterval(() => void subscriber.ping().catch(() => {}), beatMillis)
              subscriber.once("end", () => clearInterval(beat))
            }),
          openBreaker: (news) => command(() => openBreaker(client, news)),
          closeBreaker: (webhook) => command(() => closeBreaker(client, webhook)),
          breakerOf: (webhook) => command(() => breakerOf(client, webhook)),
          beginProbe: (webhook, millis) => command(() => beginProbe(client, consumer, webhook, millis)),
          endProbe: (webhook) => command(() => endProbe(client, consumer, webhook)),
          probeNow: (webhook) => command(() => probeNow(client, webhook))
        })
      })
    )
}

const headScript = new RedisScript<readonly [first: string, place: string]>(
  new URL("scripts/head.lua", import.meta.url)
)

const heads = async (
  client: Client,
  webhooks: ReadonlyArray<number>
): Promise<ReadonlyMap<number, string | undefined>> => {
  const calls = webhooks.map((webhook) => ({ keys: [keysOf(webhook).queue, keysOf(webhook).unattempted], args: [] }))
  const replies = await headScript.runAll(client, calls)
  return new Map(webhooks.map((webhook, at) => [webhook, leastOf(...replies[at]!)]))
}

const leastOf = (first: string, place: string): string | undefined => {
  const ids = [...(first === "" ? [] : [first]), ...(place === "" ? [] : [idOfPlace(place)])]
  return ids.toSorted((one, other) => comparePositions(parsePosition(one), parsePosition(other)))[0]
}
