/** Values that plain SQL can store, and what capture makes of them: no value stops the events of other objects. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { longRows } from "./LongRows.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let receiver: Receiver
let count = 0

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  await api.call("POST", "/api/extras/webhooks/", {
    name: "all",
    content_types: ["dcim.region", "dcim.site"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: receiver.url
  })
  await passed()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const sql = <A extends object>(statement: string) => api.database.sql.query<A>(statement)

/** Waits until an event of a new region has come, and until all before it is logged. */
const passed = async (): Promise<void> => {
  const name = `region-${++count}`
  await sql(`insert into dcim_region (name, slug) values ('${name}', '${name}')`)
  await receiver.until(({ body }) => body.includes(`"${name}"`), name)
  await caughtUp(api.database)
}

describe("the database refuses", () => {
  it("JSON that is only small because it is compressed", async () => {
    await sql("create table compressed as select to_jsonb(repeat('x', 20000000)) as j")
    await expect(sql("update extras_webhook set conditions = j from compressed")).rejects.toThrow(/check constraint/)
  })

  it.each([
    ["a reference beyond 2^53", "insert into dcim_site (name, slug, region_id) values ('r', 'r', 9223372036854775807)"],
    ["tags beyond 2^53", "insert into dcim_site (name, slug, tags) values ('t', 't', '{9223372036854775807}')"],
    [
      "tags without end",
      "insert into dcim_site (name, slug, tags) select 'e', 'e', array_agg(1::bigint) from generate_series(1, 3000000)"
    ],
    ["types without end", "update extras_webhook set content_types = array_fill(repeat('x', 1000), array[20000])"]
  ])("%s with the replica role", async (_, statement) => {
    const statements = ["set session_replication_role = replica", statement]
    await expect(api.database.superuser.transaction(...statements)).rejects.toThrow(/check constraint/)
  })
})

describe("capture goes on after", () => {
  it("a deletion whose old row has no id", async () => {
    await sql("insert into dcim_site (name, slug) values ('keyless', 'keyless')")
    await api.database.sql.transaction(
      "create unique index keyless on dcim_site (slug)",
      "alter table dcim_site replica identity using index keyless",
      "delete from dcim_site where slug = 'keyless'",
      "alter table dcim_site replica identity full"
    )
    await passed()
    const rows = await sql<{ reason: string }>("select reason from rackwire_set_aside where object_type = 'dcim.site'")
    expect(rows).toMatchObject([{ reason: expect.stringContaining("replica identity") }])
    expect(receiver.received.filter(({ body }) => body.includes('"id":0,'))).toEqual([])
  })

  it("an id that was changed with the replica role", async () => {
    const { json } = await api.call<{ id: number }>("POST", "/api/dcim/sites/", named("moved"))
    await api.database.superuser.transaction(
      "set session_replication_role = replica",
      `update dcim_site set id = 1000000 where id = ${json.id}`
    )
    await passed()
    expect(
      await sql("select object_id, kind, reason from rackwire_set_aside where object_id = '1000000'")
    ).toMatchObject([{ kind: "updated", reason: `its id was ${json.id}` }])
  })

  thorough("a row that an event refers to and that is longer than Postgres may answer", async () => {
    const tenant = await api.call<{ id: number }>("POST", "/api/tenancy/tenants/", named("Long"))
    await sql(`update tenancy_tenant set comments = repeat(chr(1), 16000000) where id = ${tenant.json.id}`)
    await passed()
    // Only a new process does not know the tenant from the WAL.
    await sql("select pg_terminate_backend(active_pid)::text from pg_replication_slots where active")
    await sql(`insert into dcim_site (name, slug, tenant_id) values ('tenanted', 'tenanted', ${tenant.json.id})`)
    await passed()
    const { body } = await receiver.until(({ body }) => body.includes('"slug":"tenanted"'))
    expect(JSON.parse(body.toString())).toMatchObject({ data: { tenant: { name: "Long" } } })
  })

  thorough("a transaction of many long rows", async () => {
    await sql(longRows(30, 400_000))
    await passed()
    const created =
      "select id from extras_objectchange where changed_object_type = 'tenancy.tenant' and action = 'create'"
    expect(await sql(`${created} and (postchange_data ->> 'name') like 'long-%'`)).toHaveLength(30)
  })
})
