/** The order of lists: numbers in names count as numbers, and in a tree each object follows its parent. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type User, makeUser, permit } from "../auth/Users.ts"
import { registry } from "../../src/inventory/Registry.ts"
import { isTaxonomy } from "../../src/inventory/derive/filter/Path.ts"
import { orderBy } from "../../src/inventory/derive/table/Order.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let ann: User

beforeAll(async () => {
  api = await sharedApi()
  ann = await makeUser(api, "ann")
})
afterAll(() => api.stop())

const names = async (path: string, call: User["call"] = api.call) =>
  ((await call("GET", path)).json["results"] as ReadonlyArray<Json>).map(({ name }) => name)

test("names are ordered by the numbers in them, and letters beside each other whatever their case", async () => {
  const sites = "/api/dcim/sites/"
  const [site] = await api.makeAll(
    "dcim/sites",
    ["s10", "s2", "S1", "Zug", "Ägeri", "basel"].map((name, at) => ({ name, slug: `s-${at}` }))
  )
  const order = ["Ägeri", "basel", "S1", "s2", "s10", "Zug"]
  expect(await names(sites)).toEqual(order)
  expect(await names(`${sites}?ordering=name`)).toEqual(order)
  expect(await names(`${sites}?ordering=-name`)).toEqual(order.toReversed())
  expect(await names(`${sites}?limit=2&offset=3`)).toEqual(["s2", "s10"])
  await api.makeAll(
    "dcim/racks",
    ["R10", "R9"].map((name) => ({ name, site }))
  )
  expect(await names("/api/dcim/racks/")).toEqual(["R9", "R10"])
  const [manufacturer] = await api.makeAll("dcim/manufacturers", [named("m")])
  const [type] = await api.makeAll("dcim/device-types", [{ manufacturer, model: "t", slug: "t" }])
  const [role] = await api.makeAll("dcim/device-roles", [named("r")])
  const device = { device_type: type, device_role: role, site }
  const [first] = await api.makeAll("dcim/devices", [
    { ...device, name: "d10" },
    { ...device, name: "d9" }
  ])
  expect(await names("/api/dcim/devices/")).toEqual(["d9", "d10"])
  await api.makeAll(
    "dcim/interfaces",
    ["eth10", "eth2", "eth1/10", "eth1/9"].map((name) => ({ name, device: first, type: "virtual" }))
  )
  expect(await names("/api/dcim/interfaces/")).toEqual(["eth1/9", "eth1/10", "eth2", "eth10"])
})

test("in a tree each object follows its parent, siblings by name", async () => {
  const path = "/api/dcim/regions/"
  const [west, east] = await api.makeAll("dcim/regions", [named("west"), named("east")])
  const [w10] = await api.makeAll("dcim/regions", [
    { ...named("w10"), parent: west },
    { ...named("w9"), parent: west }
  ])
  await api.makeAll("dcim/regions", [
    { ...named("a"), parent: w10 },
    { ...named("z"), parent: east }
  ])
  const tree = ["east", "z", "west", "w9", "w10", "a"]
  expect(await names(path)).toEqual(tree)
  expect(await names(`${path}?limit=2&offset=2`)).toEqual(["west", "w9"])
  expect(await names(`${path}?parent=west`)).toEqual(["w9", "w10"])
  expect(await names(`${path}?ordering=name`)).toEqual(["a", "east", "w9", "w10", "west", "z"])
  // Ancestors of a hidden object do not order the objects below it.
  const constraints = ["a", "w9", "east", "z", "w10"].map((name) => ({ name }))
  await permit(api, ann.id, { types: ["dcim.region"], actions: ["view"], constraints })
  expect(await names(path, ann.call)).toEqual(["east", "z", "w9", "w10", "a"])
})

const ordered = [...registry.values()].filter((type) => type.kind === "object" && !isTaxonomy(type))

test.each(ordered.map((type) => [type.id, type] as const))(
  "the usual list of %s is read by an index, without sorting all rows",
  async (_, type) => {
    await api.database.sql.transaction(
      "set local enable_seqscan = off",
      "set local enable_sort = off",
      // The database may have the table of an earlier run of this file.
      `drop table if exists plan_of_${type.table}`,
      `create table plan_of_${type.table} as select ''::text as line where false`,
      `do $$ declare line text; begin
         for line in explain (costs off) select * from ${type.table} t order by ${orderBy(type, [])} limit 50 loop
           insert into plan_of_${type.table} values (line);
         end loop;
       end $$`
    )
    const lines = await api.database.sql.query<{ readonly line: string }>(`select line from plan_of_${type.table}`)
    const plan = lines.map(({ line }) => line.trim().replace(/^->\s*/, ""))
    expect(plan.filter((line) => line === "Sort" || line.startsWith("Seq Scan"))).toEqual([])
    expect(plan.filter((line) => /^Index Scan (Backward )?using/.test(line))).toHaveLength(1)
  }
)
