/**
 * One consumer of the group: it reads entries, renews its lease of them, and claims entries of consumers that have
 * died.
 */
import type { PaceValues } from "../eventloop/Pace.ts"
import { errorReply } from "../redis/ErrorReply.ts"
import type { Client } from "../redis/Redis.ts"
import { type Entry, type RawEntry, entriesOf, streams } from "./Entry.ts"
import { group, keysOf } from "./Keys.ts"
import { readOrdered } from "./Ordered.ts"
import { RedisScript } from "../redis/RedisScript.ts"

/** Most pending entries in one claiming call: Redis does nothing else meanwhile. */
const reclaimMax = 100

/** The ids of entries that the consumer may not end, and of those among them that another consumer leases. */
type KeepReply = readonly [lost: ReadonlyArray<string>, taken: ReadonlyArray<string>]

const keepScript = new RedisScript<KeepReply>(new URL("scripts/keep.lua", import.meta.url))

const claimStrandedScript = new RedisScript<ReadonlyArray<RawEntry>>(
  new URL("scripts/claim-stranded.lua", import.meta.url)
)

interface ReadWish {
  readonly ordered: boolean
  readonly isTogether?: boolean
  readonly from?: ReadonlyArray<Entry["stream"]>
}

/** One consumer of the group. */
export class Reader {
  private readonly client: Client
  private readonly consumer: string
  /** The lease of an entry, and how long this process relies on it. */
  private readonly leaseMillis: number
  private readonly reliedMillis: number
  /** The cursor of the next `reclaim`, by stream: from the start it would never get past many leased entries. */
  private readonly cursors = new Map<string, string>()

  constructor(client: Client, consumer: string, { leaseMillis, leaseMarginMillis }: PaceValues["stream"]) {
    this.client = client
    this.consumer = consumer
    this.leaseMillis = leaseMillis
    this.reliedMillis = leaseMillis - leaseMarginMillis
  }

  /** `from`: the streams to read, the first of `streams`. */
  async read(
    webhook: number,
    count: number,
    { ordered, isTogether = false, from = streams }: ReadWish
  ): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const now = performance.now()
    if (ordered) {
      const found = await this.inGroup(webhook, () =>
        readOrdered(this.client, keys, this.consumer, { count, isTogether, streamCount: from.length })
      )
      const entries = found.flatMap(([stream, entryId, content]) =>
        entriesOf(streams[stream - 1]!, [[entryId, ["d", content]]], true)
      )
      return this.leased(entries, now)
    }
    const reply = await this.inGroup(webhook, () =>
      this.client.call(
        ...["XREADGROUP", "GROUP", group, this.consumer, "COUNT", `${count}`],
        ...["STREAMS", ...from.map((stream) => keys[stream]), ...from.map(() => ">")]
      )
    )
    const found = (reply ?? []) as ReadonlyArray<readonly [key: string, entries: ReadonlyArray<RawEntry>]>
    const entriesIn = ([key, raw]: (typeof found)[number]) =>
      entriesOf(
        // Replies have the key with the prefix of the installation.
        streams.find((stream) => key.endsWith(keys[stream]))!,
        raw,
        false
      )
    return this.leased(found.flatMap(entriesIn), now)
  }

  async reclaim(webhook: number, ordered: boolean): Promise<ReadonlyArray<Entry>> {
    const keys = keysOf(webhook)
    const now = performance.now()
    const claimed: Array<Entry> = []
    for (const stream of streams) {
      const key = keys[stream]
      const cursor = this.cursors.get(key) ?? "0-0"
      const [next, entries] = (await this.inGroup<unknown>(webhook, () =>
        this.client.xautoclaim(key, group, this.consumer, this.leaseMillis, cursor, "COUNT", reclaimMax)
      )) as readonly [string, ReadonlyArray<RawEntry>]
      if (next === "0-0") this.cursors.delete(key)
      else this.cursors.set(key, next)
      claimed.push(...entriesOf(stream, entries, ordered))
    }
    return this.leased(claimed, now)
  }

  async claimStranded(webhook: number, ordered: boolean): Promise<ReadonlyArray<Entry>> {
    const now = performance.now()
    const keys = keysOf(webhook)
    const claimed = await this.inGroup(webhook, () =>
      claimStrandedScript.runFor(this.client, streams, (stream) => ({
        keys: [keys[stream]],
        args: [group, this.consumer, reclaimMax]
      }))
    )
    const entries = claimed.flatMap(([stream, raw]) => entriesOf(stream, raw, ordered))
    return this.leased(entries, now)
  }

  isOurs(entry: Entry): boolean {
    return performance.now() - (entry.leasedSince ?? Number.NEGATIVE_INFINITY) < this.reliedMillis
  }

  /**
   * Renews the lease of entries, or sets for how long they had no heartbeat; returns those that this consumer lost. The
   * lease of one that another consumer leases is over: after Redis lost a stream and it was filled again, both have read
   * the entry. One that is nowhere in Redis was lost by Redis, and stays ours until its lease ends.
   */
  async keep(webhook: number, entries: ReadonlyArray<Entry>, idleMillis = 0): Promise<ReadonlyArray<Entry>> {
    const now = performance.now()
    const keys = keysOf(webhook)
    const byStream = [...Map.groupBy(entries, ({ stream }) => stream)]
    const replies = await keepScript.runFor(this.client, byStream, ([stream, each]) => ({
      keys: [keys[stream]],
      args: [group, this.consumer, idleMillis, ...each.map(({ entryId }) => entryId)]
    }))
    const idsIn = (at: 0 | 1) =>
      new Set(replies.flatMap(([[stream], reply]) => reply[at].map((id) => `${stream} ${id}`)))
    const [lost, taken] = [idsIn(0), idsIn(1)]
    const isAmong = (ids: ReadonlySet<string>, { stream, entryId }: Entry) => ids.has(`${stream} ${entryId}`)
    for (const entry of entries) {
      if (!isAmong(lost, entry)) entry.leasedSince = now - idleMillis
      else if (isAmong(taken, entry)) entry.leasedSince = Number.NEGATIVE_INFINITY
    }
    return entries.filter((entry) => isAmong(lost, entry))
  }

  /** Notes the lease of entries, from the time before they were read. */
  private leased(entries: ReadonlyArray<Entry>, since: number): ReadonlyArray<Entry> {
    for (const entry of entries) entry.leasedSince = since
    return entries
  }

  /** Creates a group that is missing (a new webhook, or Redis lost its data); it reads from the start. */
  private async inGroup<A>(webhook: number, run: () => Promise<A>): Promise<A> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Error && errorReply(error.message).startsWith("NOGROUP"))) throw error
      for (const stream of streams) {
        await this.client.xgroup("CREATE", keysOf(webhook)[stream], group, "0", "MKSTREAM").catch((error: Error) => {
          if (!error.message.startsWith("BUSYGROUP")) throw error
        })
      }
      return await run()
    }
  }
}
