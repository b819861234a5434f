/** A service of our own is the NetBox that is read by its API, which is that of NetBox 3.5. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { registry } from "../../../src/inventory/Registry.ts"
import { type Existing, makeWorld } from "../../support/AnyObject.ts"
import { type Api, environmentOf, startApi } from "../../support/Api.ts"
import { runCommand } from "../../support/Command.ts"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { makeScratch } from "../../support/Scratch.ts"
import { apiAt, moveInto, verifyInto } from "../Source.ts"

let source: Api
let target: TestDatabase
let world: Existing
let token: string

const make = async (path: string, body: object) => {
  const { status, json, text } = await source.call<{ readonly id: number }>("POST", `/api/${path}/`, body)
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`)
  return json.id
}

beforeAll(async () => {
  ;[source, target] = [await startApi(), await makeDatabase()]
  world = await makeWorld(source.call, 2)
  const group = await make("users/groups", { name: "staff" })
  const user = await make("users/users", { username: "ada", password: "correct horse battery", groups: [group] })
  await make("users/permissions", { name: "see", object_types: ["dcim.site"], actions: ["view"], users: [user] })
  const field = { content_types: ["tenancy.tenant"], object_type: "dcim.site" }
  await make("extras/custom-fields", { ...field, name: "home", type: "object" })
  await make("extras/custom-fields", { ...field, name: "homes", type: "multiobject" })
  await make("extras/custom-fields", { name: "raw", type: "json", content_types: ["tenancy.tenant"] })
  const [one, other] = world("dcim.site")
  const custom_fields = { home: one, homes: [one, other], raw: { id: 1, value: 5, label: "x", long: 0.1 } }
  await make("tenancy/tenants", { name: "T", slug: "t", custom_fields, tags: [world("extras.tag")[0]] })
  token = await source.newToken()
})
afterAll(async () => {
  await source.stop()
  await target.drop()
})

const both = () => ({ from: apiAt(source.service.url, token), to: target.databaseUrl })

type Row = Readonly<Record<string, unknown>>

/** Fields that the API shows otherwise, without an order, or not at all. */
const unequal = (field: string): boolean =>
  /^(?:content_types|custom_fields|password|is_superuser|enabled|api_token)$/.test(field)

/** The objects of a database, each as a text. */
const everything = async ({ superuser }: TestDatabase) => {
  const all: Array<string> = []
  for (const { id, table, kind, isReadOnly } of registry.values()) {
    if (id === "users.token" || ((kind === "record" || isReadOnly) && id !== "dcim.cabletermination")) continue
    const rows = await superuser.query<{ readonly row: Row }>(
      `select row_to_json(t) as row from ${table} t order by id`
    )
    for (const { row } of rows)
      all.push(`${id} ${JSON.stringify(Object.entries(row).filter(([name]) => !unequal(name)))}`)
  }
  return all
}

describe("a move from a running NetBox", () => {
  test("that is only tried reports everything, and writes nothing", async () => {
    const { report, findings } = await moveInto({ ...both(), isDryRun: true })
    expect(report).toMatchObject({ release: "3.5", isDryRun: true, unreadable: [], tables: [] })
    expect(findings).toEqual([])
    expect(report.types.filter(({ rows }) => rows > 0).length).toBeGreaterThan(88)
    expect(await everything(target)).toEqual([])
  })

  test("writes every object as it is there, but for passwords and tokens", async () => {
    const { findings } = await moveInto({ ...both(), enablesWebhooks: true })
    expect(findings).toEqual([])
    expect(await everything(target)).toEqual(await everything(source.database))
    const users = "select username, password = '!' as has_none, is_superuser as root from users_user order by id"
    expect(await target.superuser.query(users)).toEqual([
      { username: "admin", has_none: true, root: false },
      { username: "ada", has_none: true, root: false }
    ])
    const parts = `select attachment_id, dcim_devicetype_front_image as front, dcim_devicetype_rear_image as rear, part, bytes
      from rackwire_image_part order by 1, 2, 3, 4`
    expect((await target.superuser.query(parts)).length).toBeGreaterThan(2)
    expect(await target.superuser.query(parts)).toEqual(await source.database.superuser.query(parts))
    const fields = "select custom_fields from tenancy_tenant where name = 'T'"
    expect(await target.superuser.query(fields)).toEqual(await source.database.superuser.query(fields))
    expect((await verifyInto(both())).deviations).toEqual([])
  })

  test("follows changes, and reports objects that were changed on both sides", async () => {
    const [region, other] = world("dcim.region")
    const [entry] = world("extras.journalentry")
    const none = await moveInto(both())
    expect(none.report.types.filter(({ rows, unchanged }) => rows !== unchanged)).toEqual([])
    await source.call("PATCH", `/api/dcim/regions/${region}/`, { description: "there" })
    await source.call("PATCH", `/api/dcim/regions/${other}/`, { description: "there" })
    await source.call("DELETE", `/api/extras/journal-entries/${entry}/`)
    await make("dcim/manufacturers", { name: "Later", slug: "later" })
    await target.superuser.query(
      `update dcim_region set description = 'here', last_updated = now() where id = ${other}`
    )
    const { report, findings } = await moveInto(both())
    const of = (type: string) => report.types.find((each) => each.type === type)
    expect(of("dcim.region")).toMatchObject({ updated: 1, conflicts: 1 })
    expect(of("extras.journalentry")).toMatchObject({ deleted: 1, unchanged: 1 })
    expect(of("dcim.manufacturer")).toMatchObject({ created: 1 })
    expect(findings.map(({ kind, id }) => [kind, id])).toEqual([["conflict", other]])
    await moveInto({ ...both(), prefer: "source" })
    expect((await verifyInto(both())).deviations).toEqual([])
  })
})

describe("the command", () => {
  const folder = makeScratch("rackwire-move-api-")
  let files = 0
  const run = (...more: ReadonlyArray<string>) => {
    const file = join(folder, `${++files}`)
    return runCommand(["move", source.service.url, ...more, "--left-out", file], { env: environmentOf(target) })
  }

  test("says first what a move by the API leaves behind, and never shows the token", async () => {
    const { code, output } = await run("--token", token, "--dry-run")
    expect(code).toBe(0)
    expect(output).toMatch(/^A move by the API leaves behind: passwords .* the change log, images/)
    expect(output).toMatch(/\nNetBox 3\.5, \d+ rows of \d+ object types/)
    expect(output).not.toContain(token)
  })

  test("refuses a token that NetBox refuses, in words", async () => {
    const wrong = "f".repeat(40)
    const { code, output } = await run("--token", wrong)
    expect(code).toBe(1)
    expect(output).toContain("GET /api/status/ answers with 403. NetBox refuses the token")
    expect(output).not.toContain(wrong)
  })

  test("wants a token, and an address alone", async () => {
    const ofCommand = async (...args: ReadonlyArray<string>) =>
      (await runCommand(["move", ...args], { env: environmentOf(target) })).output
    expect(await ofCommand("https://netbox.example")).toContain("is read with a token: --token")
    expect(await ofCommand("https://netbox.example", "--token", "two words")).toContain("characters that no token has")
    expect(await ofCommand("https://me:x@netbox.example", "--token", "t")).toContain("has a user: name a token")
    expect(await ofCommand("https://netbox.example/?a=b", "--token", "t")).toContain("has a query")
    expect(await ofCommand("postgresql://me@localhost/netbox", "--token", "t")).toContain(
      "--token is for a NetBox at https://"
    )
    expect(existsSync("rackwire-move.jsonl")).toBe(false)
  })
})
