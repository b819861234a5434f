/**
 * Time from the commit of one change to its arrival at the receiver, on an idle machine and at a steady rate of
 * changes.
 *
 * The floor commits and posts the same from the same process, with nothing in between: no queue, no log, no retry.
 */
import { createHmac } from "node:crypto"
import { Agent, request } from "undici"
import { startRackwire } from "../Rackwire.ts"
import { startReceiver } from "../Receiver.ts"
import { atRate, latencyFigures, latencySample } from "../Load.ts"
import type { Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

/** Single changes a round, and the pause between two. */
const changes = 200
const pauseMillis = 10

/** Changes a second under load, each a transaction, and how many a round. */
const rate = 500
const loadChanges = 3000

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const secret = "bench"
  await rackwire.webhook({ name: "latency", payload_url: `${receiver.url}/timed`, secret, type_update: false })
  const agent = new Agent({ connections: 1 })
  const each = async (act: (n: number) => Promise<void>) => {
    for (let n = 0; n < changes; n++) {
      await act(n)
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
  }
  const insert = (table: string, name: string) =>
    rackwire.sql.query(`insert into ${table} (name, slug) values ('${name}', '${name}')`)
  return {
    title: `Commit to receipt: ${changes} single changes a round, one webhook, signed, everything in one process`,
    figures: latencyFigures,
    rounds: 5,
    contenders: [
      {
        name: "commit, then sign and post",
        role: "floor",
        turn: async (round) => {
          const latencies: Array<number> = []
          await each(async (n) => {
            await insert("extras_tag", `floor-${round}-${n}`)
            const committed = performance.now()
            const body = JSON.stringify({ event: "created", data: { slug: `floor-${round}-${n}` } })
            const headers = { "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex") }
            const { body: answer } = await request(`${receiver.url}/`, {
              method: "POST",
              body,
              headers,
              dispatcher: agent
            })
            await answer.dump()
            latencies.push(performance.now() - committed)
          })
          await receiver.take()
          return latencySample(latencies)
        }
      },
      {
        name: "rackwire",
        role: "ours",
        usage: () => usageOf(rackwire.pid()),
        turn: async (round) => {
          await each(async (n) => void (await insert("dcim_site", `ours-${round}-${n}`)))
          return latencySample((await receiver.until(changes)).latencies)
        }
      },
      {
        name: `rackwire, ${rate} changes a second`,
        role: "ours",
        usage: () => usageOf(rackwire.pid()),
        turn: async (round) => {
          await atRate(loadChanges, rate, (n) => insert("dcim_site", `load-${round}-${n}`))
          return latencySample((await receiver.until(loadChanges)).latencies)
        }
      }
    ],
    close: async () => {
      await agent.close()
      receiver.close()
      await rackwire.close()
    }
  }
}
