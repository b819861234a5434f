import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Row } from "../../../src/inventory/Field.ts"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { typeNamed } from "../../../src/inventory/field/Ends.ts"
import {
  brief,
  references,
  representation,
  snapshot,
  viewOf
} from "../../../src/inventory/derive/represent/Representation.ts"
import { rowOf } from "../Rows.ts"
import { runs } from "../../support/Seed.ts"

const base = "https://inventory.example"
const types = [...registry.values()]
const named = types.map((type) => [type.id, type] as const)

const visible = (type: ObjectType) =>
  Object.keys(type.fields).filter((name) => ["both", "read"].includes(type.fields[name]!.wire))
/** Hidden fields, but for the types of ends of cables, which are shown with the ends. */
const secret = (type: ObjectType) => {
  const types = Object.values(type.fields).map(({ reference }) => reference?.ends?.typeIn)
  const shown = new Set([...visible(type), ...types])
  return Object.keys(type.fields).filter((name) => !shown.has(name))
}

/** Stands in every secret; numbers and flags cannot hold it. Its start is what a token shows of its key. */
const marker = "012345-marker"

/** A row with the marker in every secret that can hold it. */
const marked = (type: ObjectType, row: Row): Row => ({
  ...row,
  ...Object.fromEntries(
    secret(type)
      .filter((name) => !/^(bigint|boolean)/.test(type.fields[name]!.type))
      .map((name) => [name, type.fields[name]!.type === "json" ? { [marker]: [marker] } : marker])
  )
})

/** Rows of every type to choose from: a world of its own for each run would take minutes. */
const stock = new Map(
  types.map((type) => [type.id, fc.sample(rowOf(type), { numRuns: 20 }).map((row, id) => marked(type, { ...row, id }))])
)

const pointing = (type: ObjectType, row: Row): Row => ({
  ...row,
  ...Object.fromEntries(
    Object.entries(type.fields).flatMap(([name, { reference }]) =>
      reference === undefined || row[name] === null ? [] : [[name, reference.many ? [0, 1, 2, 9] : 0]]
    )
  )
})

/** A few rows of every type, so that references point at something, or at nothing. */
const world = fc.record({ from: fc.nat(17), count: fc.integer({ min: 1, max: 3 }) }).map(({ from, count }) => {
  const find = (id: string, at: number) => {
    const row = at < count ? stock.get(id)?.[from + at] : undefined
    return row === undefined ? undefined : pointing(objectType(id), { ...row, id: at })
  }
  return { find, view: viewOf(base, { row: find }) }
})

describe.each(named)("an object of %s", (_, type) => {
  test("shows its secrets in no representation and no snapshot", () => {
    fc.assert(
      fc.property(world, ({ find, view }) => {
        const row = find(type.id, 0)!
        const shown = [representation(type, row, view), brief(type, row, view), snapshot(type, row, view)]
        expect(JSON.stringify(shown)).not.toContain(marker)
        for (const each of shown) for (const name of secret(type)) expect(each).not.toHaveProperty([name])
      }),
      { numRuns: runs(30) }
    )
  })

  test("has id, url and display, then its visible fields in the order of the declaration", () => {
    fc.assert(
      fc.property(world, ({ find, view }) => {
        const row = find(type.id, 0)!
        expect(Object.keys(representation(type, row, view))).toEqual([
          "id",
          "url",
          "display",
          ...visible(type),
          ...Object.keys(type.derived).filter((name) => type.derived[name]!.isApart !== true)
        ])
        expect(Object.keys(brief(type, row, view))).toEqual([
          "id",
          "url",
          "display",
          ...type.brief.filter((name) => !Object.hasOwn(type.counts, name))
        ])
        expect(Object.keys(snapshot(type, row, view))).toEqual(visible(type))
      }),
      { numRuns: runs(30) }
    )
  })

  test("contains its address and its name", () => {
    fc.assert(
      fc.property(world, ({ find, view }) => {
        const row = find(type.id, 0)!
        const heading = { id: 0, url: `${base}${type.path}0/`, display: type.display(row, view) }
        expect(representation(type, row, view)).toMatchObject(heading)
        expect(brief(type, row, view)).toMatchObject(heading)
      }),
      { numRuns: runs(30) }
    )
  })

  test("is JSON in every form, without undefined values", () => {
    fc.assert(
      fc.property(world, ({ find, view }) => {
        const row = find(type.id, 0)!
        for (const shown of [representation(type, row, view), brief(type, row, view), snapshot(type, row, view)]) {
          expect(JSON.parse(JSON.stringify(shown))).toStrictEqual(shown)
        }
      }),
      { numRuns: runs(30) }
    )
  })

  test("refers to the objects of all its references", () => {
    fc.assert(
      fc.property(fc.array(rowOf(type), { maxLength: 3 }), (rows) => {
        const found = references(type, rows)
        for (const [name, { reference }] of Object.entries(type.fields)) {
          if (reference === undefined) continue
          const known = (row: Row, id: unknown) => found.get(typeNamed(reference, row))?.has(id as number) === true
          const unknown = rows.flatMap((row) => [row[name] ?? []].flat().filter((id) => !known(row, id)))
          expect(unknown).toEqual([])
        }
        const pointed = Object.entries(type.fields).flatMap(([name, { reference, generic }]) => {
          const { ends } = reference ?? {}
          if (ends !== undefined)
            return [reference!.type, ...rows.map((row) => String(row[ends.typeIn] ?? reference!.type))]
          if (generic === undefined) return reference?.type ?? []
          return rows.flatMap((row) => (row[name] === null || row[generic.id] === null ? [] : String(row[name])))
        })
        expect([...found.keys()].sort()).toEqual([...new Set(pointed)].sort())
      }),
      { numRuns: runs(30) }
    )
  })
})

const site = objectType("dcim.site")
const region: Row = { id: 3, name: "EMEA", slug: "emea", parent: 2, description: "x", tags: [], created: null }
const tag = (id: number, name: string): Row => ({ id, name, slug: name, color: "aa1409", description: "" })
const rows: Readonly<Record<string, ReadonlyArray<Row>>> = {
  "dcim.region": [region],
  "extras.tag": [tag(1, "b"), tag(2, "a")]
}
const view = viewOf(base, { row: (type, id) => rows[type]?.find((row) => row.id === id) })
const row: Row = {
  ...Object.fromEntries(Object.entries(site.fields).map(([name, { type }]) => [name, type.endsWith("[]") ? [] : null])),
  id: 7,
  name: "Ort",
  slug: "ort",
  status: "active",
  region: 3,
  latitude: 52.52,
  tags: [1, 2, 5],
  created: "2026-11-20T23:48:01.5Z"
}

describe("an object that points at others", () => {
  test("contains their brief representations, without deleted objects", () => {
    const url = (path: string) => `${base}/api/${path}`
    expect(representation(site, row, view)).toMatchObject({
      id: 7,
      url: url("dcim/sites/7/"),
      display: "Ort",
      status: { value: "active", label: "Active" },
      region: { id: 3, url: url("dcim/regions/3/"), display: "EMEA", name: "EMEA", slug: "emea" },
      latitude: 52.52,
      tags: [
        { id: 1, url: url("extras/tags/1/"), display: "b", name: "b", slug: "b", color: "aa1409" },
        { id: 2, url: url("extras/tags/2/"), display: "a", name: "a", slug: "a", color: "aa1409" }
      ]
    })
    expect(representation(site, { ...row, region: 9 }, view)).toMatchObject({ region: null })
    expect(representation(site, { ...row, region: null }, view)).toMatchObject({ region: null })
  })

  test("is flat in a snapshot: ids, values, texts of decimals, sorted names of tags", () => {
    expect(snapshot(site, row, view)).toMatchObject({
      name: "Ort",
      status: "active",
      region: 3,
      latitude: "52.520000",
      tags: ["a", "b"],
      created: "2026-11-20",
      last_updated: row["last_updated"]
    })
    expect(representation(site, row, view)).toMatchObject({ created: "2026-11-20T23:48:01.5Z" })
    expect(snapshot(site, row, view)).not.toHaveProperty("id")
    expect(snapshot(site, { ...row, region: 9 }, view)).toMatchObject({ region: 9 })
  })

  test("can list the references of some fields only", () => {
    expect(references(site, [row], ["tags", "name"])).toEqual(new Map([["extras.tag", new Set([1, 2, 5])]]))
    expect(references(site, [row, { ...row, region: 4 }], ["region"])).toEqual(
      new Map([["dcim.region", new Set([3, 4])]])
    )
  })
})

describe("generated rows", () => {
  test("contain the marker in some type, so that its absence elsewhere is significant", () => {
    const [sample] = fc.sample(world, { numRuns: 1 })
    const holders = types.filter(({ id }) => JSON.stringify(sample!.find(id, 0)).includes(marker))
    const ids = holders.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(["extras.objectchange", "extras.webhook", "users.token", "users.user"]))
  })
})
