/** The reading end of the streams: entries are read, leased, settled and delayed. */
import { Context, Effect, Layer, type Scope } from "effect"
import { Pace } from "../eventloop/Pace.ts"
import { type Client, Redis, type RedisError, command } from "../redis/Redis.ts"
import { type Depth, unread } from "./Depth.ts"
import type { Delivery } from "../event/Delivery.ts"
import { comparePositions, parsePosition } from "../event/Position.ts"
import { type Entry, type Delay, type Settlement, entriesOf } from "./Entry.ts"
import { channelsOf, keysOf } from "./Keys.ts"
import { type ObjectDelivery, blockersOf, idOfPlace, park, unblock } from "./Ordered.ts"
import { reserve } from "./RateSlots.ts"
import {
  type BreakerNews,
  beginProbe,
  breakerOf,
  closeBreaker,
  endProbe,
  openBreaker,
  probeNow,
  readNews
} from "./Breaker.ts"
import { type Places, type Sought, forgetPlaces, missing, release, unattempted } from "./Absent.ts"
import { Reader } from "./Reader.ts"
import { type WaitingDelivery, waitingPage } from "./WaitingPage.ts"
import { RedisScript } from "../redis/RedisScript.ts"
import { type SweepClaim, type Inspection, type SweptWebhook, claimMarked, inspect, mark, reschedule } from "./Sweep.ts"
import { delay, drop, gather, promote, remove, settle, urge } from "./Waiting.ts"

/** Idle time of an entry that is handed back: longer than any lease. */
const handedBackMillis = 86_400_000

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Reads up to `count` entries of each stream; `urgent` comes first, then `again`. `ordered`: reads up to `count` in
     * all, and of an object only the oldest that is not done. `isTogether`: with the entries that follow it, in their
     * order; all of them have to be attempted together.
     */
    readonly read: (
      webhook: number,
      count: number,
      ordered?: boolean,
      isTogether?: boolean
    ) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Reads up to `count` entries of `urgent` alone. */
    readonly readUrgent: (
      webhook: number,
      count: number,
      ordered: boolean
    ) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** How many entries no process has read. Too few where Redis has lost leased entries. */
    readonly unread: (webhook: number) => Effect.Effect<number, RedisError>
    /** Parks entries that this process leases and whose object another delivery blocks; returns the others. */
    readonly park: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Claims entries whose lease is over. */
    readonly reclaim: (webhook: number, ordered?: boolean) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Claims entries without a lease that the group has read past. */
    readonly claimStranded: (webhook: number, ordered?: boolean) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Ends the lease of these entries: other processes may claim them at once. */
    readonly handBack: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<void, RedisError>
    /**
     * Reserves the next `count` slots of the webhook's rate limit (attempts per second, over all processes). Returns in
     * how many milliseconds the first slot is; the others follow at the rate.
     */
    readonly reserve: (webhook: number, count: number, rate: number) => Effect.Effect<number, RedisError>
    /** Renews the lease of these entries; returns entries that another process has claimed or ended. */
    readonly keep: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Whether the lease of the entry is valid, so that no other process can have claimed it. */
    readonly isOurs: (entry: Entry) => boolean
    /** Acknowledges and deletes entries and delays deliveries, in one step; skips entries of other processes. */
    readonly settle: (webhook: number, entries: ReadonlyArray<Settlement>) => Effect.Effect<void, RedisError>
    /** Moves due deliveries to `again`; returns how many, and in how many milliseconds the next is due, if any. */
    readonly promote: (
      webhook: number,
      ordered?: boolean
    ) => Effect.Effect<{ readonly moved: number; readonly next: number | undefined }, RedisError>
    /**
     * Delays deliveries; one that is delayed already is replaced. `first`: nothing else of their objects is sent
     * before they are done.
     */
    readonly delay: (
      webhook: number,
      deliveries: ReadonlyArray<Delay>,
      first?: boolean
    ) => Effect.Effect<void, RedisError>
    /**
     * Queues deliveries in `urgent`, in place of where they wait. Returns deliveries that stay where they are, since a
     * process works on them or another delivery of their object comes first.
     */
    readonly urge: (
      webhook: number,
      deliveries: ReadonlyArray<Delivery>
    ) => Effect.Effect<ReadonlyArray<Delivery>, RedisError>
    /**
     * Removes deliveries that are delayed, parked, or due while no process works on them; this unblocks their objects.
     */
    readonly drop: (webhook: number, waiting: ReadonlyArray<ObjectDelivery>) => Effect.Effect<void, RedisError>
    /** The deliveries that block their objects, wherever they are. */
    readonly blockers: (webhook: number) => Effect.Effect<ReadonlyArray<ObjectDelivery>, RedisError>
    /** Ends deliveries that block their objects: the next of each object is unblocked. */
    readonly unblock: (webhook: number, done: ReadonlyArray<ObjectDelivery>) => Effect.Effect<void, RedisError>
    /** Moves all delayed and all parked deliveries to `again`. */
    readonly gather: (webhook: number) => Effect.Effect<void, RedisError>
    /** Entries of a stream, leased or not, from `after` on: an id, `(` and an id, or `-`. */
    readonly browse: (
      webhook: number,
      stream: Entry["stream"],
      after: string,
      count: number
    ) => Effect.Effect<ReadonlyArray<Entry>, RedisError>
    /** Deletes entries, also entries that other processes lease. */
    readonly remove: (webhook: number, entries: ReadonlyArray<Entry>) => Effect.Effect<void, RedisError>
    /** By webhook, the id of the first delivery whose first attempt has not ended, if any. */
    readonly heads: (
      webhooks: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, string | undefined>, RedisError>
    readonly depth: (webhook: number) => Effect.Effect<Depth, RedisError>
    /** Up to `count` deliveries that wait or are under way, behind a cursor ("" for the first page). */
    readonly waiting: (
      webhook: number,
      cursor: string,
      count: number
    ) => Effect.Effect<ReadonlyArray<WaitingDelivery>, RedisError>
    /** Whether this process is the sweeper, and the webhooks whose inspection is due. */
    readonly sweep: Effect.Effect<SweepClaim, RedisError>
    /** Counts the entries of each of these webhooks in Redis. Pass a few only: Redis does nothing else meanwhile. */
    readonly inspect: (webhooks: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Inspection>, RedisError>
    /** Sets the next inspection of these webhooks. */
    readonly reschedule: (
      inspected: ReadonlyArray<SweptWebhook & { readonly inspection: Inspection }>
    ) => Effect.Effect<void, RedisError>
    /** Makes the inspection of webhooks due. */
    readonly mark: (webhooks: ReadonlyArray<number>) => Effect.Effect<void, RedisError>
    /** Publishes to all processes that the webhook has something to read. */
    readonly announce: (webhook: number) => Effect.Effect<void, RedisError>
    /**
     * The sought deliveries that are nowhere in Redis; undefined if too many are due to compare with. One that moves
     * meanwhile may be among them: query again.
     */
    readonly missing: (
      webhook: number,
      sought: ReadonlyArray<Sought>
    ) => Effect.Effect<ReadonlyArray<Sought> | undefined, RedisError>
    /** A page of the places of deliveries that were parked without an attempt, from after a place on ("" for the first). */
    readonly unattempted: (webhook: number, after: string) => Effect.Effect<Places, RedisError>
    /** Forgets places of deliveries that were attempted. */
    readonly forgetPlaces: (webhook: number, places: ReadonlyArray<string>) => Effect.Effect<void, RedisError>
    /** Releases parked deliveries whose object nothing blocks; returns how many. */
    readonly release: (webhook: number) => Effect.Effect<number, RedisError>
    /** Deletes everything of a webhook. */
    readonly forget: (webhook: number) => Effect.Effect<void, RedisError>
    /** Calls back with each webhook that is published, and with 0 when publications may have been missed. */
    readonly onWake: (
      listener: (webhook: number) => void,
      onBreaker?: (news: BreakerNews) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /** Opens a webhook's circuit breaker and publishes it to all processes. */
    readonly openBreaker: (news: BreakerNews) => Effect.Effect<void, RedisError>
    readonly closeBreaker: (webhook: number) => Effect.Effect<void, RedisError>
    /** The state of a webhook's circuit breaker in Redis. */
    readonly breakerOf: (webhook: number) => Effect.Effect<BreakerNews, RedisError>
    /** Returns 0 if this process may probe, for so many milliseconds; else in how many to try again. */
    readonly beginProbe: (webhook: number, millis: number) => Effect.Effect<number, RedisError>
    /** Lets another process probe at once: this one has no entry to probe with. */
    readonly endProbe: (webhook: number) => Effect.Effect<void, RedisError>
    /** Lets an open breaker be probed at once, and publishes it to all processes. */
    readonly probeNow: (webhook: number) => Effect.Effect<void, RedisError>
  }
>()("rackwire/queue/Streams") {
  static readonly layer = (consumer: string) =>
    Layer.effect(
      Streams,
      Effect.map(Effect.all([Redis, Pace]), ([{ client, connect }, { stream: pace }]) => {
        const reader = new Reader(client, consumer, pace)
        return Streams.of({
          read: (webhook, count, ordered = false, isTogether = false) =>
            command(() => reader.read(webhook, count, { ordered, isTogether })),
          readUrgent: (webhook, count, ordered) =>
            command(() => reader.read(webhook, count, { ordered, from: ["urgent"] })),
          unread: (webhook) => command(() => unread(client, keysOf(webhook))),
          park: (webhook, entries) =>
            command(() => park(client, keysOf(webhook), consumer, entries, (entry) => reader.isOurs(entry))),
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
          urge: (webhook, deliveries) => command(() => urge(client, webhook, deliveries, pace.leaseMillis)),
          drop: (webhook, waiting) => command(() => drop(client, keysOf(webhook), waiting, pace.leaseMillis)),
          blockers: (webhook) => command(() => blockersOf(client, keysOf(webhook))),
          unblock: (webhook, done) => command(() => unblock(client, keysOf(webhook), done)),
          gather: (webhook) => command(() => gather(client, webhook)),
          browse: (webhook, stream, after, count) =>
            command(async () =>
              entriesOf(stream, await client.xrange(keysOf(webhook)[stream], after, "+", "COUNT", count), false)
            ),
          remove: (webhook, entries) => command(() => remove(client, keysOf(webhook), entries)),
          heads: (webhooks) => command(() => heads(client, webhooks)),
          depth: (webhook) =>
            command(async () => {
              const [inspection] = await inspect(client, [webhook], pace.leaseMillis)
              const { queued, pending, waiting } = inspection!
              return { queued, pending, waiting }
            }),
          waiting: (webhook, cursor, count) =>
            command(() => waitingPage(client, keysOf(webhook), cursor, count, pace.leaseMillis)),
          sweep: command(() => claimMarked(client, consumer, pace.sweeperMillis)),
          inspect: (webhooks) => command(() => inspect(client, webhooks, pace.leaseMillis)),
          missing: (webhook, sought) => command(() => missing(client, webhook, sought)),
          unattempted: (webhook, after) => command(() => unattempted(client, webhook, after)),
          forgetPlaces: (webhook, places) => command(() => forgetPlaces(client, webhook, places)),
          release: (webhook) => command(() => release(client, webhook)),
          reschedule: (inspected) => command(() => reschedule(client, inspected, pace)),
          mark: (webhooks) => command(() => mark(client, webhooks)),
          announce: (webhook) =>
            command(async () => void (await client.publish(channelsOf(client).wake, `${webhook}`))),
          forget: (webhook) => command(async () => void (await client.unlink(...Object.values(keysOf(webhook))))),
          onWake: (listener, onBreaker = () => {}) =>
            Effect.map(connect, (subscriber) => follow(subscriber, pace.pingMillis, listener, onBreaker)),
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

/** Subscribes to publications. The subscriber is not connected yet. */
const follow = (
  subscriber: Client,
  pingMillis: number,
  listener: (webhook: number) => void,
  onBreaker: (news: BreakerNews) => void
): void => {
  subscriber.on("message", (channel, message) => {
    const { wake, breaker } = channelsOf(subscriber)
    if (channel === wake) listener(Number(message))
    else if (channel === breaker) onBreaker(readNews(message))
  })
  const subscribe = () => {
    const { wake, breaker } = channelsOf(subscriber)
    subscriber.subscribe(wake, breaker).then(
      () => listener(0),
      () => {}
    )
  }
  // After each connection; if it fails, the connection is lost, and the next one follows. Messages
  // from before the subscription are not repeated, so the listener reads all.
  subscriber.on("ready", subscribe)
  subscriber.on("renamed", subscribe)
  subscriber.connect().catch(() => {})
  // Without a reply to wait for, a dead connection would never be noticed.
  const ping = setInterval(() => void subscriber.ping().catch(() => {}), pingMillis)
  subscriber.once("end", () => clearInterval(ping))
}

const headScript = new RedisScript<readonly [first: string, place: string]>(
  new URL("scripts/head.lua", import.meta.url)
)

const heads = async (
  client: Client,
  webhooks: ReadonlyArray<number>
): Promise<ReadonlyMap<number, string | undefined>> => {
  const replies = await headScript.runFor(client, webhooks, (webhook) => {
    const { queue, unattempted } = keysOf(webhook)
    return { keys: [queue, unattempted], args: [] }
  })
  return new Map(replies.map(([webhook, reply]) => [webhook, leastOf(...reply)]))
}

const leastOf = (first: string, place: string): string | undefined => {
  const ids = [...(first === "" ? [] : [first]), ...(place === "" ? [] : [idOfPlace(place)])]
  return ids.toSorted((one, other) => comparePositions(parsePosition(one), parsePosition(other)))[0]
}
