/** Filters on custom fields as Postgres answers them: which rows they find, and that an index may answer them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { defineObjectType, json } from "../../src/inventory/ObjectType.ts"
import { type Query, filter } from "../../src/inventory/derive/filter/Filter.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, forbidScans, makeEmptyDatabase } from "../support/Database.ts"

const thing = defineObjectType({
  app: "test",
  name: "thing",
  plural: "things",
  fields: { custom_fields: json() },
  search: [],
  ordering: [],
  brief: [],
  display: (row) => String(row.id)
})

let database: TestDatabase

beforeAll(async () => {
  database = await makeEmptyDatabase()
  await database.sql.query("create extension pg_trgm")
  await database.sql.query("create table test_thing (id bigint, custom_fields jsonb)")
  await database.sql.query("create index on test_thing using gin (custom_fields)")
  await database.sql.query("create index on test_thing using gin ((custom_fields::text) gin_trgm_ops)")
  const rows = [
    { env: "prod", n: 5, many: ["a", "b"], on: true, at: 7, all: [7, 8] },
    { env: "Preprod", n: 50, due: "2026-01-05", seen: "2026-01-05T09:00:00Z" },
    { env: null, quote: 'a"b' }
  ]
  for (const [at, row] of rows.entries()) {
    await database.sql.query("insert into test_thing values ($1, $2::text::jsonb)", [`${at + 1}`, JSON.stringify(row)])
  }
})
afterAll(() => database.drop())

const fields = (...definitions: ReadonlyArray<readonly [name: string, type: string, logic?: string]>) =>
  new Map(definitions.map(([name, type, logic = "loose"]) => [name, { id: 0, name, type, filter_logic: logic }]))

const customFields = fields(
  ["env", "text"],
  ["n", "integer"],
  ["many", "multiselect"],
  ["on", "boolean"],
  ["due", "date"],
  ["seen", "datetime"],
  ["at", "object"],
  ["all", "multiobject"],
  ["quote", "text"]
)

const whereOf = (asked: string, known = customFields) => {
  const filtered = filter(thing, [...new URLSearchParams(asked)] as Query, allVisible, { customFields: known })
  if ("errors" in filtered) throw new Error(JSON.stringify(filtered.errors))
  return filtered.where
}

const found = async (asked: string, known = customFields) => {
  const { sql, parameters } = whereOf(asked, known)
  const query = `select id::text as id from test_thing t where ${sql} order by id`
  const rows = await database.sql.query<{ readonly id: string }>(query, parameters)
  return rows.map(({ id }) => id).join("")
}

/** Each filter and the ids of the things that it finds. */
const asked: ReadonlyArray<readonly [asked: string, ids: string]> = [
  ["cf_env=prod", "12"],
  ["cf_env__n=prod", "3"],
  ["cf_env__isw=prod", "1"],
  ["cf_env__ie=PREPROD", "2"],
  ["cf_env__regex=^p", "1"],
  ["cf_env__empty=true", "3"],
  ["cf_env__empty=false", "12"],
  ["cf_n=5", "1"],
  ["cf_n=5&cf_n=50", "12"],
  ["cf_n__gt=5", "2"],
  ["cf_n__lte=50", "12"],
  ["cf_many=b", "1"],
  ["cf_many__n=b", "23"],
  ["cf_on=true", "1"],
  ["cf_due=2026-01-05", "2"],
  ["cf_due__gte=2026-01-01", "2"],
  ["cf_seen=2026-01-05T10:00%2B01:00", "2"],
  ["cf_seen__lt=2026-01-05", ""],
  ["cf_at=7", "1"],
  ["cf_env=null", "3"],
  ["cf_env__n=null", "12"],
  ["cf_env=null&cf_env=preprod", "23"],
  ["cf_n=null", "3"],
  ["cf_on=null", "23"],
  ["cf_due=null", "13"],
  ["cf_seen=null", "13"],
  ["cf_at=null", "23"],
  ["cf_all=null", "23"],
  ["cf_many=null", "23"],
  ["cf_all=8", "1"],
  ['cf_quote=a"b', "3"]
]

test.each(asked)("%s finds the matching objects", async (query, ids) => {
  expect(await found(query)).toBe(ids)
})

test.each([
  ["env", "text", "exact", "cf_env=prod", "1"],
  ["env", "text", "exact", "cf_env__ic=prod", "12"],
  ["env", "text", "disabled", "cf_env=prod", "123"],
  ["env", "select", "loose", "cf_env=prod", "1"],
  ["n", "json", "loose", "cf_n=5", "123"],
  ["n", "decimal", "loose", "cf_n=5.0", "1"],
  ["n", "integer", "loose", "cf_n__ic=5", "123"],
  ["on", "boolean", "loose", "cf_on=perhaps", "123"]
])("a custom field %s of type %s that is %s answers %s", async (name, type, logic, query, ids) => {
  expect(await found(query, fields([name, type, logic]))).toBe(ids)
})

test("a custom field refuses values of another type, and is unknown if its filter is disabled", () => {
  const ask = (query: string, logic = "loose") =>
    filter(thing, [...new URLSearchParams(query)], allVisible, {
      strict: true,
      customFields: fields(["n", "integer", logic], ["due", "date", logic])
    })
  expect(ask("cf_n=x&cf_due__lt=x")).toEqual({
    errors: { cf_n: ["Enter a number."], cf_due__lt: ["Enter a valid date."] }
  })
  expect(ask("cf_nope=1")).toEqual({ errors: { cf_nope: ["Unknown filter."] } })
  expect(ask("cf_n=1", "disabled")).toEqual({ errors: { cf_n: ["Unknown filter."] } })
})

describe("an index", () => {
  beforeAll(() => forbidScans(database))

  test.each(asked.filter(([query]) => !/__n|__empty|=null/.test(query)))("can be used for %s", async (query) => {
    const { sql, parameters } = whereOf(query)
    const lines = await database.sql.query<{ readonly "QUERY PLAN": string }>(
      `explain (costs off) select id from test_thing t where ${sql}`,
      parameters
    )
    expect(lines.map((line) => line["QUERY PLAN"]).join("\n")).toContain("Index Scan")
  })
})
