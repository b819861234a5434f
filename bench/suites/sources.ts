/**
 * Ten attached NetBoxes, one of them out of reach or flooding: the effect on the other nine.
 *
 * The floor is the same nine alone, at the same rate. The tenth has a server of its own, as every NetBox has: the flood is
 * a script of many objects in one transaction, whose events a webhook receives too.
 */
import { type NetBoxDatabase, makeNetBox } from "../../test/source/NetBoxDatabase.ts"
import { makeOwnPostgres } from "../../test/support/OwnPostgres.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { atRate, latencyFigures, latencySample } from "../Load.ts"
import { startRackwire } from "../Rackwire.ts"
import { startReceiver, timedName } from "../Receiver.ts"
import type { Contender, Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const calmSources = 9

/** Changes a round, and how many of them a second, over all nine. */
const changes = 1000
const rate = 100

/** Objects of the script, and how many a second it writes where each is a transaction. */
const flood = 20_000

const insert = (netbox: NetBoxDatabase, names: string, parameters: ReadonlyArray<unknown>) =>
  netbox.sql.query(
    `insert into ${netbox.changeTable} (time, user_name, request_id, action, changed_object_type_id, changed_object_id,
       object_repr, message, postchange_data)
     select clock_timestamp(), 'admin', gen_random_uuid(), 'create', ${netbox.types.get("dcim.site")!}, n, name, '',
            jsonb_build_object('name', name, 'slug', name, 'status', 'active', 'region', null, 'description', '',
              'comments', '', 'tags', '[]'::jsonb)
       from ${names}`,
    parameters
  )

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const { call, make } = rackwire.service
  const own = await makeOwnPostgres()
  const [port] = await freePorts(1)
  const server = await own.start(port!, {})
  const tenth = await makeNetBox("4.6", own.superuserUrlAt(`127.0.0.1:${port}`))
  const calm = await Promise.all(Array.from({ length: calmSources }, () => makeNetBox("4.6", rackwire.superuserUrl)))
  const add = async (netbox: NetBoxDatabase, path: string) => {
    const { name, databaseUrl } = netbox
    const source = await make("extras/sources", { name, database_url: databaseUrl, slot: name })
    await rackwire.webhook({ name, payload_url: `${receiver.url}${path}`, secret: "bench", source })
    return source
  }
  const untilStatus = async (source: number, ...wanted: ReadonlyArray<string>) => {
    const isThere = async () => {
      const { json } = await call<{ readonly status: string }>("GET", `/api/extras/sources/${source}/`)
      return wanted.includes(json.status)
    }
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const netbox of calm) await untilStatus(await add(netbox, "/named"), "reading")
  const source = await add(tenth, "/")
  await untilStatus(source, "reading")
  const set = (fields: object) => call("PATCH", `/api/extras/sources/${source}/`, fields)
  const contender = (
    name: string,
    role: Contender["role"],
    disturb: () => Promise<() => Promise<unknown>>
  ): Contender => ({
    name,
    role,
    usage: () => usageOf(rackwire.pid()),
    turn: async (round) => {
      const end = await disturb()
      await receiver.take()
      await atRate(changes, rate, (n) =>
        insert(calm[n % calmSources]!, "(values (1, $1::text)) v (n, name)", [timedName(`${name}-${round}-${n}`)])
      )
      const { latencies } = await receiver.untilTimed(changes)
      await end()
      return latencySample(latencies)
    }
  })
  const eventsOf = async () => {
    const [row] = await rackwire.sql.query<{ readonly events: number }>(
      `select events::int as events from rackwire_source where source_id = ${source}`
    )
    return row!.events
  }
  return {
    title: `Change to receipt in nine NetBoxes, ${rate} changes a second, one webhook each`,
    figures: latencyFigures,
    rounds: 3,
    contenders: [
      contender("nine alone", "floor", async () => async () => {}),
      contender("a tenth is out of reach", "ours", async () => {
        await set({ database_url: "postgresql://netbox:none@127.0.0.1:1/netbox" })
        await untilStatus(source, "failing", "waiting")
        return async () => {
          await set({ database_url: tenth.databaseUrl })
          await untilStatus(source, "reading")
        }
      }),
      contender("a tenth floods", "ours", async () => {
        const before = await eventsOf()
        const began = performance.now()
        const written = insert(tenth, `(select n, 'flood ' || n as name from generate_series(1, ${flood}) n) v`, [])
        return async () => {
          await written
          while ((await eventsOf()) < before + flood) await new Promise((resolve) => setTimeout(resolve, 50))
          process.stderr.write(` ${Math.round((flood * 1000) / (performance.now() - began))} events a second\n`)
        }
      })
    ],
    close: async () => {
      receiver.close()
      // Before their server stops: a pool would wait for it.
      for (const netbox of [...calm, tenth]) await netbox.drop()
      await rackwire.close()
      await server.stop()
      own.remove()
    }
  }
}
