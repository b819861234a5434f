/** Ends of cables get their ids, although triggers made them under others that ends of later pages have. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

/** More ends than a page has, the last ones first. */
const cables = 600
const rows: ReadonlyArray<string> = [
  "insert into dcim_site (id, name, slug, status, time_zone, facility) values (1, 'One', 'one', 'active', '', '')",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, '')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  "insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status) values (20, 'a', 1, 1, 1, 'active')",
  `insert into dcim_interface (id, device_id, name, type) select i, 20, 'eth' || i, '1000base-t' from generate_series(1, ${2 * cables}) i`,
  `insert into dcim_cable (id, status, type) select i, 'connected', 'cat6' from generate_series(1, ${cables}) i`,
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     select ${2 * cables} + 1 - i, (i + 1) / 2, case when i % 2 = 0 then 'B' else 'A' end, 2, i from generate_series(1, ${2 * cables}) i`
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

test("all ends of many cables have the ids of the source", async () => {
  const both = { from: source.databaseUrl, to: target.databaseUrl }
  const { findings, report } = await moveInto(both)
  expect(findings).toEqual([])
  expect(report.types.find(({ type }) => type === "dcim.cabletermination")).toMatchObject({ created: 2 * cables })
  expect((await verifyInto(both)).deviations).toEqual([])
})
