/** The config contexts that apply to machines, as Postgres finds them: compared with a model of NetBox's rules. */
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { appliedSql } from "../../../src/inventory/context/Applied.ts"
import { objectType } from "../../../src/inventory/Registry.ts"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { seedOf, thorough } from "../../support/Seed.ts"

let database: TestDatabase

/** Two of everything; region 2 is below 1, and so are groups of sites and of tenants, and locations. */
const world = [
  "insert into dcim_region (id, name, slug, parent_id) values (1, 'r1', 'r1', null), (2, 'r2', 'r2', 1)",
  "insert into dcim_sitegroup (id, name, slug, parent_id) values (1, 'g1', 'g1', null), (2, 'g2', 'g2', 1)",
  `insert into dcim_site (id, name, slug, region_id, group_id)
     values (1, 's1', 's1', 1, null), (2, 's2', 's2', 2, 2), (3, 's3', 's3', null, 1)`,
  `insert into dcim_location (id, name, slug, site_id, parent_id)
     values (1, 'l1', 'l1', 2, null), (2, 'l2', 'l2', 2, 1)`,
  "insert into dcim_manufacturer (id, name, slug) values (1, 'm', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug) values (1, 1, 'a', 'a'), (2, 1, 'b', 'b')",
  "insert into dcim_devicerole (id, name, slug) values (1, 'o1', 'o1'), (2, 'o2', 'o2')",
  "insert into dcim_platform (id, name, slug) values (1, 'p1', 'p1'), (2, 'p2', 'p2')",
  "insert into virtualization_clustertype (id, name, slug) values (1, 't1', 't1'), (2, 't2', 't2')",
  "insert into virtualization_clustergroup (id, name, slug) values (1, 'c1', 'c1'), (2, 'c2', 'c2')",
  "insert into virtualization_cluster (id, name, type_id, group_id) values (1, 'k1', 1, null), (2, 'k2', 2, 2)",
  "insert into tenancy_tenantgroup (id, name, slug, parent_id) values (1, 'u1', 'u1', null), (2, 'u2', 'u2', 1)",
  "insert into tenancy_tenant (id, name, slug, group_id) values (1, 'n1', 'n1', null), (2, 'n2', 'n2', 2)",
  "insert into extras_tag (id, name, slug) values (1, 'a1', 'a1'), (2, 'a2', 'a2')"
]

beforeAll(async () => {
  database = await makeDatabase()
  for (const statement of world) await database.sql.query(statement)
})
afterAll(() => database.drop())

const lists =
  "regions site_groups sites locations device_types roles platforms cluster_types cluster_groups clusters tenant_groups tenants tags".split(
    " "
  )

type Lists = Readonly<Record<string, ReadonlyArray<number>>>

interface Machine {
  readonly site: number | null
  readonly location: number | null
  readonly type: number
  readonly role: number
  readonly platform: number | null
  readonly cluster: number | null
  readonly tenant: number | null
  readonly tags: ReadonlyArray<number>
}

const one = fc.constantFrom(1, 2)
const maybe = fc.option(one)

const machine: fc.Arbitrary<Machine> = fc.record({
  ...{ site: fc.constantFrom(1, 2, 3), location: maybe, type: one, role: one, platform: maybe, cluster: maybe },
  ...{ tenant: maybe, tags: fc.subarray([1, 2]) }
})

const context = fc.record({
  weight: fc.constantFrom(1, 2, 1000),
  name: fc.constantFrom("b", "B", "a", "_", "10", "9"),
  isActive: fc.boolean(),
  // Most lists are empty, or no context would apply.
  lists: fc
    .uniqueArray(fc.constantFrom(...lists), { maxLength: 3 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fc.subarray([1, 2], { minLength: 1 })]))))
})

/** The values of a machine that each list is compared with. */
const valuesOf = (of: Machine, isDevice: boolean): Lists => {
  const list = (value: number | null | undefined) => (typeof value === "number" ? [value] : [])
  return {
    regions: of.site === 1 ? [1] : of.site === 2 ? [2, 1] : [],
    site_groups: of.site === 2 ? [2, 1] : of.site === 3 ? [1] : [],
    sites: list(of.site),
    locations: isDevice ? list(of.location) : [],
    device_types: isDevice ? [of.type] : [],
    roles: [of.role],
    platforms: list(of.platform),
    cluster_types: list(of.cluster),
    cluster_groups: of.cluster === 2 ? [2] : [],
    clusters: list(of.cluster),
    tenant_groups: of.tenant === 2 ? [2] : [],
    tenants: list(of.tenant),
    tags: of.tags
  }
}

test("are those whose lists are empty or have a value of the machine, in the order of the merge", async () => {
  const machines = fc.sample(machine, { numRuns: 60, seed: seedOf(1) })
  const contexts = fc.sample(context, { numRuns: 120, seed: seedOf(2) }).map((each, at) => ({
    ...each,
    id: at + 1,
    name: `${each.name} ${at}`
  }))
  const { sql } = database
  for (const { id, name, weight, isActive, lists: named } of contexts) {
    const columns = Object.entries(named).map(([list, ids]) => [list, `'{${ids.join(",")}}'`])
    await sql.query(
      `insert into extras_configcontext (${["id", "name", "weight", "is_active", "data", ...columns.map(([list]) => list)].join(", ")})
       values (${[id, `'${name}'`, weight, isActive, `'{"n": ${id}}'`, ...columns.map(([, ids]) => ids)].join(", ")})`
    )
  }
  const text = (value: number | null) => (value === null ? "null" : `${value}`)
  for (const [at, of] of machines.entries()) {
    const common = `${text(of.site)}, ${of.role}, ${text(of.platform)}, ${text(of.cluster)}, ${text(of.tenant)}, '{${of.tags.join(",")}}'`
    await sql.query(
      `insert into dcim_device (id, name, site_id, device_role_id, platform_id, cluster_id, tenant_id, tags, device_type_id, location_id)
         values (${at + 1}, 'd${at}', ${common}, ${of.type}, ${text(of.site === 2 ? of.location : null)})`
    )
    await sql.query(
      `insert into virtualization_virtualmachine (id, name, site_id, role_id, platform_id, cluster_id, tenant_id, tags)
         values (${at + 1}, 'v${at}', ${common})`
    )
  }
  const ids = machines.map((_, at) => `${at + 1}`)
  let applied = 0
  for (const [type, isDevice] of [
    ["dcim.device", true],
    ["virtualization.virtualmachine", false]
  ] as const) {
    const found = await sql.query<{ readonly kind: string; readonly key: number; readonly ids: ReadonlyArray<number> }>(
      appliedSql(objectType(type)),
      [ids]
    )
    const ofMachines = new Map(found.filter(({ kind }) => kind === "machine").map((row) => [Number(row.key), row.ids]))
    for (const [at, each] of machines.entries()) {
      const of = each.site === 2 ? each : { ...each, location: null }
      const values = valuesOf(of, isDevice)
      const expected = contexts
        .filter(
          ({ isActive, lists: named }) =>
            isActive && Object.entries(named).every(([list, some]) => some.some((id) => values[list]!.includes(id)))
        )
        .sort((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1))
        .map(({ id }) => id)
      expect(ofMachines.get(at + 1), `${type} ${JSON.stringify(each)}`).toEqual(expected)
      applied += expected.length
    }
    const data = new Set(found.filter(({ kind }) => kind === "context").map(({ key }) => Number(key)))
    expect(data).toEqual(new Set([...ofMachines.values()].flat()))
  }
  expect(applied).toBeGreaterThan(500)
})

thorough("are none where they are too many or too large, and none at all where a page has too much", async () => {
  const { sql } = database
  await sql.query("delete from extras_configcontext")
  const add = (from: number, to: number, bytes: number, roles: string) =>
    sql.query(
      `insert into extras_configcontext (id, name, data, roles)
       select n, 'c' || n, jsonb_build_object('x', repeat('x', ${bytes})), '{${roles}}' from generate_series(${from}, ${to}) n`
    )
  const ask = async () => {
    const rows = await sql.query<{
      readonly kind: string
      readonly key: number
      readonly ids: ReadonlyArray<number> | null
    }>(appliedSql(objectType("dcim.device")), [["1001", "1002"]])
    return {
      machines: Object.fromEntries(
        rows.filter(({ kind }) => kind === "machine").map(({ key, ids }) => [key, ids?.length ?? null])
      ),
      contexts: rows.filter(({ kind }) => kind === "context").length,
      isLarge: rows.some(({ kind }) => kind === "large")
    }
  }
  await sql.query(
    "insert into dcim_device (id, name, site_id, device_role_id, device_type_id) values (1001, 'x', 1, 1, 1), (1002, 'y', 1, 2, 1)"
  )
  await add(1, 1001, 1, "1")
  await add(2001, 2002, 1, "2")
  expect(await ask()).toEqual({ machines: { 1001: null, 1002: 2 }, contexts: 2, isLarge: false })
  await sql.query("delete from extras_configcontext where id = 1001")
  expect(await ask()).toEqual({ machines: { 1001: 1000, 1002: 2 }, contexts: 1002, isLarge: false })
  await add(3001, 3005, 250_000, "2")
  expect(await ask()).toEqual({ machines: { 1001: 1000, 1002: null }, contexts: 1000, isLarge: false })
  await sql.query("delete from extras_configcontext where id > 3003")
  await sql.query(
    "update dcim_device set local_context_data = jsonb_build_object('x', repeat('x', 400000)) where id = 1002"
  )
  expect((await ask()).machines).toEqual({ 1001: 1000, 1002: null })
  // Seventeen devices with a mebibyte of their own each are too much for a page.
  await sql.query(
    "insert into dcim_devicerole (id, name, slug) select n, 'x' || n, 'x' || n from generate_series(11, 27) n"
  )
  await sql.query(
    `insert into dcim_device (id, name, site_id, device_role_id, device_type_id)
       select 2000 + n, 'z' || n, 1, n, 1 from generate_series(11, 27) n`
  )
  for (let role = 11; role <= 27; role++) await add(role * 1000, role * 1000 + 3, 258_000, `${role}`)
  const page = async (count: number) => {
    const ids = Array.from({ length: count }, (_, at) => `${2011 + at}`)
    const rows = await sql.query<{ readonly kind: string }>(appliedSql(objectType("dcim.device")), [ids])
    return ["machine", "context", "large"].map((kind) => rows.filter((row) => row.kind === kind).length)
  }
  expect(await page(16)).toEqual([16, 64, 0])
  expect(await page(17)).toEqual([17, 0, 1])
})
