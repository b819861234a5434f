/**
 * Time from a commit to its entry in the webhook's stream, at 500 changes a second, with one process in all roles.
 *
 * The floor commits at the same rate and adds the entry itself when the commit has returned, with nothing in between.
 */
import { keysOf } from "../../src/queue/Keys.ts"
import { unpack } from "../../src/queue/Entry.ts"
import { microsOf } from "../Receiver.ts"
import { atRate } from "../Load.ts"
import { startRackwire } from "../Rackwire.ts"
import { type Sample, type Suite, quantile } from "../Suite.ts"
import { usageOf } from "../Usage.ts"
import { openRedis } from "../../test/support/Redis.ts"

const perSecond = 500
const changes = 5000

/** A change may be late by this much before a round counts as failed, milliseconds. */
const latestMillis = 120_000

const now = (): number => performance.timeOrigin + performance.now()

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const webhook = await rackwire.webhook({ name: "queued", payload_url: "http://127.0.0.1:9/" })
  // Whoever is delivered to takes entries out of the stream, perhaps before we have seen them.
  await rackwire.service.call("POST", `/api/extras/webhooks/${webhook}/pause/`)
  const open = () => openRedis(rackwire)
  const [writer, reader] = [await open(), await open()]

  /** How old each entry that comes to the stream is, milliseconds. */
  const watch = async (stream: string, committed: (content: string) => number): Promise<ReadonlyArray<number>> => {
    const ages: Array<number> = []
    let last = "$"
    for (const began = performance.now(); ages.length < changes && performance.now() - began < latestMillis;) {
      const found = await reader.xread("COUNT", 1000, "BLOCK", 1000, "STREAMS", stream, last)
      const at = now()
      for (const [id, [, content]] of found?.[0]?.[1] ?? []) {
        last = id
        ages.push(at - committed(content!))
      }
    }
    if (ages.length < changes) throw new Error(`only ${ages.length} of ${changes} were queued`)
    return ages
  }

  const measured = async (
    stream: string,
    committed: (content: string) => number,
    act: (n: number) => Promise<unknown>
  ): Promise<Sample> => {
    const watching = watch(stream, committed)
    // The reader must be waiting before the first change: it asks for what comes from now on.
    await new Promise((resolve) => setTimeout(resolve, 100))
    await atRate(changes, perSecond, act)
    const ages = await watching
    return { median: quantile(ages, 0.5), "99th percentile": quantile(ages, 0.99), longest: Math.max(...ages) }
  }

  const insert = (table: string, name: string) =>
    rackwire.sql.query(`insert into ${table} (name, slug) values ('${name}', '${name}')`)

  return {
    title: `Commit to queued: ${changes} changes at ${perSecond} a second, one webhook`,
    figures: ["median", "99th percentile", "longest"].map((name) => ({ name, unit: "ms", more: false })),
    rounds: 5,
    contenders: [
      {
        name: "commit, then XADD",
        role: "floor",
        turn: (round) =>
          measured("bench:queued", Number, async (n) => {
            await insert("extras_tag", `floor-${round}-${n}`)
            await writer.xadd("bench:queued", "*", "d", `${now()}`)
          })
      },
      {
        name: "rackwire",
        role: "ours",
        usage: () => usageOf(rackwire.pid()),
        turn: (round) => {
          const committed = (content: string) => {
            const { time } = unpack(content)
            return Date.parse(time) + microsOf(time)
          }
          return measured(keysOf(webhook).queue, committed, (n) => insert("dcim_site", `ours-${round}-${n}`))
        }
      }
    ],
    close: async () => {
      writer.disconnect()
      reader.disconnect()
      await rackwire.close()
    }
  }
}
