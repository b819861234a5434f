/** Searches whatever the case, in databases of any locale: with the locale C, Postgres itself knows the case of ASCII only. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { defineObjectType, json, text } from "../../src/inventory/ObjectType.ts"
import { type Query, filter } from "../../src/inventory/derive/filter/Filter.ts"
import { collationStatements } from "../../src/postgres/migrate/Collation.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, makeEmptyDatabase, servers } from "../support/Database.ts"
import { type Sql, databaseAt, openSql } from "../support/Sql.ts"

const thing = defineObjectType({
  app: "test",
  name: "thing",
  plural: "things",
  fields: { name: text(), custom_fields: json() },
  search: ["name"],
  ordering: ["name"],
  brief: ["name"]
})

const names = ["Zürich", "ZÜRICH Süd", "zurich", "Ødense", "ÉVRY", "Афины", "ΟΔΟΣ", "50% Ü_"]

const customFields = new Map([["city", { id: 0, name: "city", type: "text", filter_logic: "loose" }]])

describe.each([
  ["C", "locale_provider libc locale 'C'"],
  ["und", "locale_provider icu icu_locale 'und' locale 'C'"]
])("in a database with the locale %s", (locale, options) => {
  let database: TestDatabase
  let sql: Sql
  const name = `letters_${locale.toLowerCase()}`

  beforeAll(async () => {
    database = await makeEmptyDatabase()
    await database.superuser.query(`drop database if exists ${name}`)
    await database.superuser.query(`create database ${name} template template0 encoding 'UTF8' ${options}`)
    sql = openSql(databaseAt(servers.superuserUrl, name))
    for (const statement of [
      collationStatements[0]!,
      "create extension pg_trgm",
      "create table test_thing (id bigint, name text, custom_fields jsonb)",
      "create index on test_thing using gin (name gin_trgm_ops)",
      "create index on test_thing using gin ((custom_fields::text) gin_trgm_ops)"
    ]) {
      await sql.query(statement)
    }
    for (const [at, each] of names.entries()) {
      await sql.query("insert into test_thing values ($1, $2, jsonb_build_object('city', $2::text))", [`${at}`, each])
    }
  })
  afterAll(async () => {
    await sql.close()
    await database.superuser.query(`drop database ${name}`)
    await database.drop()
  })

  const whereOf = (query: string) => {
    const filtered = filter(thing, [...new URLSearchParams(query)] as Query, allVisible, { customFields })
    if ("errors" in filtered) throw new Error(JSON.stringify(filtered.errors))
    return filtered.where
  }

  const found = async (query: string) => {
    const where = whereOf(query)
    const statement = `select name from test_thing t where ${where.sql} order by id`
    const rows = await sql.query<{ readonly name: string }>(statement, where.parameters)
    return rows.map((row) => row.name)
  }

  test.each([
    ["q=ZÜ", ["Zürich", "ZÜRICH Süd"]],
    ["q=zürich", ["Zürich", "ZÜRICH Süd"]],
    ["q=zur", ["zurich"]],
    ["name__ic=ØDEN", ["Ødense"]],
    ["name__ie=évry", ["ÉVRY"]],
    ["name__isw=афи", ["Афины"]],
    ["name__iew=ИНЫ", ["Афины"]],
    ["name__ic=οδοσ", ["ΟΔΟΣ"]],
    ["name__nic=ü", ["zurich", "Ødense", "ÉVRY", "Афины", "ΟΔΟΣ"]],
    ["name__ic=% ü_", ["50% Ü_"]],
    ["name__ic=ü%", []],
    ["name__iregex=^zü", ["Zürich", "ZÜRICH Süd"]],
    ["cf_city=ZÜR", ["Zürich", "ZÜRICH Süd"]],
    ["cf_city__ie=évry", ["ÉVRY"]],
    ["cf_city__iregex=^É", ["ÉVRY"]]
  ])("%s finds all letters", async (query, expected) => {
    expect(await found(query.replaceAll("%", "%25"))).toEqual(expected)
  })

  test("an index finds what holds letters beyond ASCII", async () => {
    const { sql: condition, parameters } = whereOf("name__ic=ZÜRICH")
    await sql.query(`alter database ${name} set enable_seqscan = off`)
    await sql.close()
    sql = openSql(databaseAt(servers.superuserUrl, name))
    const lines = await sql.query<{ readonly "QUERY PLAN": string }>(
      `explain (costs off) select id from test_thing t where ${condition}`,
      parameters
    )
    expect(lines.map((line) => line["QUERY PLAN"]).join("\n")).toContain("Bitmap Index Scan")
  })
})
