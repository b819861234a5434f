/** The rows that Postgres reads for lists of components, by its own plans: few, however many there are. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { type Query, filter } from "../../src/inventory/derive/filter/Filter.ts"
import { type Where, allOf, allVisible, everything } from "../../src/inventory/derive/filter/Where.ts"
import { pageQuery } from "../../src/inventory/read/Read.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

/** Devices, in sites of five, and ports of each kind of a device. */
const devices = 1000
const perDevice = 8

/** Most rows of its table that a list may read: a twentieth of the ports. */
const most = (devices * perDevice) / 20

const portTypes = ["interface", "consoleport", "powerport", "rearport", "frontport"]

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
  const numbered = `generate_series(1, ${devices}) d, generate_series(1, ${perDevice}) p`
  const id = `(d - 1) * ${perDevice} + p`
  const ports = (table: string, column: string, value: string) =>
    `insert into dcim_${table} (id, device_id, name, label, ${column}) select ${id}, d, 'port ' || p, case when d = 7 then 'printed ' || p else '' end, ${value} from ${numbered}`
  const statements = [
    `insert into dcim_site (id, name, slug) select n, 'site ' || n, 'site-' || n from generate_series(1, ${devices / 5}) n`,
    "insert into dcim_manufacturer (id, name, slug) values (1, 'm', 'm')",
    "insert into dcim_devicetype (id, manufacturer_id, model, slug) values (1, 1, 't', 't')",
    "insert into dcim_devicerole (id, name, slug) values (1, 'r', 'r')",
    `insert into dcim_device (id, name, device_type_id, device_role_id, site_id) select n, 'device ' || n, 1, 1, (n - 1) / 5 + 1 from generate_series(1, ${devices}) n`,
    ports("interface", "type", "case when d = 3 then '40gbase-x-qsfpp' else '1000base-t' end"),
    ports("consoleport", "type", "case when d = 3 then 'usb-a' else 'rj-45' end"),
    ports("powerport", "type", "case when d = 3 then 'nema-1-15p' else 'iec-60320-c14' end"),
    ports("rearport", "type", "case when d = 3 then 'lc' else '8p8c' end"),
    `insert into dcim_frontport (id, device_id, name, label, type, rear_port_id, rear_port_position)
       select id, device_id, name, label, type, id, 1 from dcim_rearport`,
    `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
       select 'dcim.interface', array[n], 'dcim.frontport', array[n] from generate_series(1, 40) n`,
    `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
       select 'dcim.rearport', array[n], 'dcim.rearport', array[n + 20] from generate_series(1, 20) n`,
    `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
       select 'dcim.interface', array[n], 'dcim.interface', array[n + 1000] from generate_series(4001, 5000) n where n % 20 = 0`,
    "update dcim_powerport set mark_connected = true where device_id = 9"
  ]
  for (const statement of statements) await database.sql.query(statement)
  await database.superuser.query("vacuum analyze")
})
afterAll(() => database.drop())

interface Node {
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

/** The rows of a table that the scans of a plan have read, also those that they have left out. */
const readBy = (node: Node, table: string): number => {
  const each =
    node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  const own = node["Relation Name"] === table ? each * node["Actual Loops"] : 0
  return own + (node.Plans ?? []).reduce((sum, below) => sum + readBy(below, table), 0)
}

const rowsRead = async (type: ObjectType, { sql, parameters }: Where): Promise<number> => {
  const [row] = await database.sql.query<{ readonly "QUERY PLAN": readonly [{ readonly Plan: Node }] }>(
    `explain (analyze, format json, timing off) ${sql}`,
    parameters
  )
  return readBy(row!["QUERY PLAN"][0].Plan, type.table)
}

const filtered = (type: ObjectType, query: string): Where => {
  const found = filter(type, [...new URLSearchParams(query)] as Query, allVisible)
  if ("errors" in found) throw new Error(JSON.stringify(found.errors))
  return found.where
}

const page = { limit: 50, offset: 0, ordering: [] }

const queries = [
  ...["device_id=5", "device=device+5", "site_id=3", "site=site-3", "id=77", "label=printed+7", "label__ic=printed"],
  ...["q=printed", "cabled=true", "occupied=true", "cable_end=A", "cable_end=B", "name=nothing", "module_id=1"]
]
/** The type that few of the ports have. */
const rare: Readonly<Record<string, string>> = {
  ...{ interface: "40gbase-x-qsfpp", consoleport: "usb-a", powerport: "nema-1-15p", rearport: "lc", frontport: "lc" }
}

describe.each(portTypes.map((name) => objectType(`dcim.${name}`)))("$id", (type) => {
  const connected = Object.hasOwn(type.asked, "connected") ? ["connected=true"] : []
  test.each([...queries, ...connected, `type=${rare[type.name]}`])("is filtered by index: %s", async (query) => {
    const where = filtered(type, query)
    expect(await rowsRead(type, pageQuery(type, { ...page, where }, everything))).toBeLessThanOrEqual(most)
    const count = { ...where, sql: `select count(*) from ${type.table} t where ${where.sql}` }
    expect(await rowsRead(type, count)).toBeLessThanOrEqual(most)
  })

  test("is read by index, page by page", async () => {
    expect(await rowsRead(type, pageQuery(type, { ...page, where: everything }, everything))).toBeLessThanOrEqual(100)
    const where = allOf({ sql: "t.id >= $1::bigint", parameters: ["7000"] }, everything)
    const cursor = pageQuery(type, { ...page, where, ordering: ["id"] }, everything)
    expect(await rowsRead(type, cursor)).toBeLessThanOrEqual(50)
  })
})

test("cables are read by index, page by page, also those that one statement has made", async () => {
  const type = objectType("dcim.cable")
  await database.sql.query(
    `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
       select 'dcim.interface', array[n], 'dcim.interface', array[n + 1000] from generate_series(6001, 7000) n`
  )
  await database.superuser.query("analyze dcim_cable")
  const where = everything
  expect(await rowsRead(type, pageQuery(type, { ...page, where, offset: 200 }, everything))).toBeLessThanOrEqual(251)
})
