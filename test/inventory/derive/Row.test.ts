import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Row } from "../../../src/inventory/Field.ts"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { blankRow, columnsOf, rowFromJson, textDecoders } from "../../../src/inventory/derive/values/Row.ts"
import { runs } from "../../support/Seed.ts"
import { printed, printedJson, rowOf } from "../Rows.ts"

const types = [...registry.values()].map((type) => [type.id, type] as const)

describe.each(types)("a row of %s", (_, type) => {
  const columnNames = ["id", ...Object.values(type.columns)]

  /** The row as the WAL brings it, decoded. */
  const fromWal = (row: Row): Row => {
    const decoded = textDecoders(type, columnNames).map((decoder, at) => {
      const name = ["id", ...Object.keys(type.fields)][at]!
      const value = row[name]
      if (value === null) return [decoder!.field, null]
      return [decoder!.field, decoder!.decode(name === "id" ? String(row.id) : printed(type.fields[name]!, value))]
    })
    return Object.fromEntries(decoded) as Row
  }

  /** The row as `row_to_json` brings it, decoded. */
  const fromJson = (row: Row): Row => {
    const json: Record<string, unknown> = { id: row.id }
    for (const [name, field] of Object.entries(type.fields)) {
      json[type.columns[name]!] = row[name] === null ? null : printedJson(field, row[name])
    }
    return rowFromJson(type, json)
  }

  test("is the same from the WAL and from a query", () => {
    fc.assert(
      fc.property(rowOf(type), (row) => {
        expect(fromWal(row)).toStrictEqual(row)
        expect(fromJson(row)).toStrictEqual(row)
      }),
      { numRuns: runs(30) }
    )
  })

  test("is restored from its columns", () => {
    fc.assert(
      fc.property(rowOf(type), (row) => {
        const columns = columnsOf(type, row)
        expect(Object.keys(columns).sort()).toEqual([...columnNames].sort())
        const names = Object.entries(type.columns).map(([name, column]) => [name, columns[column]])
        expect({ id: columns["id"], ...Object.fromEntries(names) }).toStrictEqual(row)
      }),
      { numRuns: runs(30) }
    )
  })

  test("has every field, even those without a column", () => {
    const row = rowFromJson(type, { id: 5 })
    expect(Object.keys(row).sort()).toEqual(["id", ...Object.keys(type.fields)].sort())
    expect(new Set(Object.values(row))).toEqual(new Set([5, null]))
    const some = Object.keys(type.fields).slice(0, 3)
    const blank = blankRow(
      type,
      some.map((name) => type.columns[name]!)
    )
    expect(Object.keys(blank)).toEqual(["id", ...Object.keys(type.fields)])
    for (const name of some) expect(blank[name]).toBeNull()
    for (const [name, value] of Object.entries(blank)) expect([name, value]).not.toContain(undefined)
  })
})

describe("columns", () => {
  const site = objectType("dcim.site")

  test("that are not declared are left out", () => {
    expect(textDecoders(site, ["legacy", "name", "region"]).map((decoder) => decoder?.field)).toEqual([
      undefined,
      "name",
      undefined
    ])
    expect(rowFromJson(site, { id: 1, legacy: 5, region_id: 2 })).not.toHaveProperty("legacy")
  })

  test("that are absent get the value of the migration", () => {
    expect(blankRow(site, ["name", "slug"])).toMatchObject({
      status: "active",
      tags: [],
      region: null,
      comments: ""
    })
  })
})
