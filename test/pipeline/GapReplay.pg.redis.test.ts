/** `rackwire replay --gap`: rows that were changed in a gap are events, unless the change log has the change. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { runCommand } from "../support/Command.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const changesOf = async (id: number) => {
  await caughtUp(api.database)
  const filter = `changed_object_type=dcim.site&changed_object_id=${id}&ordering=id`
  const { json } = await api.call<List>("GET", `/api/extras/object-changes/?${filter}`)
  return json.results as unknown as ReadonlyArray<Json>
}

it("a gap is replayed: each change that the log lacks is one event, and is found once", async () => {
  const { sql } = api.database
  const changed = await api.make("dcim/sites", named("Changed"))
  const [now] = await sql.query<{ readonly time: string }>("select now()::text as time")
  const created = await api.make("dcim/sites", named("Created"))
  const logged = await api.make("dcim/sites", named("Logged"))
  await api.call("PATCH", `/api/dcim/sites/${changed}/`, { description: "in the gap" })
  for (const id of [changed, created, logged]) await changesOf(id)
  await sql.query(
    `delete from extras_objectchange where changed_object_type = 'dcim.site'
        and (changed_object_id = $1 or (changed_object_id = $2 and action = 'update'))`,
    [created, changed]
  )
  const [gap] = await sql.query<{ readonly id: string }>(
    `insert into rackwire_gap (cause, reason, object_types, since, until, from_position, to_position)
     values ('publication', 'a test', array['dcim.site'], $1::timestamptz, now(), 1, 2) returning id::text as id`,
    [now!.time]
  )
  const replay = (...args: ReadonlyArray<string>) =>
    runCommand(["replay", "--gap", gap!.id, ...args], { env: environmentOf(api.database) })
  expect((await replay("--dry-run")).output).toContain("dcim.site: 2 rows would be queued")
  expect((await replay()).output).toContain("dcim.site: 2 rows queued")
  expect(await changesOf(created)).toMatchObject([{ action: { value: "create" }, prechange_data: null }])
  expect(await changesOf(changed)).toMatchObject([
    { action: { value: "create" } },
    { action: { value: "update" }, prechange_data: null, postchange_data: { description: "in the gap" } }
  ])
  expect(await changesOf(logged)).toHaveLength(1)
  expect((await replay()).output).toContain("No row was changed in the gap")
})
