/**
 * Creates a realistic inventory of any size with a few statements. The same size always gives the same inventory.
 *
 * Sites have 200 devices of 50 interfaces, each with its address in a network of the device, a console port and two
 * power ports; cables join devices in a row. Postgres generates all rows. The indexes that would slow it down are dropped before and created again afterwards.
 */
import { Console, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Postgres } from "../../postgres/Postgres.ts"
import { migrateAll } from "../../pipeline/Foundation.ts"
import { CommandFailed } from "../service/Entry.ts"

const deviceTypes = 6

/** Interfaces of a device, and devices of a site and of a rack. */
const perDevice = 50
const perSite = 200
const perRack = 10

/** Most interfaces: the addresses of a site are 1/1024 of 10.0.0.0/8. */
export const sizeMax = 1024 * perSite * perDevice

/** Cables: the first port of each device leads to the second one of the next. */
const cablesOf = (size: number): number => Math.max(0, Math.floor((size - 2) / perDevice))

/** Number of rows by table, in the order of creation. A reservation needs a user. */
const countsOf = (size: number, hasUser: boolean) => {
  const devices = Math.ceil(size / perDevice)
  const sites = Math.ceil(devices / perSite)
  return {
    dcim_region: 4,
    tenancy_tenantgroup: 2,
    tenancy_tenant: 12,
    dcim_manufacturer: 3,
    dcim_platform: 3,
    dcim_devicetype: deviceTypes,
    dcim_devicerole: 4,
    dcim_site: sites,
    dcim_interfacetemplate: deviceTypes * perDevice,
    dcim_consoleporttemplate: deviceTypes,
    dcim_powerporttemplate: deviceTypes * 2,
    dcim_rack: Math.ceil(devices / perRack),
    dcim_rackreservation: hasUser ? Math.ceil(devices / perRack / 4) : 0,
    ipam_role: 3,
    ipam_vlangroup: sites,
    ipam_vlan: sites * 20,
    dcim_device: devices,
    dcim_interface: size,
    dcim_consoleport: devices,
    dcim_powerport: devices * 2,
    dcim_cable: cablesOf(size),
    ipam_prefix: sites + devices,
    ipam_ipaddress: size,
    circuits_provider: 4,
    circuits_circuittype: 2,
    circuits_circuit: sites * 2
  }
}
type TableName = keyof ReturnType<typeof countsOf>

/** The columns of a table's rows: by name, the SQL of each over the row number `n`, from 0. */
type Recipe = Readonly<Record<string, string>>

/** SQL of the id of the row `n` of a table. */
type IdOf = (table: TableName, n: string) => string

const named = (label: string): Recipe => ({
  name: `'${label} ' || n + 1`,
  slug: `lower(replace('${label}-' || n + 1, ' ', '-'))`
})

const cities = "(array['Amsterdam','Berlin','Chicago','Dublin','Frankfurt','Geneva','Helsinki','Lisbon'])"

/** Places, tenants, and types of devices and other objects. */
const placeRecipes = (id: IdOf) =>
  ({
    dcim_region: { name: "(array['Europe','North America','Asia','Oceania'])[n + 1]", slug: "'demo-region-' || n + 1" },
    tenancy_tenantgroup: named("Customers"),
    tenancy_tenant: { ...named("Tenant"), group_id: id("tenancy_tenantgroup", "n % 2") },
    dcim_manufacturer: { name: "(array['Arista','Cisco','Juniper'])[n + 1]", slug: "'demo-manufacturer-' || n + 1" },
    dcim_platform: { name: "(array['EOS','NX-OS','Junos'])[n + 1]", slug: "'demo-platform-' || n + 1" },
    dcim_devicetype: {
      manufacturer_id: id("dcim_manufacturer", "n % 3"),
      model: "'Switch 48-' || n + 1",
      slug: "'switch-48-' || n + 1",
      u_height: "1 + n % 2"
    },
    dcim_devicerole: {
      name: "(array['Access','Core','Leaf','Spine'])[n + 1]",
      slug: "'demo-role-' || n + 1",
      color: "(array['2196f3','f44336','4caf50','ff9800'])[n + 1]"
    },
    dcim_site: {
      name: `${cities}[n % 8 + 1] || ' ' || n / 8 + 1`,
      slug: "'demo-site-' || n + 1",
      status: "case when n % 10 = 9 then 'planned' else 'active' end",
      region_id: id("dcim_region", "n % 4"),
      tenant_id: id("tenancy_tenant", "n % 12"),
      facility: "'DC' || n + 1",
      time_zone: "'Europe/Amsterdam'"
    },
    dcim_rack: {
      name: `'R' || lpad((n % ${perSite / perRack} + 1)::text, 2, '0')`,
      site_id: id("dcim_site", `n / ${perSite / perRack}`),
      serial: "'RK' || lpad(n::text, 8, '0')"
    },
    dcim_rackreservation: {
      rack_id: id("dcim_rack", "n * 4"),
      units: "array[41, 42]",
      user_id: "(select min(id) from users_user)",
      description: "'For the next switches'"
    }
  }) satisfies Partial<Record<TableName, Recipe>>

/** VLANs and circuits of the sites. */
const lineRecipes = (id: IdOf) =>
  ({
    ipam_role: named("Purpose"),
    ipam_vlangroup: { ...named("Site VLANs"), scope_type: "'dcim.site'", scope_id: id("dcim_site", "n") },
    ipam_vlan: {
      vid: "100 + n % 20",
      name: "'vlan' || 100 + n % 20",
      group_id: id("ipam_vlangroup", "n / 20"),
      site_id: id("dcim_site", "n / 20"),
      role_id: id("ipam_role", "n % 3")
    },
    circuits_provider: named("Carrier"),
    circuits_circuittype: named("Line"),
    circuits_circuit: {
      cid: "'CID-' || lpad(n::text, 7, '0')",
      provider_id: id("circuits_provider", "n % 4"),
      type_id: id("circuits_circuittype", "n % 2"),
      install_date: "date '2020-01-01' + (n % 1500)::int",
      commit_rate: "1000000"
    }
  }) satisfies Partial<Record<TableName, Recipe>>

const site = `n / ${perDevice * perSite}`
const device = `n / ${perDevice}`
const port = `n % ${perDevice}`

/** The name, type and use of an interface, or of its template, by its number in the device. */
const portRecipe = (port: string): Recipe => ({
  name: `case ${port} when 48 then 'Management1' when 49 then 'Loopback0' else 'Ethernet' || ${port} + 1 end`,
  type: `case ${port} when 48 then '1000base-t' when 49 then 'virtual' else '10gbase-x-sfpp' end`,
  mgmt_only: `${port} = 48`
})

/** Two power supplies. */
const powerRecipe = { name: "'PSU' || n % 2 + 1", type: "'iec-60320-c14'", maximum_draw: "350", allocated_draw: "200" }
const consoleRecipe = { name: "'Console'", type: "'rj-45'" }

/** The parts that a new device of each type gets. */
const templateRecipes = (id: IdOf) =>
  ({
    dcim_interfacetemplate: { device_type_id: id("dcim_devicetype", `n / ${perDevice}`), ...portRecipe(port) },
    dcim_consoleporttemplate: { device_type_id: id("dcim_devicetype", "n"), ...consoleRecipe },
    dcim_powerporttemplate: { device_type_id: id("dcim_devicetype", "n / 2"), ...powerRecipe }
  }) satisfies Partial<Record<TableName, Recipe>>

const deviceRecipes = (id: IdOf) =>
  ({
    dcim_device: {
      name: `'sw' || lpad((n % ${perSite} + 1)::text, 3, '0') || '.dc' || n / ${perSite} + 1`,
      device_type_id: id("dcim_devicetype", "n % 6"),
      device_role_id: id("dcim_devicerole", "n % 4"),
      platform_id: id("dcim_platform", "n % 3"),
      tenant_id: id("tenancy_tenant", "n % 12"),
      site_id: id("dcim_site", `n / ${perSite}`),
      rack_id: id("dcim_rack", `n / ${perRack}`),
      position: `1 + n % ${perRack} * 4`,
      face: "'front'",
      status: "case when n % 20 = 19 then 'staged' else 'active' end",
      serial: "'SN' || lpad(to_hex(n::bigint * 7919), 10, '0')",
      asset_tag: "'DEMO-' || n"
    },
    dcim_interface: {
      device_id: id("dcim_device", device),
      ...portRecipe(port),
      mtu: "9000",
      mac_address: "('02' || lpad(to_hex(n), 10, '0'))::macaddr",
      mode: `case when ${port} < 48 then 'access' end`,
      untagged_vlan_id: `case when ${port} < 48 then ${id("ipam_vlan", `${site} * 20 + n % 20`)} end`,
      description: `case when ${port} < 4 then 'uplink ' || ${port} + 1 else '' end`
    },
    dcim_consoleport: { device_id: id("dcim_device", "n"), ...consoleRecipe },
    dcim_powerport: { device_id: id("dcim_device", "n / 2"), ...powerRecipe },
    dcim_cable: {
      type: "'smf'",
      a_terminations: `array[${id("dcim_interface", `n * ${perDevice}`)}]`,
      b_terminations: `array[${id("dcim_interface", `(n + 1) * ${perDevice} + 1`)}]`,
      label: "'F' || lpad(n::text, 7, '0')",
      length: "1 + n % 30",
      length_unit: "'m'"
    }
  }) satisfies Partial<Record<TableName, Recipe>>

/** SQL of the first address of the n-th site, and of the n-th device. */
const siteNet = (n: string) => `('10.0.0.0'::inet + (${n}) * 16384::bigint)`
const deviceNet = (n: string) => `('10.0.0.0'::inet + ((${n}) / ${perSite} * 16384 + (${n}) % ${perSite} * 64)::bigint)`

const addressRecipes = (id: IdOf, sites: number) =>
  ({
    ipam_prefix: {
      prefix: `case when n < ${sites} then set_masklen(${siteNet("n")}, 18)::cidr
        else set_masklen(${deviceNet(`n - ${sites}`)}, 26)::cidr end`,
      status: `case when n < ${sites} then 'container' else 'active' end`,
      site_id: `case when n < ${sites} then ${id("dcim_site", "n")} else ${id("dcim_site", `(n - ${sites}) / ${perSite}`)} end`,
      role_id: id("ipam_role", "n % 3")
    },
    ipam_ipaddress: {
      address: `set_masklen(${deviceNet(device)} + (${port} + 1)::bigint, 26)`,
      status: "case when n % 50 = 7 then 'reserved' else 'active' end",
      tenant_id: id("tenancy_tenant", `${device} % 12`),
      assigned_object_type: "'dcim.interface'",
      assigned_object_id: id("dcim_interface", "n"),
      dns_name: `'p' || ${port} + 1 || '.sw' || lpad((${device} % ${perSite} + 1)::text, 3, '0') || '.dc' || ${site} + 1 || '.example.net'`
    }
  }) satisfies Partial<Record<TableName, Recipe>>

const recipesOf = (id: IdOf, sites: number): Readonly<Record<TableName, Recipe>> => ({
  ...placeRecipes(id),
  ...lineRecipes(id),
  ...templateRecipes(id),
  ...deviceRecipes(id),
  ...addressRecipes(id, sites)
})

/** Drops the indexes of these tables that are not unique. The next migration creates them again. */
const dropIndexes = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ readonly name: string }>`
    select i.indexrelid::regclass::text as name from pg_index i
     where not i.indisunique and i.indrelid = any (${tables}::text[]::regclass[])`
  for (const { name } of indexes) yield* sql.unsafe(`drop index ${name}`)
})

/** Memory of Postgres for building an index. */
const indexMemory = "512MB"

const largest = ["dcim_interface", "ipam_ipaddress"]

/** Fills the inventory in one transaction. */
const insertAll = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const counts = countsOf(size, (yield* sql`select from users_user limit 1`).length > 0)
  const names = Object.keys(counts) as ReadonlyArray<TableName>
  yield* sql`select rackwire_context('demo')::text`
  const firsts = new Map<TableName, number>()
  for (const name of names) {
    const [row] = yield* sql.unsafe<{ readonly first: string }>(
      `select (setval(pg_get_serial_sequence('${name}', 'id'), nextval(pg_get_serial_sequence('${name}', 'id')) + ${counts[name]}) - ${counts[name]})::text as first`
    )
    firsts.set(name, Number(row!.first))
  }
  const recipes = recipesOf((table, n) => `${firsts.get(table)} + ${n}`, counts.dcim_site)
  for (const name of names) {
    const columns = Object.entries(recipes[name])
    yield* sql.unsafe(
      `insert into ${name} (id, ${columns.map(([column]) => column).join(", ")})
       select ${firsts.get(name)} + n, ${columns.map(([, expression]) => expression).join(", ")}
         from generate_series(0, ${counts[name] - 1}) as n`
    )
    yield* Console.log(`${name.padEnd(24)} ${String(counts[name]).padStart(9)}`)
  }
  const management = `${firsts.get("ipam_ipaddress")} + (id - ${firsts.get("dcim_device")}) * ${perDevice} + 48`
  yield* sql.unsafe(
    `update dcim_device set primary_ip4_id = ${management}
      where id between ${firsts.get("dcim_device")} and ${firsts.get("dcim_device")! + counts.dcim_device - 1}
        and ${management} < ${firsts.get("ipam_ipaddress")! + size}`
  )
})

/** Fails if one of the tables has rows: names of the demo may be taken, and its counts would not be as requested. */
const refuseFilled = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  for (const name of Object.keys(countsOf(size, true))) {
    const rows = yield* sql.unsafe(`select from ${name} limit 1`)
    if (rows.length === 0) continue
    const message = `demo --size fills an empty inventory, and ${name} of this one has objects already.`
    return yield* new CommandFailed({ message })
  }
})

export const fillInventory = (size: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrateAll
    yield* refuseFilled(size)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* dropIndexes(largest)
        yield* insertAll(size)
        yield* Console.log("Making the indexes ...")
        yield* sql.unsafe(`set local maintenance_work_mem = '${indexMemory}'`)
        yield* migrateAll
      })
    )
    yield* sql`analyze`
  }).pipe(Effect.provide(Postgres.patient))
