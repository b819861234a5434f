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

/** Entries that no process has read. */
export const unread = async (client: Client, keys: Keys): Promise<number> => {
  const each = await Promise.all(
    streams.map((stream) => keys[stream]).map((key) => Promise.all([client.xlen(key), pendingCount(client, key)]))
  )
  return each.reduce((sum, [length, pending]) => sum + length - pending, 0)
}

/** Entries that a process has read. Redis may have lost some of these. */
const pendingCount = async (client: Client, key: string): Promise<number> => {
  try {
    const [count] = await client.xpending(key, group)
    return Number(count)
  } catch {
    return 0
  }
}
