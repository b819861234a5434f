/**
 * The load of an idle process on Redis: ten thousand webhooks, fifty of which had something to deliver.
 *
 * The floor has the same webhooks, none of them with anything to do. Redis counts its commands, those inside scripts
 * and those of capture's heartbeats included.
 */
import { queueDeliveries } from "../QueuedDeliveries.ts"
import { startRackwire } from "../Rackwire.ts"
import { startReceiver } from "../Receiver.ts"
import type { Contender, Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"
import { openRedis } from "../../test/support/Redis.ts"

const webhooks = 10_000
const active = 50
const perActive = 20

/** How long it is watched in a round, and the time after the last delivery until it is, milliseconds. */
const watchedMillis = 20_000
const restMillis = 12_000

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const redis = await openRedis(rackwire)
  const first = await rackwire.webhook({ name: "idle", payload_url: `${receiver.url}/idle` })
  const [row] = await rackwire.sql.query<{ readonly columns: string }>(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
      where table_name = 'extras_webhook' and column_name not in ('id', 'name')`
  )
  await rackwire.sql.query(
    `insert into extras_webhook (name, ${row!.columns})
     select 'idle ' || n, ${row!.columns} from extras_webhook, generate_series(2, ${webhooks}) n where id = ${first}`
  )
  const ids = (await rackwire.sql.query<{ readonly id: string }>("select id::text as id from extras_webhook")).map(
    ({ id }) => Number(id)
  )
  // Every actor reads once when it starts.
  await pause(restMillis)

  const commands = async () => Number(/^total_commands_processed:(\d+)/m.exec(await redis.info("stats"))?.[1])
  const watch = async () => {
    const before = await commands()
    const cpu = usageOf(rackwire.pid()).cpuSeconds
    await pause(watchedMillis)
    return {
      // Ours is one more.
      commands: ((await commands()) - before - 1) / (watchedMillis / 1000),
      "CPU time": ((usageOf(rackwire.pid()).cpuSeconds - cpu) * 1000) / (watchedMillis / 1000)
    }
  }
  const contender = (name: string, role: Contender["role"], busy: boolean): Contender => ({
    name,
    role,
    usage: () => usageOf(rackwire.pid()),
    turn: async (round) => {
      await receiver.take()
      if (busy) {
        for (const id of ids.slice(0, active)) await queueDeliveries(redis, id, round, perActive)
        await receiver.until(active * perActive)
        await pause(restMillis)
      }
      return watch()
    }
  })
  return {
    title: `${webhooks.toLocaleString("en")} webhooks in one process, of which ${active} had something to deliver`,
    figures: [
      { name: "commands", unit: "a second", more: false },
      { name: "CPU time", unit: "ms a second", more: false }
    ],
    rounds: 2,
    contenders: [contender("none had", "floor", false), contender("rackwire", "ours", true)],
    close: async () => {
      redis.disconnect()
      receiver.close()
      await rackwire.close()
    }
  }
}
