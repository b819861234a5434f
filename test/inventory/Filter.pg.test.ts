/** Filters as Postgres answers them: which rows they find, and that each of them may use an index. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeField, value } from "../../src/inventory/Field.ts"
import {
  type ObjectType,
  choice,
  defineObjectType,
  flag,
  integer,
  ref,
  tags,
  text
} from "../../src/inventory/ObjectType.ts"
import { constraint } from "../../src/inventory/derive/filter/Constraint.ts"
import { type Query, filter } from "../../src/inventory/derive/filter/Filter.ts"
import { plan } from "../../src/postgres/migrate/Migration.ts"
import { tableOf } from "../../src/inventory/derive/table/TableOf.ts"
import { extensions } from "../../src/postgres/migrate/Table.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, forbidScans, makeDatabase } from "../support/Database.ts"

const plain = (type: string) => makeField({ type, nullable: true, initial: () => null, parse: value }, {})

/** A field of each kind. */
const thing = defineObjectType({
  app: "test",
  name: "thing",
  plural: "things",
  fields: {
    name: text(),
    note: text({ optional: true }),
    status: choice({ on: "On", off: "Off" }, { optional: true }),
    live: flag({ default: true }),
    size: integer({ optional: true }),
    net: plain("cidr"),
    mac: plain("macaddr"),
    ports: plain("bigint[]"),
    site: ref("dcim.site", { optional: true, onDelete: "set null" }),
    tags: tags()
  },
  paths: { region: "site/region", place: "site" },
  search: ["name", "note", "net"],
  ordering: ["name"],
  brief: ["name"],
  display: (row) => String(row["name"])
})

const address = defineObjectType({
  app: "test",
  name: "address",
  plural: "addresses",
  fields: { address: plain("inet"), owner_type: text({ optional: true }), owner_id: integer({ optional: true }) },
  paths: { owner_site: "owner:dcim.site/name", region: "owner:dcim.site/region" },
  search: [],
  ordering: [],
  brief: [],
  display: (row) => String(row["address"])
})

let database: TestDatabase

const query = (table: string, columns: string, ...rows: ReadonlyArray<string>) =>
  database.sql.query(`insert into ${table} (${columns}) values ${rows.map((row) => `(${row})`).join(", ")}`)

beforeAll(async () => {
  database = await makeDatabase()
  const planned = plan([thing, address].map(tableOf), {
    columns: [],
    definitions: new Map(),
    extensions: new Set(extensions)
  })
  if ("refused" in planned) throw new Error(planned.refused)
  for (const statement of planned.statements) await database.sql.query(statement)
  await database.sql.query("select rackwire_add_day('extras_objectchange', '2026-11-20')::text")
  await query(
    "dcim_region",
    "id, name, slug, parent_id",
    "1, 'EMEA', 'emea', null",
    "2, 'Germany', 'de', 1",
    "3, 'US', 'us', null"
  )
  await query(
    "dcim_site",
    "id, name, slug, region_id",
    "1, 'Berlin', 'ber', 2",
    "2, 'Paris', 'par', 1",
    "3, 'Nowhere', 'no', null"
  )
  await query("extras_tag", "id, name, slug", "1, 'Core', 'core'", "2, 'Edge', 'edge'")
  await query(
    "test_thing",
    "id, name, note, status, live, size, net, mac, ports, site_id, tags",
    `1, 'alpha', 'first_one', 'on', true, 1, '10.0.0.0/8', '00:11:22:33:44:55', '{80,443}', 1, '{1,2}'`,
    `2, 'Beta', '', 'off', false, 20, '10.1.0.0/16', 'aa:bb:cc:dd:ee:ff', '{22}', 2, '{1}'`,
    `3, 'beta%', '50%', null, true, null, 'fd00::/8', null, null, null, '{}'`
  )
  await query(
    "test_address",
    "id, address, owner_type, owner_id",
    "1, '10.0.0.5/24', 'dcim.site', 1",
    "2, '10.0.1.5/16', 'dcim.site', 2",
    "3, 'fd00::5/64', 'dcim.region', 1"
  )
  await query(
    "extras_objectchange",
    "time, user_name, request_id, action, changed_object_type, changed_object_id, position, idx, data, prechange_data, postchange_data",
    "'2026-11-20T10:00Z', 'a', '00000000-0000-4000-8000-000000000001', 'create', 'test.thing', 2, 1, 1, '{}', '{}', '{}'",
    "'2026-11-20T10:00Z', 'a', '00000000-0000-4000-8000-000000000001', 'update', 'test.thing', 3, 1, 2, '{}', '{}', '{}'"
  )
})
afterAll(() => database.drop())

const whereOf = (type: ObjectType, asked: string) => {
  const filtered = filter(type, [...new URLSearchParams(asked)] as Query, allVisible)
  if ("errors" in filtered) throw new Error(JSON.stringify(filtered.errors))
  return filtered.where
}

const found = async (type: ObjectType, { sql, parameters }: ReturnType<typeof whereOf>) => {
  const rows = await database.sql.query<{ readonly id: bigint }>(
    `select id from ${type.table} t where ${sql} order by id`,
    parameters
  )
  return rows.map(({ id }) => Number(id)).join("")
}

/** Each filter and the ids of the things that it finds. */
const asked: ReadonlyArray<readonly [asked: string, ids: string]> = [
  ["name=alpha", "1"],
  ["name=alpha&name=Beta", "12"],
  ["name=Alpha", ""],
  ["name__n=alpha", "23"],
  ["name__ie=ALPHA", "1"],
  ["name__nie=ALPHA", "23"],
  ["name__ic=ET", "23"],
  ["name__ic=%25", "3"],
  ["name__nic=ET", "1"],
  ["name__isw=be", "23"],
  ["name__nisw=be", "1"],
  ["name__iew=A", "12"],
  ["name__niew=A", "3"],
  ["name__regex=^[Bb]eta$", "2"],
  ["name__iregex=^B", "23"],
  ["note__ic=_", "1"],
  ["note__empty=true", "2"],
  ["note__empty=false", "13"],
  ["status=on", "1"],
  ["status=on&status=off", "12"],
  ["status__n=on", "23"],
  ["status=null", "3"],
  ["status=null&status=on", "13"],
  ["status__empty=true", "3"],
  ["live=true", "13"],
  ["live=false&live=true", "123"],
  ["live=perhaps", "123"],
  ["size=20", "2"],
  ["size__n=20", "13"],
  ["size__gt=1", "2"],
  ["size__gte=1", "12"],
  ["size__lt=20&size__gte=1", "1"],
  ["size__lte=20", "12"],
  ["size__empty=true", "3"],
  ["size__empty=false", "12"],
  [Array.from({ length: 40 }, (_, n) => `size=${n}`).join("&"), "12"],
  ["id=1&id=3", "13"],
  ["id__gt=1", "23"],
  ["net=10.0.0.0/8", "1"],
  ["net=10.0.0.5/8", ""],
  ["net__n=10.0.0.0/8", "23"],
  ["within=10.0.0.0/8", "2"],
  ["within_include=10.0.0.0/8", "12"],
  ["within_include=10.0.0.0/8&within_include=fd00::/8", "123"],
  ["contains=10.1.2.3", "12"],
  ["contains=10.2.0.0/24", "1"],
  ["contains__n=10.1.2.3", "3"],
  ["family=4", "12"],
  ["family__n=4", "3"],
  ["mask_length=8", "13"],
  ["mask_length__gte=9", "2"],
  ["mac=00-11-22-33-44-55", "1"],
  ["mac__ic=bb:cc", "2"],
  ["mac__n=00:11:22:33:44:55", "23"],
  ["ports=80", "1"],
  ["ports=80&ports=22", "12"],
  ["ports__n=80", "23"],
  ["ports__empty=true", "3"],
  ["site_id=1", "1"],
  ["site_id__n=1", "23"],
  ["site=ber&site=par", "12"],
  ["site_id=null", "3"],
  ["site_id=null&site_id=2", "23"],
  ["place=par", "2"],
  ["place_id=2", "2"],
  ["region=emea", "12"],
  ["region=de", "1"],
  ["region_id=1", "12"],
  ["region_id__n=2", "23"],
  ["region__n=emea", "3"],
  ["tag=core", "12"],
  ["tag=core&tag=edge", "1"],
  ["tag=core&tag=nope", ""],
  ["tag__n=edge", "23"],
  ["tag=null", "3"],
  ["q=BETA", "23"],
  ["q=10.1.", "2"],
  ["q=  ", "123"],
  ["created_by_request=00000000-0000-4000-8000-000000000001", "2"],
  ["modified_by_request=00000000-0000-4000-8000-000000000001", "23"],
  ["created__lt=2000-01-01", ""],
  ["last_updated__gte=2000-01-01", "123"],
  ["nothing=1&name__nope=x", "123"]
]

test.each(asked)("%s finds the matching objects", async (query, ids) => {
  expect(await found(thing, whereOf(thing, query))).toBe(ids)
})

test.each([
  ["address=10.0.0.5", "1"],
  ["address=10.0.0.5/24", "1"],
  ["address=10.0.0.5/16", ""],
  ["address__n=10.0.0.5", "23"],
  ["parent=10.0.0.0/24", "1"],
  ["parent=10.0.0.0/23", "12"],
  ["parent=10.0.0.0/24&parent=fd00::/16", "13"],
  ["family=6", "3"],
  ["mask_length=16", "2"],
  ["owner_site=Berlin", "1"],
  ["region=emea", "12"]
])("an address with %s is found by where it lies", async (query, ids) => {
  expect(await found(address, whereOf(address, query))).toBe(ids)
})

test("an unknown parameter is an error in strict mode, and an empty one is not", () => {
  const strict = { strict: true, known: new Set(["limit"]) }
  expect(filter(thing, [["nope", "1"]], allVisible, strict)).toEqual({ errors: { nope: ["Unknown filter."] } })
  expect(filter(thing, [["name__lt", "1"]], allVisible, strict)).toEqual({ errors: { name__lt: ["Unknown filter."] } })
  for (const fine of ["limit=1", "name=", "q=", "live=perhaps", "region=emea", "within=", "tag=a"]) {
    expect(filter(thing, [...new URLSearchParams(fine)], allVisible, strict)).toHaveProperty("where")
  }
})

test("a constraint finds the same objects as in Django", async () => {
  const ids = async (document: unknown) => {
    const where = constraint(thing, document)
    return "where" in where ? found(thing, where.where) : "refused"
  }
  expect(await ids({ site__region__slug: "emea" })).toBe("2")
  expect(await ids([{ name__contains: "et" }, { size: 1 }])).toBe("123")
  expect(await ids({ tags__slug: "edge" })).toBe("1")
  expect(await ids({ net__net_contained: "10.0.0.0/8" })).toBe("2")
  expect(await ids({ status: null, live: true })).toBe("3")
  expect(await ids({ size__range: [2, 30] })).toBe("2")
})

describe("an index", () => {
  /** Filters that nothing but a scan can answer: what is denied, and what asks for nothing at all. */
  const scans = /__n|__empty|=null|=perhaps|q= {2}|^nothing|^region_id__n/
  const lying = ["address=10.0.0.5", "address=10.0.0.5/24", "parent=10.0.0.0/24", "family=4", "owner_site=Berlin"]
  const all = [
    ...asked.flatMap(([query]) => (scans.test(query) ? [] : [[query, thing] as const])),
    ...lying.map((query) => [query, address] as const)
  ]

  test.each(all)("can be used for %s", async (query, type) => {
    const { sql, parameters } = whereOf(type, query)
    const lines = await database.sql.query<{ readonly "QUERY PLAN": string }>(
      `explain (costs off) select id from ${type.table} t where ${sql}`,
      parameters
    )
    const text = lines.map((line) => line["QUERY PLAN"]).join("\n")
    expect(text).not.toContain(`Seq Scan on ${type.table}`)
  })

  beforeAll(() => forbidScans(database))
})
