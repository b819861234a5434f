import { describe, expect, test } from "vitest"
import { literal } from "../../../src/postgres/Literal.ts"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { tableOf, uniqueName, uniquesOf } from "../../../src/inventory/derive/table/TableOf.ts"
import type { Table } from "../../../src/postgres/migrate/Table.ts"

const types = [...registry.values()].map((type) => [type.id, type, tableOf(type)] as const)

/** Longest name that Postgres keeps whole, bytes. */
const nameSizeMax = 63

/** Words that Postgres takes for a column only in quotes: `pg_get_keywords()`, classes R and T. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
  column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
  full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
  returning right select session_user similar some symmetric system_user table tablesample then to trailing true union
  unique user using variadic verbose when where window with`.split(/\s+/)
)

const definitions = ({ constraints, indexes, triggers }: Table) => [...constraints, ...indexes, ...triggers]
const named = (table: Table) => definitions(table).map(({ name }) => name)

describe("the tables of all object types", () => {
  const tables = types.map(([, , table]) => table)
  const names = tables.flatMap((table) => [table.name, ...named(table)])

  test("have names that Postgres does not truncate and that need no quotes", () => {
    for (const name of [...names, ...tables.flatMap(({ columns }) => columns.map((column) => column.name))]) {
      expect(name).toMatch(/^[a-z_][a-z0-9_]*$/)
      expect(Buffer.byteLength(name), `${name}`).toBeLessThanOrEqual(nameSizeMax)
    }
  })

  test("have columns whose names are no keywords of SQL", () => {
    const columns = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    expect(columns.filter((place) => reserved.has(place.split(".")[1]!))).toEqual([])
  })

  test("share no name among tables, constraints, indexes and triggers", () => {
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })
})

describe.each(types)("the table of %s", (_, type, table) => {
  test("has one column for each field, with a unique name", () => {
    const columns = table.columns.map(({ name }) => name)
    expect(columns).toEqual(Object.keys(type.fields).map((name) => type.columns[name]))
    expect(new Set([...columns, "id"]).size).toBe(columns.length + 1)
  })

  test("names its types as Postgres does, and allows null exactly if the field does", () => {
    const known =
      /^(bigint|boolean|text|uuid|jsonb?|numeric\(\d+,\d+\)|date|timestamp with time zone|inet|cidr|macaddr8?|(text|bigint|integer)\[\])$/
    for (const { type } of table.columns) expect(type).toMatch(known)
    expect(table.columns.map(({ nullable }) => nullable)).toEqual(
      Object.values(type.fields).map((field) => field.nullable)
    )
  })

  test("is published and refuses truncation exactly if its changes are events", () => {
    expect(table.published).toBe(type.kind === "object")
    expect(named(table).includes(`${type.table}_no_truncate`)).toBe(table.published)
    expect(named(table).includes(`${type.table}_touch`)).toBe("last_updated" in type.fields)
    expect(named(table).includes(`${type.table}_announce`)).toBe(type.announced)
  })

  test("has a unique constraint with the name that errors use for each uniqueness", () => {
    const unique = uniquesOf(type).map((each) => uniqueName(type, each))
    const single = Object.keys(type.fields).filter((name) => type.fields[name]!.unique)
    expect(uniquesOf(type).slice(0, single.length)).toEqual(single.map((name) => ({ fields: [name] })))
    const held = [
      ...table.constraints.filter(({ sql }) => sql.startsWith("unique ")),
      ...table.indexes.filter((index) => index.unique)
    ]
    expect(held.map(({ name }) => name).sort()).toEqual(unique.sort())
  })

  test("has constraints for its choices and lengths", () => {
    for (const [name, { choices, constraint }] of Object.entries(type.fields)) {
      const check = table.constraints.find((each) => each.name === `${type.table}_${type.columns[name]}_check`)
      expect(check !== undefined).toBe(constraint !== undefined)
      // But for the root of a path into JSON.
      expect(check?.sql ?? "").not.toMatch(/\$(?!\.)/)
      for (const choice of Object.keys(choices ?? {})) expect(check?.sql).toContain(literal(choice))
    }
  })
})

const references = types.flatMap(([id, type, table]) =>
  Object.entries(type.fields).flatMap(([name, { reference }]) =>
    reference === undefined ? [] : [{ place: `${id}.${name}`, name, type, table, reference }]
  )
)

describe("a reference", () => {
  const single = references.filter(({ reference }) => !reference.many)
  // Triggers of their own keep ends of cables, and what paths lead to.
  const many = references.filter(({ reference }) => reference.many && reference.ends === undefined)

  test.each(single)(
    "has an index, and a foreign key unless it outlives its target: $place",
    ({ name, type, table, reference }) => {
      const column = type.columns[name]!
      const key = table.constraints.find((each) => each.name === `${type.table}_${column}_fkey`)
      const target = objectType(reference.type).table
      const action = reference.onDelete === "protect" ? "restrict" : reference.onDelete
      const sql = `foreign key (${column}) references ${target} (id) on delete ${action}`
      expect(key?.sql).toBe(reference.onDelete === "keep" ? undefined : sql)
      // A covering index of the reference's name takes the place of its own.
      const covering = type.coveringIndexes.find((index) => index.name === column)
      const keys = covering?.fields.map((field) => type.columns[field]).join(", ") ?? column
      expect(table.indexes).toContainEqual({ name: `${type.table}_${column}_idx`, sql: `(${keys})`, unique: false })
    }
  )

  test.each(many)("to many has an index and triggers on both sides: $place", ({ name, type, table, reference }) => {
    const target = objectType(reference.type).table
    const sql = Object.fromEntries(definitions(table).map((each) => [each.name, each.sql]))
    expect(sql[`${type.table}_${name}_exist`]).toBe(
      `before insert or update of ${name} on ${type.table} for each row when (new.${name} <> '{}') execute function rackwire_check_list('${target}', '${name}')`
    )
    expect(sql[`${type.table}_${name}_forget`]).toBe(
      `after delete on ${target} for each row execute function rackwire_forget('${type.table}', '${name}')`
    )
    expect(sql[`${type.table}_${name}_idx`]).toBe(`using gin (${name})`)
  })
})

describe("a uniqueness among rows without a parent", () => {
  test("is a partial index, because null equals no value", () => {
    expect(tableOf(objectType("dcim.region")).indexes).toContainEqual({
      name: "dcim_region_name_top_key",
      sql: "(name) where parent_id is null",
      unique: true
    })
  })
})
