/** `--keep-ids=no`: objects whose ids others have here get new ones, wherever they are named. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

const request = "00000000-0000-0000-0000-000000000001"

const theirs: ReadonlyArray<string> = [
  "create table extras_customfield (id bigint primary key, name text, type text, object_type_id int)",
  "create table extras_customfield_content_types (id int, customfield_id bigint, contenttype_id int)",
  `create table core_objectchange (id bigint primary key, time timestamptz, user_id int, user_name text, request_id uuid,
     action text, changed_object_type_id int, changed_object_id bigint, related_object_type_id int, related_object_id bigint,
     object_repr text, prechange_data jsonb, postchange_data jsonb)`,
  "insert into extras_customfield values (1, 'twin', 'object', 1), (2, 'others', 'multiobject', 1)",
  "insert into extras_customfield_content_types values (1, 1, 1), (2, 2, 1)",
  "insert into dcim_region (id, name, slug, parent_id, description) values (1, 'Europe', 'eu', null, ''), (2, 'Bern', 'bern', 1, '')",
  `insert into dcim_site (id, name, slug, status, region_id, time_zone, facility, custom_field_data) values
     (1, 'A', 'a', 'active', 2, '', '', '{"twin": 2, "others": [1, 2, 3]}'),
     (2, 'B', 'b', 'active', 1, '', '', '{}'), (3, 'C', 'c', 'active', 1, '', '', '{}')`,
  "insert into extras_tag (id, name, slug, color, description) values (1, 'T1', 't1', '00ff00', ''), (2, 'T2', 't2', '00ff00', '')",
  "insert into extras_taggeditem (content_type_id, object_id, tag_id) values (1, 1, 1), (1, 1, 2)",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, '')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status) values
     (20, 'a', 1, 1, 1, 'active'), (21, 'b', 1, 1, 2, 'active')`,
  `insert into dcim_interface (id, device_id, name, type, lag_id) values
     (40, 20, 'eth0', '1000base-t', 42), (41, 21, 'eth0', '1000base-t', null), (42, 20, 'lag0', 'lag', null)`,
  "insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id) values (30, '10.0.0.1/32', 'active', 2, 40)",
  "update dcim_device set primary_ip4_id = 30 where id = 20",
  "insert into dcim_cable (id, status, type) values (50, 'connected', 'cat6')",
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     values (60, 50, 'A', 2, 40), (61, 50, 'B', 2, 41)`,
  `insert into auth_user (id, password, username, is_superuser, is_staff, is_active, first_name, last_name, email)
     select i, 'pbkdf2_sha256$1$salt$hash', name, true, true, true, '', '', ''
       from (values (1, 'root'), (2, 'ada')) u (i, name)`,
  `insert into core_objectchange values
     (1, now() - interval '1 day', null, 'ada', '${request}', 'update', 1, 1, null, null, 'A', '{"name": "O"}', '{"name": "A"}')`
]

/** Objects that are here before, under ids of the source. */
const ours: ReadonlyArray<string> = [
  "insert into users_user (id, username, password) values (1, 'ada', 'x')",
  "insert into dcim_region (id, name, slug) values (2, 'Ours', 'ours')",
  "insert into dcim_site (id, name, slug) values (1, 'Ours', 'ours')",
  "insert into extras_tag (id, name, slug) values (1, 'Ours', 'ours')",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'Ours', 'ours')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug) values (1, 1, 'Ours', 'ours')",
  "insert into dcim_devicerole (id, name, slug) values (1, 'Ours', 'ours')",
  "insert into dcim_device (id, name, device_type_id, device_role_id, site_id) values (20, 'ours', 1, 1, 1)",
  "insert into dcim_interface (id, device_id, name, type) values (40, 20, 'eth0', '1000base-t'), (43, 20, 'eth1', '1000base-t')",
  "insert into ipam_ipaddress (id, address) values (30, '10.9.0.1/32')",
  "select setval(pg_get_serial_sequence('dcim_cabletermination', 'id'), 60)::text",
  `insert into dcim_cable (id, a_type, a_terminations, b_type, b_terminations)
     values (50, 'dcim.interface', '{40}', 'dcim.interface', '{43}')`
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...theirs]) await source.sql.query(statement)
  for (const statement of ours) await target.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

const both = () => ({ from: source.databaseUrl, to: target.databaseUrl })
const here = (statement: string) => target.sql.query<Readonly<Record<string, unknown>>>(statement)
const summed = async (options: { readonly keepsIds?: boolean; readonly isDryRun?: boolean } = {}) => {
  const { report, findings } = await moveInto({ ...both(), keepsIds: false, ...options })
  const sum = (name: "created" | "updated" | "deleted" | "refused") =>
    report.types.reduce((total, type) => total + type[name], 0)
  return {
    sums: { created: sum("created"), updated: sum("updated"), deleted: sum("deleted"), refused: sum("refused") },
    refused: findings.filter(({ kind }) => kind === "refused"),
    renumbered: findings.flatMap((each) =>
      each.kind === "renumbered" ? [`${each.table} ${each.id}${each.table === "auth_user" ? ` ${each.here}` : ""}`] : []
    )
  }
}

/** Each new id is named once. */
const pairs = [
  ...[
    "auth_user 1 3",
    "auth_user 2 1",
    "dcim_cable 50",
    "dcim_cabletermination 61",
    "dcim_device 20",
    "dcim_devicerole 1"
  ],
  ...["dcim_devicetype 1", "dcim_interface 40", "dcim_manufacturer 1", "dcim_region 2", "dcim_site 1", "extras_tag 1"],
  "ipam_ipaddress 30"
]

const oursUnchanged = async () => {
  expect(await here("select name from dcim_site where id = 1")).toEqual([{ name: "Ours" }])
  expect(await here("select device_id::int as device from dcim_interface where id = 40")).toEqual([{ device: 20 }])
  expect(
    await here(
      "select id::int as id, termination_id::int as end from dcim_cabletermination where cable_id = 50 order by 1"
    )
  ).toEqual([
    { id: 61, end: 40 },
    { id: 62, end: 43 }
  ])
}

describe("a move into an inventory with the same ids", () => {
  test("is refused with all ids if they are to be kept", async () => {
    await expect(moveInto(both())).rejects.toMatchObject({
      reason: "IdsTaken",
      message: expect.stringContaining("Move with --keep-ids=no to give new ids to these")
    })
  })

  test("is tried by a dry run, which moves no sequence", async () => {
    const { sums, refused, renumbered } = await summed({ isDryRun: true })
    expect(refused).toEqual([])
    expect(sums.created).toBeGreaterThan(10)
    expect(renumbered.map((each) => each.replace(/^(auth_user 1) .*/, "$1")).toSorted()).toEqual(
      pairs.map((each) => each.replace(/^(auth_user 1) .*/, "$1"))
    )
    const [row] = await here("select count(*)::int as count from rackwire_renumbered")
    expect(row).toEqual({ count: 0 })
  })

  test("gives new ids, and names each", async () => {
    const { refused, renumbered } = await summed()
    expect(refused).toEqual([])
    expect(renumbered.map((each) => each.replace(/^(auth_user 1) .*/, "$1")).toSorted()).toEqual(
      pairs.map((each) => each.replace(/^(auth_user 1) .*/, "$1"))
    )
    await oursUnchanged()
  })

  test("finds each reference by its new id", async () => {
    const [site] = await here(
      `select s.name, r.name as region, p.name as parent, s.custom_fields->'twin' as twin,
              array(select o.name from dcim_site o where to_jsonb(o.id) <@ (s.custom_fields->'others') order by 1) as others,
              array(select t.name from extras_tag t where t.id = any (s.tags) order by 1) as tags
         from dcim_site s join dcim_region r on r.id = s.region_id join dcim_region p on p.id = r.parent_id where s.name = 'A'`
    )
    expect(site).toEqual({
      ...{ name: "A", region: "Bern", parent: "Europe", twin: 2, others: ["A", "B", "C"], tags: ["T1", "T2"] }
    })
    const [device] = await here(
      `select d.name, s.name as site, t.model, i.name as port, l.name as lag, a.address::text as address
         from dcim_device d join dcim_site s on s.id = d.site_id join dcim_devicetype t on t.id = d.device_type_id
         join ipam_ipaddress a on a.id = d.primary_ip4_id join dcim_interface i on i.id = a.assigned_object_id
         join dcim_interface l on l.id = i.lag_id where d.name = 'a' and i.device_id = d.id`
    )
    expect(device).toEqual({ name: "a", site: "A", model: "T", port: "eth0", lag: "lag0", address: "10.0.0.1/32" })
    const ends = await here(
      `select d.name, e.cable_end as end from dcim_cabletermination e join dcim_interface i on i.id = e.termination_id
         join dcim_device d on d.id = i.device_id where e.cable_id <> 50 order by 2`
    )
    expect(ends).toEqual([
      { name: "a", end: "A" },
      { name: "b", end: "B" }
    ])
    const history = await here(
      "select s.name from extras_objectchange c join dcim_site s on s.id = c.changed_object_id where c.position < 0"
    )
    expect(history).toEqual([{ name: "A" }])
    expect(await here("select id::int as id, password from users_user where username = 'ada'")).toEqual([
      { id: 1, password: "pbkdf2_sha256$1$salt$hash" }
    ])
  })

  test("is compared by the new ids", async () => {
    const { deviations } = await verifyInto(both())
    expect(deviations.filter(({ since }) => since !== "here")).toEqual([])
    expect(deviations).toHaveLength(13)
  })

  test("is followed by later runs, which keep the pairs and delete none of ours", async () => {
    const nothing = { created: 0, updated: 0, deleted: 0, refused: 0 }
    expect(await summed({ keepsIds: true })).toEqual({ sums: nothing, refused: [], renumbered: [] })
    await source.sql.query("update dcim_site set facility = 'new' where id = 1")
    await source.sql.query("update dcim_device set primary_ip4_id = null where id = 20")
    await source.sql.query("delete from ipam_ipaddress where id = 30")
    expect((await summed({ keepsIds: true })).sums).toEqual({ ...nothing, updated: 2, deleted: 1 })
    expect(await here("select facility from dcim_site where name in ('A', 'Ours') order by name")).toEqual([
      { facility: "new" },
      { facility: "" }
    ])
    expect(await here("select address::text as address from ipam_ipaddress")).toEqual([{ address: "10.9.0.1/32" }])
    await oursUnchanged()
  })

  test("gives another id where an earlier run gave the id away", async () => {
    const [site] = await here("select id::int as id from dcim_site where name = 'A'")
    const id = site!["id"] as number
    await source.sql.query(
      `insert into dcim_site (id, name, slug, status, time_zone, facility) values (${id}, 'D', 'd', 'active', '', '')`
    )
    await expect(moveInto(both())).rejects.toMatchObject({ reason: "IdsTaken" })
    expect((await summed()).renumbered).toEqual([`dcim_site ${id}`])
    expect(await here("select name from dcim_site order by name")).toEqual(
      ["A", "B", "C", "D", "Ours"].map((name) => ({ name }))
    )
  })
})
