/** The change log of NetBox becomes history here: it can be read, and it is no event. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { captured } from "../support/CaughtUp.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let api: Api

beforeAll(async () => {
  // The key of the move, so that capture can open its message.
  api = await startApi({ SECRET_KEY: "a key of more than thirty-two letters" })
  source = await makeEmptyDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
  // The first ids are taken by changes of ours.
  for (const name of ["A", "B", "C"]) await api.make("dcim/sites", { name, slug: name.toLowerCase() })
  await captured(api.database)
})
afterAll(async () => {
  await api.stop()
  await source.drop()
})

/** Request ids by number. */
const request = (n: number) => `00000000-0000-0000-0000-${`${n}`.padStart(12, "0")}`

const change = (id: number, days: number, rest: string) =>
  `(${id}, now() - interval '${days} days', null, 'ada', '${request(id)}', ${rest})`

const rows: ReadonlyArray<string> = [
  "insert into dcim_site (id, name, slug, status, time_zone, facility) values (7, 'Oslo', 'oslo', 'active', '', '')",
  `create table core_objectchange (id bigint primary key, time timestamptz, user_id int, user_name text, request_id uuid,
     action text, changed_object_type_id int, changed_object_id bigint, related_object_type_id int, related_object_id bigint,
     object_repr text, prechange_data jsonb, postchange_data jsonb)`,
  "insert into django_content_type (id, app_label, model) values (9, 'extras', 'webhook')",
  `insert into core_objectchange values
     ${change(1, 4000, "'create', 1, 7, null, null, 'Old', null, '{}'")},
     ${change(2, 30, `'create', 1, 7, null, null, 'Oslo', null, '{"name": "Oslo", "status": "planned", "tags": ["edge"]}'`)},
     ${change(3, 20, `'update', 1, 7, null, null, 'Oslo', '{"name": "Oslo", "status": "planned"}', '{"name": "Oslo", "status": "active"}'`)},
     ${change(4, 10, `'create', 4, 1, null, null, 'Thing', null, '{"secret": "hidden"}'`)},
     ${change(5, 10, `'create', 9, 1, null, null, 'hook', null, '{"name": "hook", "secret": "hidden", "body_template": ""}'`)},
     ${change(6, 10, "'delete', 9, 1, null, null, 'hook', '{}', null")},
     ${change(7, 10, "'merge', 1, 7, null, null, 'Oslo', null, null")},
     ${change(8, -9, "'update', 1, 7, null, null, 'Oslo', null, null")}`
]

const into = () => ({ from: source.databaseUrl, to: api.database.databaseUrl })
const reportOf = async (options: { readonly isDryRun?: boolean } = {}) => {
  const { report, findings } = await moveInto({ ...into(), ...options })
  const log = report.types.find(({ type }) => type === "extras.objectchange")!
  return { log, older: report.history?.older, findings }
}
const history = () =>
  api.database.sql.query<Readonly<Record<string, unknown>>>(
    "select id::int, user_name, request_id::text, action, changed_object_type as type, object_repr, prechange_data, postchange_data from extras_objectchange where position < 0 order by position"
  )

describe("the change log of NetBox", () => {
  test("is counted by a dry run, which writes nothing", async () => {
    const { log, older } = await reportOf({ isDryRun: true })
    expect(log).toMatchObject({ rows: 7, created: 6, homeless: 1 })
    expect(older).toBe(1)
    expect(await history()).toEqual([])
  })

  test("is here with users, requests and states, but without credentials and days that are not kept", async () => {
    const { log, findings } = await reportOf()
    expect(log).toMatchObject({ rows: 7, created: 4, unchanged: 0, refused: 2, homeless: 1 })
    const found = await history()
    expect(found.map(({ object_repr, action }) => [object_repr, action])).toEqual([
      ["Oslo", "create"],
      ["Oslo", "update"],
      ["hook", "create"],
      ["hook", "delete"]
    ])
    expect(found[1]).toMatchObject({
      ...{ user_name: "ada", request_id: request(3), type: "dcim.site" },
      ...{ prechange_data: { status: "planned" }, postchange_data: { status: "active" } }
    })
    expect(found[2]!["postchange_data"]).toEqual({ name: "hook", secret: "***", body_template: "" })
    const reasons = findings.filter(({ kind }) => kind === "refused")
    expect(reasons.map(({ id }) => id)).toEqual([7, 8])
    const homeless = findings.filter(({ kind, table }) => kind === "homeless" && table === "core_objectchange")
    expect(homeless).toMatchObject([{ id: 4, values: { postchange: '{"secret": "***"}' } }])
  })

  test("keeps its ids where no change of ours has them", async () => {
    const ids = (await history()).map(({ id }) => id as number)
    const own = await api.database.sql.query<{ readonly id: number }>(
      "select id::int from extras_objectchange where position >= 0"
    )
    expect(new Set([...ids, ...own.map(({ id }) => id)]).size).toBe(ids.length + own.length)
    expect(ids.slice(2)).toEqual([5, 6])
    await api.make("dcim/sites", { name: "Later", slug: "later" })
  })

  test("is followed by a second run, which adds what is new alone", async () => {
    expect((await reportOf()).log).toMatchObject({ created: 0, unchanged: 4 })
    await source.sql.query(
      `insert into core_objectchange values ${change(9, 1, `'update', 1, 7, null, null, 'Oslo', '{}', '{"name": "Oslo"}'`)}`
    )
    expect((await reportOf()).log).toMatchObject({ created: 1 })
    expect(await history()).toHaveLength(5)
  })

  test("is compared with the source, and a change that was lost or altered is found", async () => {
    const compared = async () => {
      const { report, deviations } = await verifyInto(into())
      const log = report.types.find(({ type }) => type === "extras.objectchange")!
      return { log, found: deviations.filter(({ type }) => type === "extras.objectchange") }
    }
    // Two changes were refused.
    expect((await compared()).log).toMatchObject({ rows: 7, equal: 5, there: 0, wrong: 2 })
    await api.database.superuser.query(
      "update extras_objectchange set postchange_data = '{}' where position < 0 and id = 5"
    )
    await api.database.superuser.query("delete from extras_objectchange where position < 0 and id = 6")
    const { log, found } = await compared()
    expect(log).toMatchObject({ equal: 3, wrong: 4 })
    expect(found).toContainEqual(expect.objectContaining({ kind: "differs", id: 5 }))
    expect(found).toContainEqual(expect.objectContaining({ kind: "missing here", id: 6 }))
    await reportOf()
    expect((await history()).map(({ id }) => id)).toContain(6)
  })
})

describe("history", () => {
  test("can be read as changes, and is no event for webhooks", async () => {
    await captured(api.database)
    const list = await api.call("GET", "/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=7")
    expect((list.json as { results: ReadonlyArray<object> }).results).toMatchObject([
      { user_name: "ada", action: { value: "update" }, postchange_data: { name: "Oslo" } },
      { action: { value: "update" } },
      { action: { value: "create" } }
    ])
    const fields = { name: "all", content_types: ["dcim.site"], payload_url: "http://127.0.0.1:9/", type_create: true }
    const hook = await api.make("extras/webhooks", { ...fields, type_update: true, enabled: false })
    const sites = await api.call("GET", "/api/dcim/sites/?limit=1")
    const own = (sites.json as { count: number }).count
    const replay = await api.call("POST", `/api/extras/webhooks/${hook}/replay/`, {
      ...{ since: "2000-01-01", until: "2100-01-01", dry_run: true }
    })
    expect(replay.json).toMatchObject({ total: own - 1 })
    const [update] = await api.database.sql.query<{ readonly id: number }>(
      "select id::int from extras_objectchange where position < 0 and action = 'update' order by id limit 1"
    )
    const explained = await api.call("GET", `/api/extras/object-changes/${update!.id}/explain/`)
    expect(explained.json).toMatchObject({ count: 0, lsn: null })
    const journeys = await api.call("GET", "/api/extras/journeys/")
    const lsns = (journeys.json as { results: ReadonlyArray<{ position: string }> }).results
    expect(lsns.every(({ position }) => BigInt(position) > 0n)).toBe(true)
  })
})
