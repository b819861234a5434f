/** How much a webhook has in Redis. */
import type { Client } from "../redis/Redis.ts"
import { streams } from "./Entry.ts"
import { group, type keysOf } from "./Keys.ts"

export interface Depth {
  /** Entries that nobody holds, and parked deliveries. */
  readonly queued: number
  /** Entries that a process holds. */
  readonly pending: number
  /** Delayed deliveries. */
  readonly waiting: number
}

type Keys = ReturnType<typeof keysOf>

export const depth = async (client: Client, keys: Keys): Promise<Depth> => {
  const [{ unread, pending }, waiting, parked] = await Promise.all([
    entries(client, keys),
    client.zcard(keys.later),
    client.zcard(keys.parked)
  ])
  return { queued: unread + parked, pending, waiting }
}

/** Entries that nobody has read, and those that a process holds. Redis may have lost some that are held. */
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
