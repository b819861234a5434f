/**
 * Memory above idle while one transaction of a million rows passes through capture, the change log and a hundred
 * webhooks, one in a hundred of which fires.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { startRackwire } from "../Rackwire.ts"
import type { Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const rows = 1_000_000
const webhooks = 100

/** Time for a service that has started to come to rest, milliseconds. */
const restMillis = 20_000

const held = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const { sql } = rackwire
  for (let n = 0; n < webhooks; n++) {
    await rackwire.webhook({
      name: `bench ${n}`,
      payload_url: "http://127.0.0.1:9/",
      conditions: { and: [{ attr: "facility", value: `F${n}` }] }
    })
  }
  await new Promise((resolve) => setTimeout(resolve, restMillis))
  const idle = held(rackwire.pid())
  const confirmed = async (lsn: string): Promise<boolean> => {
    const [slot] = await sql.query<{ readonly done: boolean }>(
      `select confirmed_flush_lsn >= '${lsn}' as done from pg_replication_slots where slot_name = 'rackwire'`
    )
    return slot!.done
  }
  return {
    title: `One transaction of ${rows.toLocaleString("en")} new rows, ${webhooks} webhooks; idle: ${Math.round(idle)} MB`,
    figures: [
      { name: "above idle", unit: "MB", more: false },
      { name: "rows", unit: "per second", more: true }
    ],
    rounds: 1,
    contenders: [
      {
        name: "rackwire",
        role: "ours",
        usage: () => usageOf(rackwire.pid()),
        turn: async (round) => {
          // Resets the peak that the kernel keeps.
          writeFileSync(`/proc/${rackwire.pid()}/clear_refs`, "5")
          const began = performance.now()
          await sql.query(`
            insert into dcim_site (name, slug, facility, physical_address, shipping_address, comments)
            select 'Site ' || n, 'site-${round}-' || n, 'F' || n % 10000, n || ' Long Street, Amsterdam',
                   n || ' Short Street, Berlin', 'installed by a contractor in the spring'
              from generate_series(${round * rows} + 1, ${(round + 1) * rows}) n`)
          const [end] = await sql.query<{ readonly lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn")
          while (!(await confirmed(end!.lsn))) await new Promise((resolve) => setTimeout(resolve, 100))
          const seconds = (performance.now() - began) / 1000
          return { "above idle": usageOf(rackwire.pid()).peakMegabytes - idle, rows: rows / seconds }
        }
      }
    ],
    close: () => rackwire.close()
  }
}
