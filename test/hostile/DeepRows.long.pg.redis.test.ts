/** Rows of plain SQL that capture cannot turn into events: the database refuses them, or capture sets them aside. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { nestingMax, valueBytesMax } from "../../src/inventory/Unreadable.ts"
import { tableOf } from "../../src/inventory/derive/table/TableOf.ts"
import { environmentOf } from "../support/Api.ts"
import { named, request } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"

/** About as deep as Postgres reads JSON. */
const deep = (levels = 6000) => `(repeat('[', ${levels}) || repeat(']', ${levels}))::jsonb`

let database: TestDatabase
let service: Service
let receiver: Receiver
let site = 0

const environment = () => environmentOf(database)

const sql = <A extends object>(statement: string) => database.sql.query<A>(statement)

/** Waits until an event of a region of this name has come, so that all before it was read. */
const passed = async (name: string): Promise<void> => {
  await sql(`insert into dcim_region (name, slug) values ('${name}', '${name}')`)
  await receiver.until(({ body }) => body.includes(`"${name}"`), `region ${name}`)
}

beforeAll(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
  service = await startService(environment())
  await service.make("extras/webhooks", {
    name: "all",
    content_types: ["dcim.region", "dcim.site"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: receiver.url
  })
  for (const name of ["tree", "note"]) {
    await service.make("extras/custom-fields", {
      name,
      type: name === "tree" ? "json" : "text",
      content_types: ["dcim.site"]
    })
  }
  site = await service.make("dcim/sites", { ...named("hollow"), custom_fields: { note: "kept" } })
  await passed("first")
})

afterAll(async () => {
  await service.stop()
  await receiver.close()
  await database.drop()
})

const types = [...registry.values()].filter(({ isReadOnly }) => !isReadOnly)

describe("the database", () => {
  it("limits the nesting in every JSON column, and accepts what the API accepts", async () => {
    const columns = types.flatMap((type) =>
      Object.entries(type.fields).flatMap(([name, field]) =>
        field.type === "jsonb" ? [[type, type.columns[name]!] as const] : []
      )
    )
    expect(columns.length).toBeGreaterThan(30)
    const unbounded = columns.filter(
      ([type, column]) =>
        !tableOf(type).constraints.some(
          ({ sql }) => sql.includes(`jsonb_path_exists(${column}, `) && sql.includes(`{${nestingMax + 1}}`)
        )
    )
    expect(unbounded.map(([{ id }, column]) => `${id}.${column}`)).toEqual([])
    await sql(`update dcim_platform set napalm_args = ${deep(nestingMax)}`)
    await sql(`insert into dcim_platform (name, slug, napalm_args) values ('p', 'p', ${deep(nestingMax)})`)
  })

  it.each([
    ["deep JSON in custom fields", `update dcim_site set custom_fields = jsonb_build_object('tree', ${deep()})`],
    ["deep JSON in conditions", `update extras_webhook set conditions = ${deep()}`],
    ["JSON one level too deep", `update extras_webhook set conditions = ${deep(nestingMax + 2)}`],
    ["a text without end", `update dcim_site set comments = repeat('x', ${valueBytesMax + 1})`],
    ["JSON without end", `update extras_webhook set retry_schedule = to_jsonb(repeat('x', ${valueBytesMax}))`],
    [
      "an id that JavaScript cannot tell from the next",
      "insert into dcim_region (id, name, slug) values (9007199254740992, 'r', 'r')"
    ],
    ["a number beyond that", "update extras_webhook set max_in_flight = 9223372036854775807"],
    ["null among tags", "set session_replication_role = replica; update dcim_site set tags = array[null]::bigint[]"]
  ])("refuses %s", async (_, statement) => {
    const statements = statement.split("; ")
    await expect(database.superuser.transaction(...statements)).rejects.toThrow(/violates check constraint/)
  })
})

describe("rows from before the constraints", () => {
  const webhookId = async () =>
    (await sql<{ id: string }>("select id::text as id from extras_webhook where name = 'deep'"))[0]!.id
  const asideRows = () =>
    sql<{ readonly object_type: string; readonly object_id: string; readonly idx: string; readonly reason: string }>(
      "select object_type, object_id, idx::text as idx, reason from rackwire_set_aside order by position, idx"
    )

  beforeAll(async () => {
    await service.make("extras/webhooks", {
      name: "deep",
      content_types: ["dcim.region"],
      type_create: true,
      payload_url: new URL("/deep", receiver.url).href
    })
    for (const { table } of types) {
      for (const { conname } of await sql<{ conname: string }>(
        `select conname::text as conname from pg_constraint where conrelid = '${table}'::regclass and contype = 'c'`
      ))
        await sql(`alter table ${table} drop constraint ${conname}`)
    }
    await database.sql.transaction(
      `insert into dcim_site (name, slug) values ('beside', 'beside')`,
      `update dcim_site set custom_fields = custom_fields || jsonb_build_object('tree', ${deep()}) where id = ${site}`,
      `update extras_webhook set conditions = ${deep()} where name = 'deep'`,
      `insert into dcim_region (id, name, slug) values (9007199254740993, 'big', 'big'), (9007199254740992, 'big2', 'big2')`,
      `insert into dcim_site (name, slug) values ('behind', 'behind')`
    )
    await sql(`insert into dcim_site (name, slug, comments) values ('long', 'long', repeat('x', ${3 * valueBytesMax}))`)
    await sql("delete from dcim_site where slug = 'long'")
    // A deleted row is reported by its key alone then.
    await sql("alter table dcim_site replica identity default")
    await sql("delete from dcim_site where slug = 'beside'")
    await sql("alter table dcim_site replica identity full")
    await passed("second")
  })

  it("are set aside with place and reason, and changes before and after them arrive", async () => {
    const rows = await asideRows()
    expect(rows).toMatchObject([
      { object_type: "dcim.site", object_id: `${site}`, reason: expect.stringContaining("600 levels") },
      { object_type: "extras.webhook", reason: expect.stringContaining("conditions") },
      { object_type: "dcim.region", object_id: "9007199254740993" },
      { object_type: "dcim.region", object_id: "9007199254740992" },
      { object_type: "dcim.site", reason: expect.stringMatching(/^comments: longer than/) },
      { object_type: "dcim.site", reason: expect.stringMatching(/^comments: longer than/) },
      { object_type: "dcim.site", reason: expect.stringContaining("replica identity") }
    ])
    for (const name of ["beside", "behind"]) await receiver.until(({ body }) => body.includes(`"${name}"`))
    const bodies = receiver.received.map(({ body }) => body.toString())
    expect(bodies.filter((body) => body.includes("9007199254740992"))).toEqual([])
    expect(service.output()).toContain("set aside")
    const metrics = await request<never>(service.url, "", "GET", "/metrics")
    expect(metrics.text).toMatch(/^rackwire_changes_set_aside \d/m)
  })

  it("are failed deliveries of the webhooks that ask for such events, and stay so when they are retried", async () => {
    const failed = () =>
      sql<{ object_id: string; message: string; status: string }>(
        `select object_id::text as object_id, message, status from extras_delivery d join extras_webhook w on w.id = webhook_id
          where reason = 'SetAside' and w.name = 'all' order by position, idx`
      )
    const site0 = { status: "failed", object_id: `${site}`, message: expect.stringContaining("600 levels") }
    const big = { status: "failed", object_id: "0", message: expect.stringContaining("9007199254740993") }
    expect((await failed()).slice(0, 2)).toMatchObject([site0, big])
    expect(await failed()).toHaveLength(6)
    const reply = await service.call<{ results: ReadonlyArray<{ id: number }> }>(
      "GET",
      `/api/extras/deliveries/?reason=SetAside&object_id=${site}`
    )
    const retried = await service.call("POST", `/api/extras/deliveries/${reply.json.results[0]!.id}/retry/`)
    expect(retried.status).toBe(409)
    await expect.poll(failed).toHaveLength(6)
    await expect.poll(async () => (await failed())[0]).toMatchObject(site0)
  })

  it("never match as conditions of a webhook", () => {
    expect(receiver.received.filter(({ path }) => path === "/deep")).toEqual([])
  })

  it("are shown by the API with null for unreadable values", async () => {
    const { json, status } = await service.call<{ custom_fields: object }>("GET", `/api/dcim/sites/${site}/`)
    expect([status, json.custom_fields]).toEqual([200, { tree: null, note: "kept" }])
    const hook = `/api/extras/webhooks/${await webhookId()}/`
    expect((await service.call("GET", hook)).json).toMatchObject({ conditions: null })
    const paths = ["/api/dcim/sites/", "/api/dcim/sites/?brief=1", "/api/dcim/sites/?q=hollow", "/api/extras/webhooks/"]
    const exports = ["csv", "json", "yaml"].map((format) => `/api/dcim/sites/export/?format=${format}`)
    const filters = ["cf_note=kept", "cf_tree__empty=true", "cf_note__ic=ke"].map(
      (query) => `/api/dcim/sites/?${query}`
    )
    for (const path of [...paths, ...exports, ...filters]) {
      expect([path, (await service.call("GET", path)).status]).toEqual([path, 200])
    }
  })

  it("are written by the API only if the write replaces the unreadable values", async () => {
    const hook = `/api/extras/webhooks/${await webhookId()}/`
    const refused = await service.call("PATCH", hook, { http_method: "PUT" })
    expect([refused.status, refused.json]).toEqual([400, { conditions: [expect.stringContaining("600 levels")] }])
    const other = await service.call("PATCH", `/api/dcim/sites/${site}/`, { custom_fields: { note: "new" } })
    expect([other.status, other.json]).toEqual([400, { custom_fields: [expect.stringContaining("600 levels")] }])
  })

  it("are set aside once, and survive a restart with its migration", async () => {
    const before = await asideRows()
    await service.stop()
    service = await startService(environment())
    await passed("third")
    expect(await asideRows()).toEqual(before)
    await expect(sql(`update extras_webhook set retry_schedule = ${deep()}`)).rejects.toThrow(/check constraint/)
    const told = await runCommand(["check"], { env: environment() })
    expect(told.output).toContain("CHANGE changes set aside: 7")
    const capturing = async () => {
      type Status = { processes: ReadonlyArray<{ parts: { capture: object } }> }
      const { json } = await service.call<Status>("GET", "/api/status/")
      return json.processes.map(({ parts }) => parts.capture)
    }
    await expect.poll(capturing).toContainEqual(expect.objectContaining({ setAside: expect.anything() }))
    expect(receiver.received.filter(({ path }) => path === "/deep")).toEqual([])
  })

  it("give events again once they are repaired", async () => {
    const reply = await service.call("PATCH", `/api/dcim/sites/${site}/`, { custom_fields: { tree: { leaf: 1 } } })
    expect([reply.status, reply.json]).toMatchObject([200, { custom_fields: { tree: { leaf: 1 }, note: "kept" } }])
    const { body } = await receiver.until(({ body }) => body.includes('"leaf"'))
    expect(JSON.parse(body.toString())).toMatchObject({ event: "updated", snapshots: { prechange: null } })
    const hook = `/api/extras/webhooks/${await webhookId()}/`
    expect((await service.call("PATCH", hook, { conditions: null })).status).toBe(200)
    await passed("fourth")
    await receiver.until(({ path }) => path === "/deep")
  })
})
