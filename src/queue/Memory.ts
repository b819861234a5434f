/**
 * The memory of Redis as a budget for appending.
 *
 * Redis evicts nothing here, so when it is full it refuses writes, also those of retries. Appending therefore stops at
 * a part of the limit and resumes when enough has been delivered; the rest of the memory is for retries.
 */
import { type Client, RedisError, mastersOf } from "../redis/Redis.ts"

export interface Memory {
  /** Bytes in use; in a cluster, those of the fullest node. */
  readonly used: number
  /** Bytes that may be used: `maxmemory` or our own limit, the smaller of the two; 0 for no limit. */
  readonly limit: number
}

/** Appending stops at the first part of the limit, and resumes below the second. */
const stopAt = 0.8
const goOnBelow = 0.7

/** An answer of Redis counts for a moment, and until so many bytes were appended. */
const freshBytes = 8 << 20

export class MemoryBudget {
  /** The last answer of Redis. */
  known: Memory = { used: 0, limit: 0 }
  private isFull = false
  private askedAt = Number.NEGATIVE_INFINITY
  private appendedSince = 0
  private readonly client: Client
  private readonly limit: number
  private readonly keptMillis: number

  /** `limit`: bytes that Redis may use; 0 for its own limit alone. `keptMillis`: how long an answer of Redis counts. */
  constructor(client: Client, limit: number, keptMillis: number) {
    this.client = client
    this.limit = limit
    this.keptMillis = keptMillis
  }

  /** Resolves if so many bytes may be appended; else rejects with a RedisError. */
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

  /** The memory as it is, or was within `keptMillis`. */
  async current(): Promise<Memory> {
    if (performance.now() - this.askedAt > this.keptMillis || this.appendedSince > freshBytes) await this.ask()
    return this.known
  }

  private async ask(): Promise<void> {
    // ioredis connects to a cluster with the first command.
    if (this.client.isCluster) await this.client.ping()
    const all = await Promise.all(mastersOf(this.client).map((server) => memoryOf(server, this.limit)))
    this.known = all.reduce((fullest, each) => (partOf(each) > partOf(fullest) ? each : fullest))
    this.isFull = partOf(this.known) >= (this.isFull ? goOnBelow : stopAt)
    this.askedAt = performance.now()
    this.appendedSince = 0
  }
}

const memoryOf = async (server: Client, own: number): Promise<Memory> => {
  const text = await server.info("memory")
  const read = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)?.[1] ?? 0)
  const limits = [own, read("maxmemory")].filter((limit) => limit > 0)
  return { used: read("used_memory"), limit: limits.length === 0 ? 0 : Math.min(...limits) }
}

const partOf = ({ used, limit }: Memory): number => (limit === 0 ? 0 : used / limit)

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`
