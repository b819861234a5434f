/** A run that ended early is continued by the next one; a run that writes all or nothing leaves nothing behind. */
import { readdirSync, rmSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { runProcess } from "../support/Command.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { makeScratch } from "../support/Scratch.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

const rows: ReadonlyArray<string> = [
  "insert into dcim_site (id, name, slug, status, time_zone, facility) values (1, 'Site', 'site', 'active', '', '')",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, '')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  "insert into dcim_virtualchassis (id, name, domain) values (1, 'V', '')",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status, virtual_chassis_id, vc_position) values
     (20, 'a', 1, 1, 1, 'active', 1, 1), (21, 'b', 1, 1, 1, 'active', null, null)`,
  `insert into dcim_interface (id, device_id, name, type, lag_id) values
     (40, 20, 'eth0', '1000base-t', 42), (41, 21, 'eth0', '1000base-t', null), (42, 20, 'lag0', 'lag', null)`,
  "insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id) values (30, '10.0.0.1/32', 'active', 2, 40)",
  "update dcim_device set primary_ip4_id = 30 where id = 20",
  "update dcim_virtualchassis set master_id = 20 where id = 1",
  "insert into dcim_cable (id, status, type) values (50, 'connected', 'cat6')",
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     values (60, 50, 'A', 2, 40), (61, 50, 'B', 2, 41)`,
  "insert into auth_user (id, password, username, is_superuser, is_staff, is_active, first_name, last_name, email) values (2, 'pbkdf2_sha256$1$salt$hash', 'ada', true, true, true, '', '', '')"
]

/** Every run ends with its fifth write: a page has two at most, which count twice (on conflict do update). */
const ending: ReadonlyArray<string> = [
  "create sequence runs_write",
  `create function end_run() returns trigger language plpgsql as $$ begin
     if nextval('runs_write') = 5 then raise exception 'ended' using errcode = 'QQ000'; end if;
     return null;
   end $$`,
  "create trigger end_run before insert or update or delete on rackwire_moved for each statement execute function end_run()"
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
  for (const statement of ending) await target.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

const both = () => ({ from: source.databaseUrl, to: target.databaseUrl })

/** Runs that may end early; the number of those that did before one was whole. */
const runsUntilWhole = async (): Promise<number> => {
  for (let ended = 0; ended < 100; ended++) {
    await target.sql.query("alter sequence runs_write restart")
    const isWhole = await moveInto(both()).then(
      () => true,
      () => false
    )
    if (isWhole) return ended
  }
  throw new Error("No run was whole.")
}

const moved = async (): Promise<number> => {
  const [row] = await target.sql.query<{ readonly count: number }>("select count(*)::int as count from rackwire_moved")
  return row!.count
}

describe("a run that ends early", () => {
  test("leaves nothing behind if it writes all or nothing", async () => {
    await target.sql.query("alter sequence runs_write restart")
    await expect(moveInto({ ...both(), isStrict: true })).rejects.toMatchObject({ _tag: "SqlError" })
    expect(await moved()).toBe(0)
  })

  test("is continued by the next one, with references in circles, ends of cables and deletions", async () => {
    expect(await runsUntilWhole()).toBeGreaterThan(5)
    expect((await verifyInto(both())).deviations).toEqual([])
    const before = await moved()
    await source.sql.query("update dcim_device set primary_ip4_id = null, name = 'c' where id = 20")
    await source.sql.query("update dcim_device set virtual_chassis_id = 1, vc_position = 2 where id = 21")
    await source.sql.query("update dcim_virtualchassis set master_id = 21 where id = 1")
    await source.sql.query("delete from dcim_cabletermination")
    await source.sql.query("delete from dcim_cable")
    await source.sql.query("delete from ipam_ipaddress")
    await source.sql.query("update dcim_interface set lag_id = null")
    await source.sql.query("delete from dcim_interface where id = 42")
    expect(await runsUntilWhole()).toBeGreaterThan(1)
    expect((await verifyInto(both())).deviations).toEqual([])
    expect(await moved()).toBe(before - 5)
  })

  test("says so, and the same command continues it in the same folder", async () => {
    const folder = makeScratch("rackwire-move-again-")
    const fresh = await makeDatabase()
    onTestFinished(fresh.drop)
    for (const statement of ending) await fresh.sql.query(statement)
    const run = () => runProcess(["move", source.databaseUrl], { cwd: folder, env: environmentOf(fresh) })
    const first = await run()
    expect(first.code).toBe(1)
    expect(first.output).toContain("the same command continues where this one has ended")
    await fresh.sql.query("drop trigger end_run on rackwire_moved")
    const second = await run()
    expect([second.code, second.output]).toEqual([0, expect.stringContaining("Details: ")])
    expect(second.output).not.toContain("The move is not finished")
    expect(readdirSync(folder).toSorted()).toEqual(["rackwire-move-2.jsonl", "rackwire-move.jsonl"])
    rmSync(folder, { recursive: true })
  })

  test("is refused while another one runs, and releases the lock at its end", async () => {
    await target.sql.query("drop trigger end_run on rackwire_moved")
    const held = await target.sql.query("select pg_advisory_lock(hashtext('rackwire move'))::text")
    expect(held).toHaveLength(1)
    await expect(moveInto(both())).rejects.toMatchObject({ reason: "Running" })
    await target.sql.query("select pg_advisory_unlock(hashtext('rackwire move'))::text")
    for (const _ of [1, 2]) await moveInto(both())
  })
})
