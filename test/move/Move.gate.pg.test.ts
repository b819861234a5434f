/** A database of NetBox is moved: rows under their ids, with their times, in any order of references. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"
import { thorough } from "../support/Seed.ts"

const old = "2019-05-06T07:08:09.123456Z"

/** Rows that refer to each other in circles, that no rule accepts, and that have values without a home. */
const rows: ReadonlyArray<string> = [
  "insert into extras_tag (id, name, slug, color, description) values (3, 'Core', 'core', 'ff0000', '')",
  // Children have lower ids than their parents.
  `insert into dcim_region (id, name, slug, parent_id, description) values
     (1, 'Bern', 'bern', 2, ''), (2, 'Switzerland', 'ch', 3, ''), (3, 'Europe', 'eu', null, '')`,
  `insert into dcim_site (id, name, slug, status, region_id, time_zone, facility, created, last_updated) values
     (7, 'One', 'one', 'active', 1, '', 'F1', '${old}', '${old}'), (8, 'Two', 'two', 'active', 9, '', '', null, null),
     (9, 'Three', 'not a slug', 'active', null, '', '', null, null)`,
  "insert into extras_taggeditem (content_type_id, object_id, tag_id) values (1, 7, 3), (2, 7, 3)",
  "insert into ipam_rir (id, name, slug, is_private) values (1, 'RIR', 'rir', false)",
  "insert into ipam_asn (id, asn, rir_id) values (5, 64512, 1)",
  "insert into dcim_site_asns (site_id, asn_id) values (7, 5)",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, 'a.png')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  "insert into dcim_virtualchassis (id, name, domain, master_id) values (4, 'C', '', 20)",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status, primary_ip4_id, virtual_chassis_id, vc_position, created, last_updated)
     values (20, 'a', 1, 1, 7, 'active', 30, 4, 1, '${old}', '${old}'), (21, null, 1, 1, 7, 'active', 31, null, null, '${old}', '${old}')`,
  `insert into dcim_interface (id, device_id, name, type, lag_id, created, last_updated) values
     (40, 20, 'eth0', '1000base-t', 42, '${old}', '${old}'), (41, 21, 'eth0', '1000base-t', null, '${old}', '${old}'),
     (42, 20, 'lag', 'lag', null, '${old}', '${old}')`,
  "insert into dcim_cable (id, status, type) values (50, 'connected', 'cat6')",
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     values (61, 50, 'A', 2, 40), (60, 50, 'B', 2, 41)`,
  `insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id, nat_inside_id) values
     (30, '10.0.0.1/32', 'active', 2, 40, null), (31, '192.0.2.1/32', 'active', null, null, 32),
     (32, '10.0.0.2/32', 'active', 2, 41, null)`,
  "insert into auth_user (id, password, username, is_superuser, is_staff, is_active, first_name, last_name, email) values (2, 'pbkdf2_sha256$1$salt$hash', 'ada', true, true, true, '', '', '')",
  "insert into plugin_thing (id, name, secret_key) values (1, 'thing', 'hidden words')",
  `insert into "plugin'"" x$type" (id, name) values (1, 'other')`,
  `update dcim_site set "it's "" \\ $type" = 'kept' where id = 7`,
  "select setval(pg_get_serial_sequence('dcim_site', 'id'), 100)::text"
]

let source: TestDatabase
let target: TestDatabase

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

const both = () => ({ from: source.databaseUrl, to: target.databaseUrl })

const counted = async (table: string): Promise<number> => {
  const [row] = await target.sql.query<{ readonly count: number }>(`select count(*)::int as count from ${table}`)
  return row!.count
}

describe("a move", () => {
  test("that is only tried reports everything, and writes nothing", async () => {
    const { report, findings } = await moveInto({ ...both(), isDryRun: true })
    expect(report).toMatchObject({ release: "3.3", isDryRun: true })
    const sites = report.types.find(({ type }) => type === "dcim.site")
    expect(sites).toMatchObject({ rows: 3, created: 1, refused: 2, changed: 0, homeless: 1 })
    expect(findings.filter(({ kind }) => kind === "refused")).toEqual([
      { kind: "refused", table: "dcim_site", id: 9, reason: expect.stringContaining("slug") },
      { kind: "refused", table: "dcim_site", id: 8, reason: expect.stringContaining("region_id") }
    ])
    expect(findings.filter(({ kind }) => kind === "homeless")).toEqual([
      {
        kind: "homeless",
        table: "dcim_devicetype",
        id: 1,
        values: { front_image: "a.png", reason: "front_image: Its file is not moved without --media." }
      },
      { kind: "homeless", table: "dcim_site", id: 7, values: { "it's \" \\ $type": "kept" } },
      { kind: "homeless", table: `plugin'" x$type`, id: 1, values: { id: 1, name: "other" } },
      { kind: "homeless", table: "plugin_thing", id: 1, values: { id: 1, name: "thing", secret_key: "***" } }
    ])
    expect(report.tables).toEqual([
      { table: `plugin'" x$type`, rows: 1 },
      { table: "plugin_thing", rows: 1 }
    ])
    expect(await counted("dcim_region")).toBe(0)
  })

  test("that is strict writes nothing, because some rows are refused", async () => {
    await expect(moveInto({ ...both(), isStrict: true })).rejects.toMatchObject({
      reason: "RowsRefused",
      message: expect.stringContaining("2 rows are refused")
    })
    expect(await counted("dcim_region")).toBe(0)
  })

  test("keeps ids, times, trees, tags, lists, cables and references in circles", async () => {
    await moveInto(both())
    const read = <A extends object>(statement: string) => target.sql.query<A>(statement)
    expect(await read("select id::int as id, parent_id::int as parent from dcim_region order by id")).toEqual([
      { id: 1, parent: 2 },
      { id: 2, parent: 3 },
      { id: 3, parent: null }
    ])
    const [site] = await read<{ readonly row: object }>("select row_to_json(t) as row from dcim_site t")
    expect(site!.row).toMatchObject({ id: 7, tags: [3], asns: [5], time_zone: null, facility: "F1" })
    const changedLater = `select count(*)::int as count from (select last_updated from dcim_device
      union all select last_updated from dcim_interface) t where last_updated <> '${old}'`
    expect(await read(changedLater)).toEqual([{ count: 0 }])
    expect(
      await read("select primary_ip4_id::int as ip, virtual_chassis_id::int as vc from dcim_device order by id")
    ).toEqual([
      { ip: 30, vc: 4 },
      { ip: 31, vc: null }
    ])
    expect(await read("select master_id::int as master from dcim_virtualchassis")).toEqual([{ master: 20 }])
    expect(
      await read("select id::int as id, lag_id::int as lag, cable_id::int as cable from dcim_interface order by id")
    ).toEqual([
      { id: 40, lag: 42, cable: 50 },
      { id: 41, lag: null, cable: 50 },
      { id: 42, lag: null, cable: null }
    ])
    expect(await read("select id::int as id, cable_end as side from dcim_cabletermination order by id")).toEqual([
      { id: 60, side: "B" },
      { id: 61, side: "A" }
    ])
    expect(
      await read("select address::text as address, nat_inside_id::int as inside from ipam_ipaddress order by id")
    ).toEqual([
      { address: "10.0.0.1/32", inside: null },
      { address: "192.0.2.1/32", inside: 32 },
      { address: "10.0.0.2/32", inside: null }
    ])
    expect(await read("select username, is_superuser as root from users_user")).toEqual([
      { username: "ada", root: true }
    ])
    const [next] = await read<{ readonly id: number }>(
      "insert into dcim_site (name, slug) values ('new', 'new') returning id::int as id"
    )
    expect(next).toEqual({ id: 101 })
  })

  thorough("leaves differences of refused rows alone, which a comparison finds", async () => {
    const { deviations } = await verifyInto(both())
    expect(deviations).toEqual([
      { kind: "differs", type: "dcim.devicetype", id: 1, fields: ["front_image"], since: "neither" },
      { kind: "missing here", type: "dcim.site", id: 8, fields: [], since: "neither" },
      { kind: "refused", type: "dcim.site", id: 9, fields: [], since: "neither" },
      // Made here by the test before.
      { kind: "missing there", type: "dcim.site", id: 101, fields: [], since: "here" }
    ])
    await moveInto(both())
    expect((await verifyInto(both())).deviations).toEqual(deviations)
    await source.sql.query("update dcim_site set region_id = 3 where id = 8")
    await moveInto(both())
    expect((await verifyInto(both())).deviations.map(({ id }) => id)).toEqual([1, 9, 101])
  })

  test("that never took place is no excuse for a difference", async () => {
    const other = await makeDatabase()
    const { report } = await verifyInto({ from: source.databaseUrl, to: other.databaseUrl })
    expect(report.types.reduce((sum, { rows, wrong }) => sum + rows - wrong, 0)).toBe(0)
    await other.drop()
  })

  test("into an inventory where other objects have its ids stops before its first write, and names them", async () => {
    const other = await makeDatabase()
    await other.sql.query("insert into dcim_region (id, name, slug) values (2, 'x', 'x'), (3, 'y', 'y'), (4, 'z', 'z')")
    await expect(moveInto({ from: source.databaseUrl, to: other.databaseUrl })).rejects.toMatchObject({
      reason: "IdsTaken",
      message: expect.stringContaining("dcim.region 2, 3.")
    })
    expect(await other.sql.query("select count(*)::int as count from dcim_site")).toEqual([{ count: 0 }])
    await other.drop()
  })

  test("from a database that is none of NetBox is refused", async () => {
    const moving = moveInto({ from: target.databaseUrl, to: target.databaseUrl })
    await expect(moving).rejects.toMatchObject({ reason: "UnknownSource" })
  })
})
