/**
 * One hung receiver and one flooded webhook among a thousand: the effect on the others.
 *
 * The floor is the same thousand webhooks without these two. Both are measured at the same rate of changes, with one
 * process in all roles.
 */
import { type Server, createServer } from "node:net"
import { queueDeliveries } from "../QueuedDeliveries.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import { type BenchReceiver, startReceiver } from "../Receiver.ts"
import { atRate, latencyFigures, latencySample } from "../Load.ts"
import type { Contender, Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"
import { openRedis } from "../../test/support/Redis.ts"
import { keysOf } from "../../src/queue/Keys.ts"

const webhooks = 1000

/** Changes a round, and how many of them a second. */
const changes = 2000
const rate = 200

/** Deliveries in the queue of the flooded webhook when the round begins: more than it can send in that time. */
const flood = 100_000

/** Accepts connections and never answers. */
const startSilence = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => resolve(server))
  })

const makeWebhooks = async (rackwire: Rackwire, url: string): Promise<void> => {
  for (let n = 0; n < webhooks; n++) {
    await rackwire.webhook({ name: `fair ${n}`, payload_url: url, conditions: { attr: "facility", value: `F${n}` } })
  }
}

const change = ({ sql }: Rackwire, round: string): Promise<void> =>
  atRate(changes, rate, (n) => {
    const slug = `${round}-${n}`
    const values = `('${slug}', '${slug}', 'F${n % webhooks}')`
    return sql.query(`insert into dcim_site (name, slug, facility) values ${values}`)
  })

const contender = (
  rackwire: Rackwire,
  receiver: BenchReceiver,
  name: string,
  role: Contender["role"],
  disturb: (round: number) => Promise<() => Promise<unknown>>
): Contender => ({
  name,
  role,
  usage: () => usageOf(rackwire.pid()),
  turn: async (round) => {
    const calm = await disturb(round)
    await receiver.take()
    await change(rackwire, `${role}-${round}`)
    const { latencies } = await receiver.untilTimed(changes)
    await calm()
    return latencySample(latencies)
  }
})

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const redis = await openRedis(rackwire)
  const silence = await startSilence()
  const { port } = silence.address() as { readonly port: number }
  await makeWebhooks(rackwire, `${receiver.url}/timed`)
  const other = { type_create: false, type_delete: true, enabled: false }
  const hung = await rackwire.webhook({ ...other, name: "hung", payload_url: `http://127.0.0.1:${port}/` })
  const flooded = await rackwire.webhook({ ...other, name: "flooded", payload_url: `${receiver.url}/` })
  const enable = (id: number, enabled: boolean) =>
    rackwire.service.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled })
  return {
    title: `Commit to receipt at ${webhooks.toLocaleString("en")} webhooks, ${rate} changes a second, one of another webhook each`,
    figures: latencyFigures,
    rounds: 3,
    contenders: [
      contender(rackwire, receiver, "nothing else", "floor", async () => async () => {}),
      contender(rackwire, receiver, "one hung, one flooded", "ours", async (round) => {
        await queueDeliveries(redis, hung, round, 1000)
        await queueDeliveries(redis, flooded, round, flood)
        await Promise.all([enable(hung, true), enable(flooded, true)])
        return async () => {
          await Promise.all([enable(hung, false), enable(flooded, false)])
          await redis.unlink(keysOf(flooded).queue)
        }
      })
    ],
    close: async () => {
      await redis.quit()
      receiver.close()
      await rackwire.close()
      silence.close()
    }
  }
}
