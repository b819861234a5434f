/** The comparison of the publication with the declared tables: its own differences, and none of a table that is altered. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import {
  type FoundPublication,
  findPublication,
  publication,
  publishedTables
} from "../../src/inventory/derive/table/PublicationState.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Sql, openSql } from "../support/Sql.ts"

let database: TestDatabase
let other: Sql

beforeAll(async () => {
  database = await makeDatabase()
  other = openSql(database.databaseUrl)
})

afterAll(async () => {
  await other.close()
  await database.drop()
})

const tables = publishedTables.join(", ")

afterEach(() => database.superuser.query(`drop publication if exists ${publication}`))

const publish = (whole: string, ...more: ReadonlyArray<string>) =>
  database.superuser.transaction(`create publication ${publication} ${whole}`, ...more)

const alter = (change: string) => `alter publication ${publication} ${change}`

const find = async (sql: Sql = database.sql) => {
  const [row] = await sql.query<{ readonly found: FoundPublication }>(findPublication, [publication, publishedTables])
  const { operations, missing, limited, unidentified } = row!.found
  return { operations, missing, limited, unidentified }
}

const whole = { operations: true, missing: [], limited: [], unidentified: [] }

describe("the differences of a publication", () => {
  it.each([
    ["of all tables", "for all tables"],
    ["of the schema", "for tables in schema public"],
    ["of each table", `for table ${tables}`]
  ])("are none for one %s", async (_, of) => {
    await publish(of)
    expect(await find()).toEqual(whole)
  })

  it("are tables that are missing", async () => {
    await publish(`for table ${tables}`, alter("drop table dcim_site"))
    expect(await find()).toEqual({ ...whole, missing: ["dcim_site"] })
  })

  it("are rows and columns that are left out", async () => {
    await publish(
      `for table ${tables}`,
      alter("drop table dcim_site, extras_tag, dcim_region"),
      alter("add table dcim_site where (id > 0), extras_tag (id, name)"),
      `do $$ begin execute (select 'alter publication ${publication} add table dcim_region (' || string_agg(attname, ', ') || ')'
          from pg_attribute where attrelid = 'dcim_region'::regclass and attnum > 0 and not attisdropped); end $$`
    )
    expect(await find()).toEqual({ ...whole, limited: ["dcim_site", "extras_tag"] })
  })

  it("are no filter of a table whose schema is published", async () => {
    await publish(`for tables in schema public, table dcim_site where (id > 0)`)
    expect(await find()).toEqual(whole)
  })
})

describe("a table that is altered meanwhile", () => {
  it("is no difference, and is not waited for", async () => {
    await publish(`for table ${tables}`)
    await database.sql.transaction("alter table dcim_site add column passing integer", "create table released (id int)")
    const altering = other.transaction(
      "alter table dcim_site drop column passing",
      "do $$ begin while not exists (select from released) loop perform pg_sleep(0.02); end loop; end $$"
    )
    const lockedBy = async (condition: string) =>
      (
        await database.superuser.query(
          `select pid from pg_locks where relation = to_regclass('dcim_site') and mode = 'Access' || $1`,
          [condition]
        )
      ).length > 0
    await eventually("the table is locked", () => lockedBy("ExclusiveLock"))
    let isCompared = false
    const found = find().finally(() => (isCompared = true))
    await eventually("it is compared, or waits", async () => isCompared || (await lockedBy("ShareLock")))
    const waited = !isCompared
    await database.sql.query("insert into released values (1)")
    await altering
    expect(await found).toEqual(whole)
    expect(waited).toBe(false)
  })
})
