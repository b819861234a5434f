/** The public demo data of NetBox, moved whole: each row under its id, and each column of the same name with its value. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase, servers } from "../support/Database.ts"
import { makeScratch } from "../support/Scratch.ts"
import { seed } from "../support/Seed.ts"
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
/** For the files of details, one of each run. */
const details = makeScratch("rackwire-move-")
let runs = 0
afterAll(async () => {
  rmSync(details, { recursive: true })
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

/** Two hundred changes as people make them in NetBox: rows that are created, changed and deleted. */
const changes: ReadonlyArray<string> = [
  "update dcim_device set serial = 'S' || id, last_updated = now() where id in (select id from dcim_device order by id limit 40)",
  "update dcim_interface set description = 'changed', mtu = 9000, last_updated = now() where id in (select id from dcim_interface order by name, id limit 60)",
  "update dcim_site set name = name || ' 2', slug = slug || '-2', last_updated = now()",
  "update auth_user set email = username || '@example.com' where username <> 'admin'",
  `insert into ipam_prefix (created, last_updated, custom_field_data, prefix, status, is_pool, description, site_id, _depth, _children, mark_utilized, comments)
     select now(), now(), '{}', ('172.20.' || i || '.0/24')::cidr, 'active', false, '', (select min(id) from dcim_site), 0, 0, false, ''
       from generate_series(0, 19) i`,
  "delete from ipam_ipaddress where id in (select id from ipam_ipaddress order by id desc limit 20)",
  `insert into extras_taggeditem (object_id, content_type_id, tag_id)
     select d.id, c.id, t.id from (select id from dcim_device order by id limit 10) d, django_content_type c,
       (select min(id) as id from extras_tag) t where c.app_label = 'dcim' and c.model = 'device'`,
  `delete from dcim_cabletermination where cable_id in (
     select cable_id from dcim_interface where cable_id is not null group by 1 having count(*) = 2 order by 1 limit 5)`,
  `update dcim_interface set cable_id = null, cable_end = '' where cable_id in (
     select c.id from dcim_cable c where not exists (select from dcim_cabletermination t where t.cable_id = c.id))`,
  "delete from dcim_cable c where not exists (select from dcim_cabletermination t where t.cable_id = c.id)",
  // A cable of another kind, between other ports.
  `update dcim_cabletermination set termination_id = (select min(i.id) from dcim_interface i where i.cable_id is null and i.type not in ('virtual', 'lag'))
     where id = (select min(t.id) from dcim_cabletermination t join django_content_type c on c.id = t.termination_type_id
                  where c.app_label = 'dcim' and c.model = 'interface')`
]

/** The command as people run it, in a process of its own. */
const command = (source: TestDatabase, target: TestDatabase) =>
  spawn(process.execPath, ["bin/rackwire.mjs", "move", source.databaseUrl, "--left-out", join(details, `${++runs}`)], {
    env: {
      // Vitest has a BASE_URL of its own.
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "BASE_URL")),
      ...{ DATABASE_URL: target.databaseUrl, REDIS_URL: target.redisUrl },
      SECRET_KEY: "a key of more than thirty-two letters"
    },
    stdio: ["ignore", "ignore", "inherit"]
  })

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))

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

  test("is moved again after 200 changes", async () => {
    const [source, target] = [await load("3.5"), await makeDatabase()]
    opened.push(target)
    const both = { from: source.databaseUrl, to: target.databaseUrl }
    await moveInto(both)
    const changed = await changes.reduce(async (before, each) => {
      const all = await before
      return all + (await source.superuser.query(`with c as (${each} returning 1) select from c`)).length
    }, Promise.resolve(0))
    expect(changed).toBeGreaterThanOrEqual(175)
    const { deviations } = await verifyInto(both)
    expect(new Set(deviations.map(({ since }) => since))).toEqual(new Set(["there"]))
    const { findings } = await moveInto(both)
    expect(findings.filter(({ kind }) => kind !== "homeless")).toEqual([])
    expect((await verifyInto(both)).deviations).toEqual([])
  })

  test("keeps 20 objects that were changed on both sides, and reports each", async () => {
    const [source, target] = [await load("3.5"), await makeDatabase()]
    opened.push(target)
    const both = { from: source.databaseUrl, to: target.databaseUrl }
    await moveInto(both)
    const first = "id in (select id from dcim_device order by id limit 20)"
    await source.superuser.query(`update dcim_device set serial = 'there', last_updated = now() where ${first}`)
    await source.superuser.query("update dcim_site set facility = 'there', last_updated = now()")
    await target.sql.query(`update dcim_device set serial = 'here' where ${first}`)
    const { deviations } = await verifyInto(both)
    expect(deviations.filter(({ since }) => since === "both")).toHaveLength(20)
    const { findings } = await moveInto(both)
    expect(findings.filter(({ kind, table }) => kind === "conflict" && table === "dcim_device")).toHaveLength(20)
    const ofSerial = async (serial: string) =>
      (await target.sql.query(`select from dcim_device where serial = '${serial}'`)).length
    expect([await ofSerial("here"), await ofSerial("there")]).toEqual([20, 0])
    expect(await target.sql.query("select from dcim_site where facility <> 'there'")).toEqual([])
    await moveInto({ ...both, prefer: "source" })
    expect([await ofSerial("here"), await ofSerial("there")]).toEqual([0, 20])
    expect((await verifyInto(both)).deviations).toEqual([])
  })

  test("is moved whole by a run that is not killed, after 20 that are", async () => {
    const [source, target] = [await load("4.2"), await makeDatabase()]
    opened.push(target)
    for (const millis of fc.sample(fc.integer({ min: 300, max: 6000 }), { numRuns: 20, seed })) {
      const child = command(source, target)
      const timer = setTimeout(() => child.kill("SIGKILL"), millis)
      await exitOf(child)
      clearTimeout(timer)
    }
    expect(await exitOf(command(source, target))).toBe(0)
    const { report, deviations } = await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })
    expect(deviations).toEqual([])
    expect(report.types.reduce((sum, { equal }) => sum + equal, 0)).toBe(rowsOfDump)
  })
})
