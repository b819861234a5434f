/** A second move follows what changed in the source, and never writes over what was changed here. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema } from "./Source.ts"
import { thorough } from "../support/Seed.ts"

let source: TestDatabase
let target: TestDatabase

const rows: ReadonlyArray<string> = [
  "insert into dcim_region (id, name, slug, parent_id, description) values (1, 'Europe', 'eu', null, ''), (2, 'Bern', 'bern', 1, '')",
  `insert into dcim_site (id, name, slug, status, region_id, time_zone, facility, created, last_updated)
     select i, 'Site ' || i, 'site-' || i, 'active', 2, '', '', now(), now() from generate_series(1, 9) i`,
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, '')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status) values
     (20, 'a', 1, 1, 1, 'active'), (21, 'b', 1, 1, 2, 'active'), (22, 'c', 1, 1, 2, 'active')`,
  `insert into dcim_interface (id, device_id, name, type) values
     (40, 20, 'eth0', '1000base-t'), (41, 21, 'eth0', '1000base-t'), (42, 22, 'eth0', '1000base-t')`,
  "insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id) values (30, '10.0.0.1/32', 'active', 2, 40), (31, '10.0.0.2/32', 'active', 2, 40)",
  "update dcim_device set primary_ip4_id = 30 where id = 20",
  "insert into dcim_cable (id, status, type) values (50, 'connected', 'cat6')",
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     values (61, 50, 'A', 2, 40), (60, 50, 'B', 2, 41)`,
  "insert into auth_user (id, password, username, is_superuser, is_staff, is_active, first_name, last_name, email) values (2, 'pbkdf2_sha256$1$salt$hash', 'ada', true, true, true, '', '', '')"
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
  await moveInto({ from: source.databaseUrl, to: target.databaseUrl })
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

const again = async (prefer?: "source" | "target") => {
  const { report, findings } = await moveInto({ from: source.databaseUrl, to: target.databaseUrl, prefer })
  const sum = (name: "created" | "updated" | "deleted" | "conflicts" | "refused") =>
    report.types.reduce((total, type) => total + type[name], 0)
  return {
    findings,
    sums: {
      created: sum("created"),
      updated: sum("updated"),
      deleted: sum("deleted"),
      conflicts: sum("conflicts"),
      refused: sum("refused")
    }
  }
}

const nothing = { created: 0, updated: 0, deleted: 0, conflicts: 0, refused: 0 }

const there = (...statements: ReadonlyArray<string>) =>
  statements.reduce<Promise<unknown>>((before, each) => before.then(() => source.sql.query(each)), Promise.resolve())
const here = (statement: string) => target.sql.query<Readonly<Record<string, unknown>>>(statement)

describe("a second move", () => {
  test("writes nothing if nothing changed", async () => {
    expect((await again()).sums).toEqual(nothing)
  })

  test("creates, updates and deletes what was created, changed and deleted there, and nothing else", async () => {
    await here("update dcim_site set facility = 'ours' where id = 3")
    await there(
      // A new site has the name of a deleted one, another one has the device of a deleted one.
      "delete from dcim_site where id in (2, 9)",
      "insert into dcim_site (id, name, slug, status, region_id, time_zone, facility) values (10, 'Site 9', 'site-9', 'planned', 1, '', ''), (11, 'Site 11', 'site-11', 'planned', 1, '', '')",
      "update dcim_device set site_id = 11, name = 'b2' where id = 21",
      "delete from dcim_interface where id = 42",
      "delete from dcim_device where id = 22",
      "update dcim_site set status = 'retired' where id = 4"
    )
    expect((await again()).sums).toEqual({ ...nothing, created: 2, updated: 2, deleted: 4 })
    expect(await here("select id::int as id, status from dcim_site where id in (2, 4, 9, 10) order by id")).toEqual([
      { id: 4, status: "retired" },
      { id: 10, status: "planned" }
    ])
    expect(await here("select id::int as id, name, site_id::int as site from dcim_device order by id")).toEqual([
      { id: 20, name: "a", site: 1 },
      { id: 21, name: "b2", site: 11 }
    ])
    expect(await here("select facility from dcim_site where id = 3")).toEqual([{ facility: "ours" }])
    expect((await again()).sums).toEqual(nothing)
  })

  thorough("reports what was changed on both sides, until one side is said to count", async () => {
    await here("update dcim_site set facility = 'ours' where id = 5")
    await here("delete from dcim_site where id = 6")
    await here("update dcim_site set facility = 'ours' where id = 7")
    await there("update dcim_site set facility = 'theirs' where id in (5, 6)", "delete from dcim_site where id = 7")
    const { sums, findings } = await again()
    expect(sums).toEqual({ ...nothing, conflicts: 3 })
    expect(findings.filter(({ kind }) => kind === "conflict")).toEqual([
      { kind: "conflict", table: "dcim_site", id: 5, reason: "The object was changed on both sides." },
      { kind: "conflict", table: "dcim_site", id: 6, reason: "The object was changed on both sides." },
      { kind: "conflict", table: "dcim_site", id: 7, reason: "The object was deleted there, and changed here." }
    ])
    expect((await again()).sums).toEqual({ ...nothing, conflicts: 3 })
    expect((await again("source")).sums).toEqual({ ...nothing, created: 1, updated: 1, deleted: 1 })
    expect(await here("select id::int as id, facility from dcim_site where id in (5, 6, 7) order by id")).toEqual([
      { id: 5, facility: "theirs" },
      { id: 6, facility: "theirs" }
    ])
    await here("update dcim_site set facility = 'ours' where id = 8")
    await there("update dcim_site set facility = 'theirs' where id = 8")
    expect((await again("target")).sums).toEqual(nothing)
    expect((await again()).sums).toEqual(nothing)
    expect(await here("select facility from dcim_site where id = 8")).toEqual([{ facility: "ours" }])
  })

  test("sets references that were changed, and removes references that NetBox removed", async () => {
    await there("update dcim_device set primary_ip4_id = 31 where id = 20")
    expect((await again()).sums).toEqual({ ...nothing, updated: 1 })
    expect(await here("select primary_ip4_id::int as ip from dcim_device where id = 20")).toEqual([{ ip: 31 }])
    await there("update dcim_device set primary_ip4_id = null where id = 20")
    expect((await again()).sums).toEqual({ ...nothing, updated: 1 })
    expect(await here("select primary_ip4_id::int as ip from dcim_device where id = 20")).toEqual([{ ip: null }])
  })

  test("connects cables anew, whose ends keep their ids", async () => {
    await there(
      "insert into dcim_interface (id, device_id, name, type) values (43, 21, 'eth1', '1000base-t')",
      "delete from dcim_cabletermination where id = 60",
      "insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id) values (62, 50, 'B', 2, 43)"
    )
    expect((await again()).sums).toMatchObject({ deleted: 0, conflicts: 0, refused: 0 })
    expect(
      await here("select id::int as id, termination_id::int as end from dcim_cabletermination order by id")
    ).toEqual([
      { id: 61, end: 40 },
      { id: 62, end: 43 }
    ])
    expect(await here("select id::int as id from dcim_interface where cable_id = 50 order by id")).toEqual([
      { id: 40 },
      { id: 43 }
    ])
    expect((await again()).sums).toEqual(nothing)
  })

  test("takes passwords over, but does not mind that a login here replaced a hash", async () => {
    await here("update users_user set password = '$argon2id$ours' where id = 2")
    expect((await again()).sums).toEqual(nothing)
    await there("update auth_user set password = 'pbkdf2_sha256$1$salt$new' where id = 2")
    expect((await again()).sums).toEqual({ ...nothing, updated: 1 })
    expect(await here("select password from users_user where id = 2")).toEqual([
      { password: "pbkdf2_sha256$1$salt$new" }
    ])
  })

  test("from another NetBox deletes nothing", async () => {
    const other = await makeEmptyDatabase()
    for (const statement of schema) await other.sql.query(statement)
    const before = await here("select count(*)::int as count from dcim_site")
    await expect(moveInto({ from: other.databaseUrl, to: target.databaseUrl })).rejects.toMatchObject({
      reason: "OtherSource",
      message: expect.stringContaining("is it the same NetBox?")
    })
    expect(await here("select count(*)::int as count from dcim_site")).toEqual(before)
    await other.drop()
  })

  test("does not mind a column that an upgrade of NetBox adds", async () => {
    await there("alter table dcim_site add column later_field text default 'new'")
    expect((await again()).sums).toEqual(nothing)
  })

  test("stops before its first write if an id belongs to an object that no move has made", async () => {
    await here("insert into dcim_site (id, name, slug) values (77, 'new', 'new')")
    await there(
      "insert into dcim_site (id, name, slug, status, time_zone, facility) values (77, 'x', 'x', 'active', '', '')"
    )
    await expect(again()).rejects.toMatchObject({
      reason: "IdsTaken",
      message: expect.stringContaining("dcim.site 77.")
    })
  })
})
