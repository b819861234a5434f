/** Every filter of object types, run by Postgres: it finds objects or refuses the value, and never fails. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { filter } from "../../src/inventory/derive/filter/Filter.ts"
import { filterNames } from "../../src/inventory/derive/filter/FilterNames.ts"
import { everySuffix } from "../../src/inventory/derive/filter/Lookup.ts"
import { type Visible, type Where, allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

interface Extent {
  readonly types: ReadonlyArray<ObjectType>
  /** The conditions of one filter that Postgres evaluates. */
  readonly pick: (wheres: ReadonlyArray<Where>) => ReadonlyArray<Where>
}

/** Declares the tests. */
export const expectFiltersAnswered = ({ types, pick }: Extent): void => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await makeDatabase()
  })
  afterAll(() => database.drop())

  /** Texts of which at least one is a value of any kind of field. */
  const values = [
    "1",
    "true",
    "null",
    "a",
    "10.0.0.0/8",
    "fd00::1",
    "00:11:22:33:44:55",
    "2026-11-20",
    "00000000-0000-4000-8000-000000000000",
    "999999999999999999",
    "'; drop table dcim_site; --"
  ]

  /** A custom field of each type, and what it may be asked. */
  const kinds = Object.keys(objectType("extras.customfield").fields["type"]!.choices!)
  const customFields = new Map(kinds.map((type) => [type, { id: 0, name: type, type, filter_logic: "loose" }]))
  const customNames = kinds.flatMap((kind) =>
    ["", ...everySuffix.map((each) => `__${each}`)].map((each) => `cf_${kind}${each}`)
  )

  /** Some objects of each type are hidden, by a condition with parameters. */
  const someVisible: Visible = () => ({ sql: "t.id > $1::bigint and t.id < $2::bigint", parameters: ["0", "5"] })

  test.each(types.map((type) => [type.id, type] as const))("every filter of %s accepts any value", async (_, type) => {
    const names = filterNames(type)
    expect(names).toEqual(expect.arrayContaining(["id", "id__gt"]))
    const failures: Array<string> = []
    for (const name of [...names, ...customNames]) {
      const choices = Object.keys(type.fields[name.replace(/__.*/, "")]?.choices ?? {}).slice(0, 1)
      const asked = [
        ...[...values, ...choices].map((value) => filter(type, [[name, value]], allVisible, { customFields })),
        ...["1", "a", ...choices].map((value) => filter(type, [[name, value]], someVisible, { customFields }))
      ]
      const wheres = asked.flatMap((each) => ("where" in each && each.where.sql !== "true" ? [each.where] : []))
      if (wheres.length === 0 && !name.startsWith("cf_")) failures.push(`${name}: no value is one`)
      for (const { sql, parameters } of pick(wheres)) {
        await database.sql
          .query(`select id from ${type.table} t where ${sql} limit 1`, parameters)
          .catch((error: Error) => failures.push(`${name} ${JSON.stringify(parameters)}: ${error.message}`))
      }
    }
    expect(failures).toEqual([])
  })
}
