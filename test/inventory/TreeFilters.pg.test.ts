/** Filters along trees, as NetBox 3.5 has them: children of a parent, and everything within a region. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { filter } from "../../src/inventory/derive/filter/Filter.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase

/** A chain of three: `a`, below it `b`, below that `c`. */
const chain =
  "insert into %s (id, name, slug, parent_id) values (1, 'a', 'a', null), (2, 'b', 'b', 1), (3, 'c', 'c', 2)"

const trees = ["dcim.region", "dcim.sitegroup", "tenancy.tenantgroup", "tenancy.contactgroup"]

beforeAll(async () => {
  database = await makeDatabase()
  for (const id of trees) await database.sql.query(chain.replace("%s", objectType(id).table))
  for (const statement of [
    "insert into dcim_site (id, name, slug, region_id) values (1, 's', 's', 3)",
    `insert into dcim_location (id, name, slug, site_id, parent_id)
       values (1, 'a', 'a', 1, null), (2, 'b', 'b', 1, 1), (3, 'c', 'c', 1, 2)`,
    "insert into dcim_manufacturer (id, name, slug) values (1, 'm', 'm')",
    "insert into dcim_devicetype (id, manufacturer_id, model, slug) values (1, 1, 't', 't')",
    "insert into dcim_devicerole (id, name, slug) values (1, 'r', 'r')",
    "insert into dcim_device (id, name, device_type_id, device_role_id, site_id, location_id) values (1, 'd', 1, 1, 1, 3)",
    `insert into dcim_interface (id, device_id, name, type, parent_id, bridge_id, lag_id)
       values (1, 1, 'a', 'lag', null, null, null), (2, 1, 'b', 'virtual', 1, 1, 1), (3, 1, 'c', 'virtual', 2, 2, 2)`,
    `insert into dcim_inventoryitem (id, device_id, name, parent_id)
       values (1, 1, 'a', null), (2, 1, 'b', 1), (3, 1, 'c', 2)`
  ]) {
    await database.sql.query(statement)
  }
})
afterAll(() => database.drop())

const found = async (id: string, name: string, value: string) => {
  const type = objectType(id)
  const filtered = filter(type, [[name, value]], allVisible)
  if ("errors" in filtered) throw new Error(JSON.stringify(filtered.errors))
  const { sql, parameters } = filtered.where
  const rows = await database.sql.query<{ readonly id: bigint }>(
    `select id from ${type.table} t where ${sql} order by id`,
    parameters
  )
  return rows.map((row) => String(row.id)).join(" ")
}

test.each(trees)("the parent of a %s is asked for its children, and null for the top", async (id) => {
  expect(await found(id, "parent_id", "1")).toBe("2")
  expect(await found(id, "parent", "a")).toBe("2")
  expect(await found(id, "parent_id__n", "1")).toBe("1 3")
  expect(await found(id, "parent_id", "null")).toBe("1")
})

test("the parent of a location is asked for everything below it", async () => {
  expect(await found("dcim.location", "parent_id", "1")).toBe("2 3")
  expect(await found("dcim.location", "parent", "b")).toBe("3")
})

test.each([
  ["dcim.interface", "parent_id"],
  ["dcim.interface", "bridge_id"],
  ["dcim.interface", "lag_id"],
  ["dcim.inventoryitem", "parent_id"]
])("a %s is found by the one that its %s names, not by those further up", async (id, name) => {
  expect(await found(id, name, "1")).toBe("2")
})

test("other references find what is within a region, a group or a location", async () => {
  expect(await found("dcim.site", "region", "a")).toBe("1")
  expect(await found("dcim.location", "region_id", "1")).toBe("1 2 3")
  expect(await found("dcim.device", "location_id", "1")).toBe("1")
})

test.each(["dcim.interface", "dcim.inventoryitem"])("a %s is found by the location of its device alone", async (id) => {
  expect(await found(id, "location_id", "1")).toBe("")
  expect(await found(id, "location", "b")).toBe("")
  expect(await found(id, "location", "c")).toBe("1 2 3")
  expect(await found(id, "location_id", "null")).toBe("")
})
