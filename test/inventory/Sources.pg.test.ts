/** A value is the same one from a request, from `row_to_json` and from the WAL's text: asked of Postgres itself. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { columnsOf, rowFromJson, textDecoders } from "../../src/inventory/derive/values/Row.ts"
import { tableOf } from "../../src/inventory/derive/table/TableOf.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { runs, seedOf } from "../support/Seed.ts"
import { rowOf } from "./Rows.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await makeEmptyDatabase()
})
afterAll(() => database.drop())

const types = [...registry.values()].filter(({ kind }) => kind === "object")

/** SQL of a value as Postgres prints it: a cast of a boolean is spelled out, and the WAL's is not. */
const printed = (name: string): string => `case when ${name} is not null then format('%s', ${name}) end`

/** Rows of each type. */
const rowCount = runs(30)

describe.each(types.map((type) => [type.id, type] as const))("a row of %s", (_, type) => {
  it("is read from Postgres as it was written, as JSON and as text", async () => {
    const columns = tableOf(type).columns
    const rows = fc.sample(rowOf(type), { numRuns: rowCount, seed: seedOf(7) }).map((row, id) => ({ ...row, id }))
    await database.sql.query(
      `create table ${type.table} (id bigint, ${columns.map(({ name, type }) => `${name} ${type}`).join(", ")})`
    )
    await database.sql.query(
      `insert into ${type.table} select * from jsonb_populate_recordset(null::${type.table}, $1::jsonb)`,
      [JSON.stringify(rows.map((row) => columnsOf(type, row)))]
    )
    const names = ["id", ...columns.map(({ name }) => name)]
    const kept = await database.sql.query<{
      readonly json: Record<string, unknown>
      readonly texts: ReadonlyArray<string | null>
    }>(
      `select row_to_json(t) as json, array[${names.map(printed).join(", ")}] as texts
         from ${type.table} t order by id`
    )
    const decoders = textDecoders(type, names)
    const read = kept.map(({ texts }) =>
      Object.fromEntries(
        texts.map((text, at) => [decoders[at]!.field, text === null ? null : decoders[at]!.decode(text)])
      )
    )
    expect(kept.map(({ json }) => rowFromJson(type, json))).toEqual(rows)
    expect(read).toEqual(rows)
  })

  it("is written from its displayed texts, if these can be parsed", async () => {
    const shown = fc.sample(rowOf(type), { numRuns: rowCount, seed: seedOf(8) })
    for (const [name, field] of Object.entries(type.fields)) {
      if (!/^(inet|cidr|macaddr8?|date|integer\[\]|timestamptz)$/.test(field.type)) continue
      const values = shown.map((row) => row[name]).filter((value) => value !== null)
      const again = values.map((value) => field.parse(value))
      const taken = again.every((parsed) => "value" in parsed)
      expect([name, taken ? again : []]).toEqual([name, taken ? values.map((value) => ({ value })) : []])
    }
  })
})
