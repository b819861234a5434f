import { describe, expect, test } from "vitest"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { everything } from "../../../src/inventory/derive/filter/Where.ts"
import { readStatement } from "../../../src/inventory/derive/represent/ReadStatement.ts"
import { filledReferences } from "../../../src/inventory/derive/represent/Representation.ts"

const site = objectType("dcim.site")

const typesRead = (type: typeof site, fields?: ReadonlyArray<string>): ReadonlyArray<string> => {
  const page = { sql: `select t.* from ${type.table} t`, parameters: [] }
  const { sql } = readStatement(type, page, () => everything, fields === undefined ? {} : { fields })
  return [...sql.matchAll(/ union all select '([a-z.]+)', row_to_json\(r\)/g)].map(([, id]) => id!).sort()
}

describe("the statement that reads a page", () => {
  test("reads along what any reference may point at", () => {
    expect(typesRead(site)).toEqual(["dcim.region", "dcim.sitegroup", "extras.tag", "ipam.asn", "tenancy.tenant"])
  })

  test("reads along only what the given fields point at", () => {
    expect(typesRead(site, ["tags", "region"])).toEqual(["dcim.region", "extras.tag"])
    const plain = [...registry.values()].filter(({ pointedBy }) => Object.keys(pointedBy).length === 0)
    for (const type of plain) expect([type.id, typesRead(type, [])]).toEqual([type.id, []])
  })
})

test("the references that rows fill are those that hold an id in one of them at least", () => {
  const rows = [
    { id: 1, region: null, tenant: 4, tags: [], asns: [] },
    { id: 2, region: null, tenant: null, tags: [], asns: [7] }
  ]
  expect(filledReferences(site, rows)).toEqual(["tenant", "asns"])
  expect(filledReferences(site, [])).toEqual([])
})
