/**
 * The memory of Redis, as a budget of what is appended.
 *
 * Nothing is evicted, so a full Redis refuses writes, those of retries too. Capture therefore stops at a part of the
 * limit, and goes on when enough has been delivered; the rest is left to what is under way.
 */
import { type Client, RedisError, mastersOf } from "../Redis.ts"

export interface Memory {
  /** Bytes in use; of a cluster those of the fullest node. */
  readonly used: number
  /** Bytes that may be used: `maxmemory` or our own limit, whichever is less; 0 for no limit. */
  readonly limit: number
}

/** Parts of the limit at which appending stops, and below which it goes on. */
export const stopAt = 0.8
export const goOnBelow = 0.7

/** For how long an answer counts, milliseconds, and for how many bytes appended since. */
const freshMillis = 1000
const freshBytes = 8 << 20

export class MemoryBudget {
  /** As it was last told. */
  known: Memory = { used: 0, limit: 0 }
  private isFull = false
  private askedAt = Number.NEGATIVE_INFINITY
  private appendedSince = 0
  private readonly client: Client
  private readonly limit: number

  /** `limit`: bytes that Redis may use, 0 for its own limit only. */
  constructor(client: Client, limit: number) {
    this.client = client
    this.limit = limit
  }

  /** Resolves when so many bytes may be appended; rejects with a RedisError that says why not. */
  async spend(bytes: number): Promise<void> {
    this.appendedSince += bytes
    await this.current()
    if (!this.isFull) return
    const { used, limit } = this.known
    throw new RedisError({
      reason: "Unavailable",
      message: `Redis uses ${megabytes(used)} of ${megabytes(limit)}; deliveries are appended again below ${goOnBelow * 100} %`
    })
  }

  /** The memory as it is now, or was a moment ago. */
  async current(): Promise<Memory> {
    if (performance.now() - this.askedAt > freshMillis || this.appendedSince > freshBytes) await this.ask()
    return this.known
  }

  private async ask(): Promise<void> {
    // A cluster is connected to by its first command.
    if (this.client.isCluster) await this.client.ping()
    const all = await Promise.all(mastersOf(this.client).map((server) => memoryOf(server, this.limit)))
    this.known = all.reduce((fullest, each) => (partOf(each) > partOf(fullest) ? each : fullest))
    this.isFull = partOf(this.known) >= (this.isFull ? goOnBelow : stopAt)
    this.askedAt = performance.now()
    this.appendedSince = 0
  }
}

const memoryOf = async (server: Client, own: number): Promise<Memory> => {
  const told = await server.info("memory")
  const read = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(told)?.[1] ?? 0)
  const limits = [own, read("maxmemory")].filter((limit) => limit > 0)
  return { used: read("used_memory"), limit: limits.length === 0 ? 0 : Math.min(...limits) }
}

const partOf = ({ used, limit }: Memory): number => (limit === 0 ? 0 : used / limit)

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`
