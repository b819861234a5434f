/** How much a webhook has in Redis. */
import type { Client } from "../redis/Redis.ts"
import { streams } from "./Entry.ts"
import { group, type keysOf } from "./Keys.ts"

export interface Depth {
  /** Entries that no process works on, and parked deliveries. */
  readonly queued: number
  /** Entries that a process works on: it has read them, and their lease has not ended. */
  readonly pending: number
  /** Delayed deliveries. */
  readonly waiting: number
}

type Keys = ReturnType<typeof keysOf>

export const depth = async (client: Client, keys: Keys, leaseMillis: number): Promise<Depth> => {
  const [{ unread, pending }, unleased, waiting, parked] = await Promise.all([
    entries(client, keys),
    unleasedCount(client, keys, leaseMillis),
    client.zcard(keys.later),
    client.zcard(keys.parked)
  ])
  return { queued: unread + unleased + parked, pending: pending - unleased, waiting }
}

/** Most entries without a lease that are counted in one stream, as in `scripts/include/leases.lua`. */
const unleasedMax = 5000

/** Entries that were read and have no lease: their processes have handed them back, or are gone. */
const unleasedCount = async (client: Client, keys: Keys, leaseMillis: number): Promise<number> => {
  const each = await Promise.all(
    streams.map((stream) =>
      client.xpending(keys[stream], group, "IDLE", leaseMillis, "-", "+", unleasedMax).catch(() => [])
    )
  )
  return each.flat().length
}

/** Entries that nobody has read, and those that a process has read. Redis may have lost some of these. */
export const entries = async (client: Client, keys: Keys) => {
  const each = await Promise.all(
    streams.map((stream) => keys[stream]).map((key) => Promise.all([client.xlen(key), pendingCount(client, key)]))
  )
  const length = each.reduce((sum, [length]) => sum + length, 0)
  const pending = each.reduce((sum, [, pending]) => sum + pending, 0)
  return { unread: length - pending, pending }
}

const pendingCount = async (client: Client, key: string): Promise<number> => {
  try {
    const [count] = await client.xpending(key, group)
    return Number(count)
  } catch {
    return 0
  }
}
