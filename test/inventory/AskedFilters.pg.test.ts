/** Filters of NetBox 3.5 about other objects and about what is derived, as Postgres answers them. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { filter } from "../../src/inventory/derive/filter/Filter.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase

/** Two places: device 1 in rack 1 of location 2, below location 1, of site 1 in region 2, below region 1; device 2. */
const world = [
  "insert into dcim_region (id, name, slug, parent_id) values (1, 'outer', 'outer', null), (2, 'inner', 'inner', 1)",
  "insert into dcim_site (id, name, slug, region_id) values (1, 's1', 's1', 2), (2, 's2', 's2', null)",
  "insert into dcim_location (id, name, slug, site_id, parent_id) values (1, 'hall', 'h', 1, null), (2, 'cage', 'c', 1, 1)",
  "insert into dcim_rack (id, name, site_id, location_id) values (1, 'r1', 1, 2)",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'm', 'm')",
  `insert into dcim_devicetype (id, manufacturer_id, model, slug, is_full_depth)
     values (1, 1, 'deep', 'deep', true), (2, 1, 'flat', 'flat', false)`,
  "insert into dcim_devicerole (id, name, slug) values (1, 'r', 'r')",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, location_id, rack_id, local_context_data)
     values (1, 'd1', 1, 1, 1, 2, 1, '{"a": 1}'), (2, 'd2', 2, 1, 2, null, null, null), (3, 'd3', 2, 1, 2, null, null, null)`,
  "insert into dcim_virtualchassis (id, name, master_id) values (1, 'vc', 3)",
  "insert into ipam_vlan (id, vid, name) values (1, 10, 'v10'), (2, 20, 'v20')",
  `insert into dcim_interface (id, device_id, name, type, mode, untagged_vlan_id, tagged_vlans, mark_connected)
     values (1, 1, 'a', '1000base-t', 'tagged', 1, '{2}', false), (2, 2, 'b', '1000base-t', 'access', 2, '{}', false),
       (3, 2, 'c', 'virtual', null, null, '{}', false), (4, 2, 'd', 'ieee802.11ac', null, null, '{}', true),
       (5, 2, 'e', '1000base-t', null, null, '{}', false), (6, 1, 'f', '1000base-t', null, null, '{}', false)`,
  `insert into dcim_cable (id, a_terminations, b_terminations, status)
     values (1, '{1}', '{2}', 'connected'), (2, '{5}', '{6}', 'planned')`,
  "insert into ipam_routetarget (id, name) values (1, '65000:1'), (2, '65000:2')",
  `insert into ipam_vrf (id, name, rd, import_targets, export_targets)
     values (1, 'in', '1:1', '{1}', '{}'), (2, 'out', '2:2', '{}', '{1}'), (3, 'else', '3:3', '{}', '{2}')`,
  `insert into ipam_prefix (id, prefix, vrf_id)
     values (1, '10.0.0.0/8', 1), (2, '10.1.0.0/16', 1), (3, '10.1.1.0/24', 1), (4, '10.1.1.0/24', 2), (5, '10.1.1.0/24', 3),
       (6, 'fd00::/8', 3), (7, 'fdff:ffff::/32', 3)`,
  `insert into ipam_ipaddress (id, address, vrf_id, assigned_object_type, assigned_object_id)
     values (1, '10.0.0.1/24', 1, 'dcim.interface', 1), (2, '10.0.0.2/24', 2, null, null), (3, 'fd00::1/64', 3, null, null)`,
  "update dcim_device set primary_ip4_id = 1 where id = 1",
  `insert into ipam_iprange (id, start_address, end_address)
     values (1, '10.0.0.10/24', '10.0.0.20/24'), (2, 'fd00::1/64', 'fd00::9/64')`,
  "insert into virtualization_clustertype (id, name, slug) values (1, 't', 't')",
  "insert into virtualization_cluster (id, name, type_id, site_id) values (1, 'c', 1, 1)",
  "insert into virtualization_virtualmachine (id, name, cluster_id) values (1, 'vm1', 1), (2, 'vm2', 1)",
  "insert into virtualization_vminterface (id, virtual_machine_id, name, mac_address) values (1, 1, 'e', '00:11:22:33:44:55')",
  `insert into ipam_service (id, device_id, name, ports, protocol, ipaddresses)
     values (1, 1, 'web', '{80,443}', 'tcp', '{1}'), (2, 1, 'ssh', '{22}', 'tcp', '{}')`,
  `insert into ipam_vlangroup (id, name, slug, scope_type, scope_id)
     values (1, 'region', 'g1', 'dcim.region', 1), (2, 'site', 'g2', 'dcim.site', 2), (3, 'all', 'g3', null, null),
       (4, 'cluster', 'g4', 'virtualization.cluster', 1), (5, 'rack', 'g5', 'dcim.rack', 1)`,
  `insert into ipam_vlan (id, vid, name, group_id, site_id)
     values (3, 1, 'region', 1, null), (4, 1, 'site', 2, null), (5, 1, 'all', 3, null), (6, 1, 'cluster', 4, null),
       (7, 1, 'rack', 5, null), (8, 1, 'own', null, 1), (9, 1, 'other', null, 2)`,
  "insert into ipam_rir (id, name, slug) values (1, 'r', 'r')",
  "insert into ipam_asn (id, asn, rir_id) values (1, 65001, 1), (2, 65002, 1)",
  "update dcim_site set asns = '{1}' where id = 1",
  "insert into circuits_provider (id, name, slug, asns) values (1, 'p', 'p', '{2}'), (2, 'q', 'q', '{}')",
  "insert into tenancy_contactgroup (id, name, slug, parent_id) values (1, 'g', 'g', null), (2, 'h', 'h', 1)",
  "insert into tenancy_contact (id, name, group_id) values (1, 'Ann', 2), (2, 'Bob', null)",
  "insert into tenancy_contactrole (id, name, slug) values (1, 'Owner', 'o')",
  `insert into tenancy_contactassignment (id, content_type, object_id, contact_id, role_id)
     values (1, 'dcim.site', 1, 1, 1), (2, 'dcim.device', 2, 1, null), (3, 'dcim.site', 2, 2, null)`,
  "insert into extras_tag (id, name, slug) values (1, 'a', 'a'), (2, 'b', 'b')",
  "update dcim_rack set tags = '{2}'",
  "insert into users_user (id, username, password) values (901, 'ann', 'x'), (902, 'bob', 'x')",
  "insert into users_group (id, name) values (1, 'ops')",
  "update users_user set groups = '{1}' where id = 901",
  `insert into users_objectpermission (id, name, object_types, actions, users, groups)
     values (901, 'p', '{dcim.site}', '{view}', '{901}', '{}'), (902, 'q', '{dcim.site}', '{view}', '{}', '{1}')`,
  "select rackwire_add_day('extras_objectchange', '2026-11-20')::text",
  "select rackwire_add_day('extras_objectchange', '2026-11-21')::text",
  `insert into extras_objectchange (time, user_name, request_id, action, changed_object_type, changed_object_id, position, idx, data, prechange_data, postchange_data)
     select day::timestamptz, name, '00000000-0000-4000-8000-000000000001', 'create', 'dcim.site', 1, n, 1, '{}', '{}', '{}'
       from (values ('2026-11-20T10:00Z', 'ann', 1), ('2026-11-21T10:00Z', 'bob', 2)) each (day, name, n)`,
  `insert into extras_journalentry (id, assigned_object_type, assigned_object_id, comments, created)
     values (1, 'dcim.site', 1, 'a', '2026-11-20T10:00Z'), (2, 'dcim.site', 1, 'b', '2026-11-21T10:00Z')`
]

beforeAll(async () => {
  database = await makeDatabase()
  for (const statement of world) await database.sql.query(statement)
})
afterAll(() => database.drop())

const tooMany = '{"contains":["Ensure that there are no more than 250 values; there are 300."]}'

test.each([
  ["dcim.device", "has_primary_ip=true", "1"],
  ["dcim.device", "has_primary_ip=false", "2 3"],
  ["dcim.device", "has_primary_ip=", "1 2 3"],
  ["dcim.device", "virtual_chassis_member=true", "3"],
  ["dcim.device", "local_context_data=True", "1"],
  ["dcim.device", "interfaces=true", "1 2"],
  ["dcim.device", "interfaces=false", "3"],
  ["dcim.device", "model=flat", "2 3"],
  ["dcim.device", "is_full_depth=true", "1"],
  ["dcim.device", "contact=1", "2"],
  ["dcim.site", "contact=1", "1"],
  ["dcim.site", "contact__n=1", "2"],
  ["dcim.site", "contact_role=1", "1"],
  ["dcim.site", "contact_group=1", "1"],
  ["dcim.interface", "cabled=true", "1 2 5 6"],
  ["dcim.interface", "cabled=false", "3 4"],
  ["dcim.interface", "occupied=true", "1 2 4 5 6"],
  ["dcim.interface", "occupied=false", "3"],
  ["dcim.interface", "connected=true", "1 2"],
  ["dcim.interface", "connected=false", "3 4 5 6"],
  ["dcim.interface", "cable_end=B", "2 6"],
  ["dcim.interface", "kind=physical", "1 2 5 6"],
  ["dcim.interface", "kind=virtual", "3"],
  ["dcim.interface", "kind=wireless", "4"],
  ["dcim.interface", "vlan=20", "1 2"],
  ["dcim.interface", "vlan_id=1", "1"],
  ["dcim.interface", "vlan_id=999", ""],
  ["dcim.cable", "termination_a_id=1", "1"],
  ["dcim.cable", "termination_a_id=2", ""],
  ["dcim.cable", "termination_b_id=2", "1"],
  ["dcim.cable", "termination_a_type=dcim.interface&termination_a_id=5", "2"],
  ["dcim.cable", "termination_a_type=dcim.frontport", ""],
  ["dcim.cable", "termination_b_type__n=dcim.frontport", "1 2"],
  ["dcim.cable", "device=d1", "1 2"],
  ["dcim.cable", "device_id=3", ""],
  ["dcim.cable", "rack=r1", "1 2"],
  ["dcim.cable", "rack_id=1", "1 2"],
  ["dcim.cable", "location=cage", "1 2"],
  ["dcim.cable", "location=hall", ""],
  ["dcim.cable", "location_id=1", ""],
  ["dcim.cable", "site=s2", "1 2"],
  ["dcim.cable", "site_id=1", "1 2"],
  ["ipam.prefix", "depth=2", "3"],
  ["ipam.prefix", "depth__gte=1", "2 3 7"],
  ["ipam.prefix", "children=1", "2 6"],
  ["ipam.prefix", "children=2", "1"],
  ["ipam.prefix", "present_in_vrf=1:1", "1 2 3 4"],
  ["ipam.prefix", "present_in_vrf_id=1", "1 2 3 4"],
  ["ipam.ipaddress", "present_in_vrf_id=1", "1 2"],
  ["ipam.ipaddress", "assigned_to_interface=true", "1"],
  ["ipam.ipaddress", "assigned=false", "2 3"],
  ["ipam.iprange", "contains=10.0.0.15", "1"],
  ["ipam.iprange", "contains=10.0.0.20/32", "1"],
  ["ipam.iprange", "contains=10.0.0.21", ""],
  ["ipam.iprange", "contains=fd00::5", "2"],
  ["ipam.routetarget", "importing_vrf=1:1", "1"],
  ["ipam.routetarget", "exporting_vrf_id=3", "2"],
  ["ipam.service", "port=443", "1"],
  ["ipam.service", "ipaddress=10.0.0.1/24", "1"],
  ["ipam.service", "ipaddress_id=1", "1"],
  ["ipam.vlangroup", "region=1", "1"],
  ["ipam.vlangroup", "site=2", "2"],
  ["ipam.vlangroup", "cluster=1", "4"],
  ["ipam.vlangroup", "rack=7", ""],
  ["ipam.vlan", "available_on_device=1", "1 2 3 5 7 8"],
  ["ipam.vlan", "available_on_device=2", "1 2 4 5 9"],
  ["ipam.vlan", "available_on_virtualmachine=1", "1 2 3 5 6 8"],
  ["ipam.vlan", "available_on_device=1&available_on_device=2", "1 2 3 4 5 7 8 9"],
  ["ipam.vlan", "available_on_device=999", ""],
  ["ipam.iprange", `contains=${Array.from({ length: 300 }, () => "::1").join("&contains=")}`, tooMany],
  ["extras.tag", `content_type=${Array.from({ length: 300 }, () => "dcim.rack").join("&content_type=")}`, "2"],
  ["ipam.asn", "site=s1", "1"],
  ["ipam.asn", "site_id=2", ""],
  ["circuits.provider", "asn_id=2", "1"],
  ["virtualization.virtualmachine", "mac_address=00:11:22:33:44:55", "1"],
  ["virtualization.virtualmachine", "mac_address__isw=00:11", "1"],
  ["virtualization.virtualmachine", "has_primary_ip=false", "1 2"],
  ["tenancy.contactassignment", "q=ann", "1 2"],
  ["tenancy.contactassignment", "q=OWN", "1"],
  ["extras.tag", "content_type=dcim.rack", "2"],
  ["extras.tag", "content_type=dcim.site", ""],
  ["extras.tag", "content_type=extras.webhook", ""],
  ["extras.journalentry", "created_after=2026-11-21", "2"],
  ["extras.journalentry", "created_before=2026-11-21", "1"],
  ["dcim.device", "name=D1", "1"],
  ["dcim.device", "name=D1&name=d2", "1 2"],
  ["dcim.device", "name__n=D1", "1 2 3"],
  ["dcim.device", `name=D1&${Array.from({ length: 300 }, (_, n) => `name=x${n}`).join("&")}`, "1"],
  ["virtualization.virtualmachine", "name=VM1", "1"],
  ["ipam.iprange", "parent=10.0.0.8/29", ""],
  ["ipam.iprange", "parent=10.0.0.0/27", "1"],
  ["dcim.device", "rack=1", "1"],
  ["dcim.device", "rack=r1", "1"],
  ["dcim.device", "rack=7&rack=nope", ""],
  ["dcim.device", "rack=null", "2 3"],
  ["dcim.device", "rack__n=1", "2 3"],
  ["dcim.device", "rack=", "1 2 3"],
  ["dcim.site", "asns=1", "1"],
  ["dcim.site", "asns=65001", "1"],
  ["dcim.site", "asns=nope", ""],
  ["dcim.rack", "tags=b", "1"],
  ["dcim.rack", "tags=2", "1"],
  ["dcim.interface", "cable=1", "1 2"],
  ["dcim.interface", "device_type=deep", "1 6"],
  ["dcim.interface", "device_type_id=1", "1 6"],
  ["ipam.ipaddress", "device=nope", ""],
  ["ipam.ipaddress", "device_id=1", "1"],
  ["users.user", "group=ops", "901"],
  ["users.user", "group_id=1", "901"],
  ["users.objectpermission", "user=ann", "901"],
  ["users.objectpermission", "group_id=1", "902"]
])("%s: %s", async (id, query, ids) => {
  expect(await found(id, query)).toBe(ids)
})

test("changes are found by their author and by when they happened", async () => {
  const [ann, bob] = (await found("extras.objectchange", "")).split(" ")
  expect(await found("extras.objectchange", "user=ann")).toBe(ann)
  expect(await found("extras.objectchange", "user_id=902")).toBe(bob)
  expect(await found("extras.objectchange", "user_id=901&user_id=902")).toBe(`${ann} ${bob}`)
  expect(await found("extras.objectchange", "time_after=2026-11-21T00:00Z")).toBe(bob)
  expect(await found("extras.objectchange", "time_before=2026-11-21")).toBe(ann)
})

const found = async (id: string, query: string) => {
  const type = objectType(id)
  const filtered = filter(type, [...new URLSearchParams(query)], allVisible)
  if ("errors" in filtered) return JSON.stringify(filtered.errors)
  const { sql, parameters } = filtered.where
  const rows = await database.sql.query<{ readonly id: bigint }>(
    `select id from ${type.table} t where ${sql} order by id`,
    parameters
  )
  return rows.map((row) => String(row.id)).join(" ")
}
