/** How much a webhook has in Redis. */
import type { Client } from "../redis/Redis.ts"
import { group, type keysOf } from "./Keys.ts"

export interface Depth {
  /** Entries that nobody holds, and parked deliveries. */
  readonly queued: number
  /** Entries that a process holds. */
  readonly pending: number
  /** Delayed deliveries. */
  readonly waiting: number
}

export const depth = async (client: Client, keys: ReturnType<typeof keysOf>): Promise<Depth> => {
  const [queue, again, waiting, parked] = await Promise.all([
    client.xlen(keys.queue),
    client.xlen(keys.again),
    client.zcard(keys.later),
    client.zcard(keys.parked)
  ])
  const pending = await Promise.all([keys.again, keys.queue].map((key) => pendingCount(client, key)))
  const inPending = pending.reduce((sum, count) => sum + count, 0)
  return { queued: queue + again + parked - inPending, pending: inPending, waiting }
}

const pendingCount = async (client: Client, key: string): Promise<number> => {
  try {
    const [count] = await client.xpending(key, group)
    return Number(count)
  } catch {
    return 0
  }
}
