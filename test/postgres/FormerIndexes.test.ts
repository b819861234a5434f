/** Which indexes a migration drops. */
import { expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { tableOf } from "../../src/inventory/derive/table/TableOf.ts"
import { formerIndexes } from "../../src/postgres/migrate/FormerIndexes.ts"

const tables = [...registry.values()].map(tableOf)
const own = tables.flatMap(({ name: table, indexes }) =>
  indexes.flatMap(({ name, sql, unique }) => (unique ? [] : [{ name, table, comment: sql }]))
)

it("keeps every declared index", () => {
  expect(own.length).toBeGreaterThan(500)
  expect(formerIndexes(tables, own)).toEqual([])
})

it("drops every index of ours that is not declared any more", () => {
  const bare = tables.map((table) => ({ ...table, indexes: [] }))
  expect(formerIndexes(bare, own)).toEqual(own.map(({ name }) => name))
})

it.each([
  ["on a table of others", { name: "audit_time_idx", table: "audit", comment: "(time)" }],
  ["of another name", { name: "site_by_facility", table: "dcim_site", comment: "(facility)" }],
  ["of another name for the table", { name: "report_facility_idx", table: "dcim_site", comment: "(facility)" }],
  ["with words as its comment", { name: "dcim_site_facility_idx", table: "dcim_site", comment: "for (weekly) reports" }]
])("keeps an index %s", (_, index) => {
  expect(formerIndexes(tables, [index])).toEqual([])
})
