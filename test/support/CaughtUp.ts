/** The barriers of the tests: everything that was committed is captured; and also queued, sent and logged. */
import { Redis } from "ioredis"
import type { TestDatabase } from "./Database.ts"
import { eventually } from "./Eventually.ts"

/** Redis scans so many keys at once. */
const scanned = 1000

/**
 * Waits until the current LSN is confirmed: the change log has everything. For a shared service, whose Redis
 * is not that of its database, and which sends nothing.
 */
export const captured = async ({ superuser, slot }: TestDatabase): Promise<void> => {
  const [marked] = await superuser.query<{ readonly lsn: string }>(
    "select pg_logical_emit_message(true, 'rackwire:test', '')::text, pg_current_wal_insert_lsn()::text as lsn"
  )
  await eventually("the current LSN is confirmed", () => isConfirmed(superuser, slot, marked!.lsn))
}

/**
 * Waits until the current LSN is confirmed, and no stream has an entry: an entry is deleted only after its outcome is in
 * the delivery log. Deliveries that wait for a retry, and those of webhooks that are paused, are not waited for.
 */
export const caughtUp = async (database: TestDatabase): Promise<void> => {
  const { superuser, redisUrl } = database
  await captured(database)
  const redis = new Redis(redisUrl, { protocol: 2 })
  try {
    await eventually("no flood is owed", () => isQueued(superuser))
    await eventually("no stream has an entry", () => isEmpty(redis))
  } finally {
    redis.disconnect()
  }
}

const isConfirmed = async (superuser: TestDatabase["superuser"], slot: string, lsn: string): Promise<boolean> => {
  const rows = await superuser.query(
    "select 1 as one from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn >= $2::pg_lsn",
    [slot, lsn]
  )
  return rows.length > 0
}

const isQueued = async (superuser: TestDatabase["superuser"]): Promise<boolean> => {
  const rows = await superuser.query(
    `select 1 as one from rackwire_watermark
      where (flood_after_position, flood_after_idx) < (flood_until_position, flood_until_idx)`
  )
  return rows.length === 0
}

const isEmpty = async (redis: Redis): Promise<boolean> => {
  for (let cursor = "0"; ;) {
    const [next, streams] = await redis.scan(cursor, "COUNT", scanned, "TYPE", "stream")
    const lengths = await Promise.all(streams.map((stream) => redis.xlen(stream)))
    if (lengths.some((length) => length > 0)) return false
    if (next === "0") return true
    cursor = next
  }
}
