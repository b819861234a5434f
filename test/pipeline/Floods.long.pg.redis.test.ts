/**
 * Nothing of a flood is lost when the service is killed or Redis loses its keys while something is owed. The service runs
 * as a process, which is killed.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, environmentOf, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { Flooding, expectAll, flood } from "./Flooding.ts"

let api: Api<ServiceProcess>
let service: ServiceProcess
let floods: Flooding

beforeAll(async () => {
  api = await startApiProcess({}, { pace: 0.3 })
  service = api.service
  floods = await Flooding.on(api)
})

afterAll(async () => {
  await floods.redis.quit()
  await service.stop()
  await api.stop()
})

const create = (names: ReadonlyArray<string>) => service.makeAll("dcim/sites", names.map(named))

/** Waits until all that has been committed so far is confirmed: it will not be read again. */
const confirmed = async () => {
  const { superuser, slot } = api.database
  const [end] = await superuser.query<{ lsn: string }>(
    "select pg_logical_emit_message(true, 'rackwire:test', '')::text, pg_current_wal_insert_lsn()::text as lsn"
  )
  const query = "select 1 as one from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn >= $2::pg_lsn"
  await eventually("it is confirmed", async () => (await superuser.query(query, [slot, end!.lsn])).length > 0)
}

it("a killed process leaves a flood to the next process, and nothing is queued twice", async () => {
  const before = await floods.namesOf(floods.many[0]!)
  const release = await floods.delay()
  await create(flood("c"))
  await create(["One c"])
  await floods.isOwed(floods.one, "One c")
  await confirmed()
  await service.stop("SIGKILL")
  expect(await floods.namesOf(floods.many[0]!)).toEqual(before)
  await release()
  service = await startProcess(environmentOf(api.database), { pace: 0.3 })
  await create(["Many d"])
  await expectAll(floods, [...before, ...flood("c"), "Many d"])
  expect((await floods.namesOf(floods.one)).at(-1)).toBe("One c")
  expect(service.output()).not.toContain("lost entries")
})

it("a flood that waits while Redis loses all keys is queued all the same", async () => {
  const before = await floods.namesOf(floods.many[1]!)
  const release = await floods.delay()
  await create(flood("g"))
  await create(["One g"])
  await floods.isOwed(floods.one, "One g")
  await confirmed()
  await floods.redis.flushdb()
  await release()
  await create(["Many h"])
  for (const id of floods.many.slice(1)) {
    await floods.isOwed(id, "Many h")
    expect(await floods.namesOf(id)).toEqual([...before, ...flood("g"), "Many h"])
  }
})
