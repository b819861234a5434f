/**
 * queue: deliveries in Redis Streams.
 *
 * Responsible for: keeping each webhook's deliveries in order until they are done, delayed ones until they are due, and
 * giving each to one process at a time.
 *
 * Guarantees: an entry is queued once. Its id is its position in the WAL, and Redis refuses an id that is not above the
 * last one. A stream that lost entries is noticed before anything is added to it: the stream has the id of its last
 * entry, and the appending process has the least id that this can be. Redis refuses a process that no longer leads, by
 * the generation kept beside the stream. Entries are deleted only when they are acknowledged.
 *
 * Does not: trim, send, or interpret a delivery; wait until Redis has an entry on disk (reconcile/Reconcile.ts).
 */
import { Context, Effect, Layer, Schema } from "effect"
import { Pace } from "../eventloop/Pace.ts"
import { type Client, Redis, RedisError, command } from "../redis/Redis.ts"
import type { Delivery } from "../event/Delivery.ts"
import { formatPosition } from "../event/Position.ts"
import { pack } from "./Entry.ts"
import { channelsOf, keysOf, sweepKeys } from "./Keys.ts"
import { RedisScript } from "../redis/RedisScript.ts"
import { type Memory, MemoryBudget } from "./Memory.ts"
import { mark } from "./Sweep.ts"

/** Another process has taken the lead: this one must not append any more. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  /** Generation of the other process. */
  generation: Schema.Int,
  message: Schema.String
}) {}

/** The ids of the last entries (event/Position.ts), by webhook. */
export type Tops = ReadonlyMap<number, string>

interface AppendResult {
  /** Entries that were there already. */
  readonly duplicates: number
  /** Webhooks whose streams have lost entries; nothing was added to them. */
  readonly lost: ReadonlyArray<number>
  /** The ids of the last entries of all other streams. */
  readonly tops: Tops
}

/**
 * A part of the deliveries that are still owed to a webhook; parts are appended one after the other, in the order of
 * the WAL.
 */
interface OwedPart {
  readonly owed: ReadonlyArray<Delivery>
  /** The id of the last entry of the part before; "" for the first part. */
  readonly after: string
  /** With the last part the stream gets the last id that it had: until then it counts as lost. */
  readonly isLast: boolean
}

export class Append extends Context.Service<
  Append,
  {
    /** Begins to append as the leader of this generation. `tops`: the ids that are known to have been appended. */
    readonly open: (generation: number, tops: Tops) => Effect.Effect<AppendResult, RedisError | Fenced>
    /** Queues deliveries in the order of the WAL. */
    readonly append: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<AppendResult, RedisError | Fenced>
    /** The memory that Redis uses, or used when it answered last. */
    readonly memory: Effect.Effect<Memory>
    /** Checks whether the streams of these webhooks have lost entries. */
    readonly verify: (webhooks: Iterable<number>) => Effect.Effect<AppendResult, RedisError | Fenced>
    /** From now on nothing is appended to these webhooks, and their streams count as whole: they were deleted. */
    readonly forget: (webhooks: Iterable<number>) => Effect.Effect<void>
    /** Adds a part of the debt to a stream that lost entries; returns the id of its last entry. */
    readonly restore: (webhook: number, part: OwedPart) => Effect.Effect<string, RedisError | Fenced>
  }
>()("rackwire/queue/Append") {
  static readonly layer = Layer.effect(
    Append,
    Effect.map(
      Effect.flatMap(Redis, ({ connect, memoryBytesMax }) =>
        Effect.all([connect, Effect.succeed(memoryBytesMax), Pace])
      ),
      ([client, memoryBytesMax, { stream }]) => {
        const budget = new MemoryBudget(client, memoryBytesMax, stream.memoryKeptMillis)
        const appender = new Appender(client, budget)
        const run = <A>(act: () => Promise<A>) =>
          command(act).pipe(
            Effect.mapError((error) => {
              const [, generation] = /^FENCED by generation (\d+)/.exec(error.message) ?? []
              return generation === undefined
                ? error
                : new Fenced({ generation: Number(generation), message: error.message })
            })
          )
        return Append.of({
          open: (generation, tops) => run(() => appender.open(generation, tops)),
          append: (deliveries) => run(() => appender.append(deliveries)),
          // The status is shown also when Redis is away.
          memory: command(() => budget.current()).pipe(
            Effect.timeout("1 second"),
            Effect.catch(() => Effect.sync(() => budget.known))
          ),
          verify: (webhooks) => run(() => appender.verify(webhooks)),
          forget: (webhooks) => Effect.sync(() => appender.forget(webhooks)),
          restore: (webhook, part) => run(() => appender.restore(webhook, part))
        })
      }
    )
  )
}

const appendScript = new RedisScript<"lost" | readonly [added: number, top: string]>(
  new URL("scripts/append.lua", import.meta.url)
)

/** Most entries in one call of the script: Redis does nothing else meanwhile. */
const entriesMax = 500

/** Most characters of the entries of one call, and of all calls that are sent together. */
const partCharsMax = 1 << 20
const roundCharsMax = 8 << 20

class Appender {
  private generation = 0
  private readonly tops = new Map<number, string>()
  private readonly deleted = new Set<number>()
  private readonly client: Client
  private readonly budget: MemoryBudget

  constructor(client: Client, budget: MemoryBudget) {
    this.client = client
    this.budget = budget
  }

  open(generation: number, tops: Tops): Promise<AppendResult> {
    this.generation = generation
    this.tops.clear()
    this.deleted.clear()
    for (const [webhook, top] of tops) this.tops.set(webhook, top)
    return this.verify(tops.keys())
  }

  verify(webhooks: Iterable<number>): Promise<AppendResult> {
    return this.add(new Map(Array.from(webhooks, (webhook) => [webhook, []])))
  }

  /** A webhook with few deliveries does not wait for webhooks with many. */
  append(deliveries: ReadonlyArray<Delivery>): Promise<AppendResult> {
    const byWebhook = [...Map.groupBy(deliveries, ({ webhook }) => webhook)]
    return this.add(new Map(byWebhook.toSorted(([, a], [, b]) => a.length - b.length)))
  }

  forget(webhooks: Iterable<number>): void {
    for (const webhook of webhooks) {
      this.deleted.add(webhook)
      this.tops.delete(webhook)
    }
  }

  async restore(webhook: number, { owed, ...mode }: OwedPart): Promise<string> {
    const { lost, tops } = await this.add(new Map([[webhook, owed]]), mode)
    if (lost.length === 0) return tops.get(webhook) ?? ""
    throw new RedisError({
      reason: "Unavailable",
      message: `webhook ${webhook} lost entries again while its stream was refilled`
    })
  }

  private async add(
    byWebhook: ReadonlyMap<number, ReadonlyArray<Delivery>>,
    restoring?: Omit<OwedPart, "owed">
  ): Promise<AppendResult> {
    const parts = [...byWebhook].flatMap(([webhook, each]) => {
      if (this.deleted.has(webhook)) return []
      const top = this.tops.get(webhook) ?? ""
      let previous = restoring?.after ?? top
      return chunks(each).map((part, at, all) => {
        // If Redis refused the rest of the previous part, this one must not be added: that rest never could be then.
        const least = previous
        const last = part.at(-1)
        if (last !== undefined) previous = formatPosition(last)
        const afterwards = restoring?.isLast === true && at === all.length - 1 ? top : ""
        return { webhook, part, least, afterwards }
      })
    })
    const lost = new Set<number>()
    const tops = new Map<number, string>()
    let duplicates = 0
    for (const round of roundsOf(parts)) {
      const bytes = round.reduce((sum, { part }) => sum + sizeOf(part), 0)
      if (bytes > 0) await this.budget.spend(bytes)
      const replies = await appendScript.runFor(this.client, round, (part) => this.callOf(part))
      for (const [{ webhook, part }, reply] of replies) {
        if (reply === "lost") lost.add(webhook)
        if (reply === "lost" || lost.has(webhook)) continue
        const [added, top] = reply
        duplicates += part.length - added
        tops.set(webhook, top)
      }
    }
    for (const webhook of lost) tops.delete(webhook)
    // After the last round only: a stream that is half refilled counts as lost.
    if (restoring?.isLast !== false) for (const [webhook, top] of tops) this.tops.set(webhook, top)
    if (this.client.isCluster) {
      await this.announce(
        [...byWebhook].flatMap(([webhook, { length }]) => (length > 0 && tops.has(webhook) ? webhook : []))
      )
    }
    return { duplicates, lost: [...lost], tops }
  }

  private callOf({ webhook, part, least, afterwards }: Part) {
    const marks = this.client.isCluster ? [] : [sweepKeys.marks]
    return {
      keys: [keysOf(webhook).queue, keysOf(webhook).notes, ...marks],
      args: [
        ...[this.generation, webhook, least, afterwards, channelsOf(this.client).wake],
        ...part.flatMap((delivery) => [formatPosition(delivery), pack(delivery)])
      ]
    }
  }

  /** In a cluster: marks the webhooks and publishes them, which the script does elsewhere. */
  private async announce(webhooks: ReadonlyArray<number>): Promise<void> {
    if (webhooks.length === 0) return
    await mark(this.client, webhooks)
    const pipeline = this.client.pipeline()
    for (const webhook of webhooks) pipeline.publish(channelsOf(this.client).wake, `${webhook}`)
    await pipeline.exec()
  }
}

/** Entries of one webhook in one call of the script. */
interface Part {
  readonly webhook: number
  readonly part: ReadonlyArray<Delivery>
  readonly least: string
  readonly afterwards: string
}

/** Approximate characters of an entry without its body. */
const headChars = 300

const sizeOf = (part: ReadonlyArray<Delivery>): number =>
  part.reduce((sum, { body }) => sum + body.length + headChars, 0)

/** The parts of a list; an empty list has one empty part. */
const chunks = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<ReadonlyArray<Delivery>> =>
  split(deliveries, (delivery) => sizeOf([delivery]), partCharsMax, entriesMax)

/** The parts in rounds that are sent together: a round stays in memory until Redis has replied. */
const roundsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> =>
  split(parts, ({ part }) => sizeOf(part), roundCharsMax, parts.length)

/** The list in pieces of at most `countMax` items and, one larger item aside, `sizeMax` in all; at least one piece. */
const split = <A>(
  items: ReadonlyArray<A>,
  sizeOfItem: (item: A) => number,
  sizeMax: number,
  countMax: number
): ReadonlyArray<ReadonlyArray<A>> => {
  let last: Array<A> = []
  const pieces = [last]
  let size = 0
  for (const item of items) {
    const itemSize = sizeOfItem(item)
    if (last.length > 0 && (last.length >= countMax || size + itemSize > sizeMax)) {
      last = [item]
      pieces.push(last)
      size = itemSize
    } else {
      last.push(item)
      size += itemSize
    }
  }
  return pieces
}
