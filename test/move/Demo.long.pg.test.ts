/** The public demo data of NetBox, moved whole: each row under its id, and each column of the same name with its value. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { afterAll, describe, expect, test } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase, servers } from "../support/Database.ts"
import { databaseAt } from "../support/Sql.ts"
import { moveInto, verifyInto } from "./Source.ts"

const folder = new URL("../../../shared/data/netbox-demo/", import.meta.url)
const psql = ["/usr/lib/postgresql/15/bin/psql", "/usr/bin/psql"].find(existsSync)
const missing = !existsSync(folder)
  ? `there is no ${folder.pathname}`
  : psql === undefined
    ? "there is no psql"
    : undefined

/** Rows of the tables that object types have, in both dumps. */
const rowsOfDump = 6070

const opened: Array<TestDatabase> = []
afterAll(async () => {
  await Promise.all(opened.map((each) => each.drop()))
})

const load = async (release: string): Promise<TestDatabase> => {
  const database = await makeEmptyDatabase()
  opened.push(database)
  await database.superuser.query(
    "do $$ begin create role netbox; exception when duplicate_object or unique_violation then null; end $$"
  )
  const { pathname, username } = new URL(database.databaseUrl)
  // The dump gives its tables to its own role.
  const superuser = databaseAt(servers.superuserUrl, pathname.slice(1))
  const dump = new URL(`netbox-demo-v${release}.sql.gz`, folder).pathname
  execFileSync("sh", ["-c", `gzip -dc '${dump}' | '${psql}' -q -o /dev/null '${superuser}'`], { stdio: "ignore" })
  await database.superuser.query(`grant select on all tables in schema public to "${username}"`)
  return database
}

/** Values of a column by id, blanks as null: releases differ in that. */
const valuesOf = async ({ sql }: TestDatabase, table: string, column: string) => {
  const rows = await sql.query<{ readonly id: string; readonly value: string | null }>(
    `select id::text as id, nullif("${column}"::text, '') as value from "${table}" order by t.id`.replace(
      `from "${table}"`,
      `from "${table}" t`
    )
  )
  return rows.map(({ id, value }) => `${id}: ${value}`)
}

const columnsOf = async ({ sql }: TestDatabase, table: string): Promise<ReadonlyMap<string, string>> => {
  const rows = await sql.query<{ readonly name: string; readonly type: string }>(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table]
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

describe.skipIf(missing !== undefined)(`the demo data (skipped if ${missing ?? "the dumps are missing"})`, () => {
  test.each(["3.5", "4.2"])(
    "of release %s is moved row by row",
    async (release) => {
      const [source, target] = [await load(release), await makeDatabase()]
      opened.push(target)
      const { report, findings } = await moveInto({ from: source.databaseUrl, to: target.databaseUrl })
      expect(findings.filter(({ kind, table }) => kind !== "homeless" || !/^(?:core|users)_/.test(table))).toEqual([])
      expect(report.types.reduce((sum, { created, updated }) => sum + created + updated, 0)).toBe(rowsOfDump)
      const verified = await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })
      expect(verified.deviations).toEqual([])
      expect(verified.report.types.reduce((sum, { equal }) => sum + equal, 0)).toBe(rowsOfDump)
      let compared = 0
      for (const { type, table, rows } of report.types) {
        if (rows === 0) continue
        const here = objectType(type).table
        const [before, after] = [await columnsOf(source, table), await columnsOf(target, here)]
        for (const [column, stored] of after) {
          // Times of ends of cables are null there; choices of later releases are null and not blank.
          const isTime = type === "dcim.cabletermination" && stored.startsWith("timestamp")
          if (!before.has(column) || isTime || stored.startsWith("json")) continue
          expect([type, column, await valuesOf(target, here, column)]).toEqual([
            type,
            column,
            await valuesOf(source, table, column)
          ])
          compared += 1
        }
      }
      expect(compared).toBeGreaterThan(500)
    },
    180_000
  )
})
