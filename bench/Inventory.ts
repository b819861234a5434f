/** An inventory with a given number of sites, and requests to it. */
import type { Pool } from "undici"
import type { ServiceProcess } from "../test/support/Process.ts"
import type { Sql } from "../test/support/Sql.ts"

export const path = "/api/dcim/sites/"

export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
}

/** The n-th of a spread sequence of sites, so that no page is read twice in a row. */
export const place = (n: number, of: number): number => 1 + ((n * 7919) % of)

export const answered = async (pool: Pool, { method, path, body }: Call, token: string): Promise<string> => {
  const headers = { authorization: `Token ${token}`, "content-type": "application/json" }
  const sent = body === undefined ? null : JSON.stringify(body)
  const reply = await pool.request({ method, path, headers, body: sent })
  const text = await reply.body.text()
  if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`)
  return text
}

/** Sites in regions. The wide indexes are made afterwards: that takes a fraction of the time. */
export const fillSites = async (sql: Sql, sites: number, regions: number): Promise<void> => {
  await sql.query(
    `insert into dcim_region (name, slug) select 'Region ' || n, 'region-' || n from generate_series(1, ${regions}) n`
  )
  const wide = await sql.query<{ readonly name: string; readonly definition: string; readonly comment: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
            quote_literal(obj_description(indexrelid)) as comment
       from pg_index where indrelid = 'dcim_site'::regclass and pg_get_indexdef(indexrelid) like '%USING gin%'`
  )
  for (const { name } of wide) await sql.query(`drop index ${name}`)
  await sql.query(
    `insert into dcim_site (name, slug, region_id, facility, description)
     select 'Site ' || n, 'site-' || n, 1 + n % ${regions}, 'F' || n % 100, 'The site number ' || n
       from generate_series(1, ${sites}) n`
  )
  // By its comment `migrate` knows an index again.
  for (const { name, definition, comment } of wide) {
    await sql.query(definition)
    await sql.query(`comment on index ${name} is ${comment}`)
  }
  await sql.query("vacuum analyze")
}

/** The id of the /8 of `fillPrefixes`. */
export const filledPrefix = 900_001

/** A /8 with so many children, apart from each other, of two lengths. */
export const fillPrefixes = async (sql: Sql, prefixes: number): Promise<void> => {
  await sql.query(`insert into ipam_prefix (id, prefix, status) values (${filledPrefix}, '10.0.0.0/8', 'container')`)
  await sql.query(
    `insert into ipam_prefix (prefix)
     select network(set_masklen('10.0.0.0'::inet + n::bigint * 160, case n % 7 when 0 then 27 else 28 end))
       from generate_series(0, ${prefixes - 1}) n`
  )
  await sql.query("vacuum analyze ipam_prefix")
}

/** The objects of `fillRack`, apart from those that an inventory has already. */
export const filledRack = { site: 900_001, rack: 900_001, device: 900_001, interface: 9_000_001 }

/**
 * A rack of 48 units with 40 devices. The lowest has so many interfaces: half of them are cabled to the other devices, and
 * each has an address. `name` may be any text: devices begin with it.
 */
export const fillRack = async (sql: Sql, interfaces: number, name = "access"): Promise<void> => {
  const devices = 40
  const { site, rack, device, interface: port } = filledRack
  const type = "(select id from dcim_devicetype where slug = 'filled')"
  const role = "(select id from dcim_devicerole where slug = 'filled')"
  const statements: ReadonlyArray<readonly [statement: string, ...parameters: ReadonlyArray<unknown>]> = [
    [`insert into dcim_site (id, name, slug) values (${site}, 'Filled', 'filled')`],
    [`insert into dcim_rack (id, name, site_id, u_height) values (${rack}, 'A01', ${site}, 48)`],
    ["insert into dcim_manufacturer (name, slug) values ('Filled', 'filled')"],
    [
      `insert into dcim_devicetype (manufacturer_id, model, slug, u_height)
       select id, 'Switch', 'filled', 1 from dcim_manufacturer where slug = 'filled'`
    ],
    ["insert into dcim_devicerole (name, slug, color) values ('Filled', 'filled', '2196f3')"],
    [
      `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, rack_id, position, face)
       select ${device - 1} + n, $1 || '-' || n, ${type}, ${role}, ${site}, ${rack}, n, 'front'
         from generate_series(1, ${devices}) n`,
      name
    ],
    [
      `insert into dcim_interface (id, device_id, name, type)
       select ${port - 1} + n, ${device}, 'Ethernet1/' || n, '10gbase-x-sfpp' from generate_series(1, ${interfaces}) n`
    ],
    [
      `insert into dcim_interface (id, device_id, name, type)
       select ${port + interfaces - 1} + n, ${device + 1} + n % ${devices - 1}, 'Uplink' || n, '10gbase-x-sfpp'
         from generate_series(1, ${interfaces / 2}) n`
    ],
    [
      `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
       select 'dcim.interface', array[${port - 1} + n], 'dcim.interface', array[${port + interfaces - 1} + n]
         from generate_series(1, ${interfaces / 2}) n`
    ],
    [
      `insert into ipam_ipaddress (address, assigned_object_type, assigned_object_id)
       select '172.16.0.0'::inet + n::bigint, 'dcim.interface', ${port - 1} + n from generate_series(1, ${interfaces}) n`
    ]
  ]
  for (const [statement, ...parameters] of statements) await sql.query(statement, parameters)
}

/** A token of the superuser. */
export const newToken = async ({ call }: ServiceProcess): Promise<string> => {
  type Users = { readonly results: ReadonlyArray<{ readonly id: number }> }
  const me = await call<Users>("GET", "/api/users/users/?username=admin")
  const made = await call<{ readonly key: string }>("POST", "/api/users/tokens/", { user: me.json.results[0]!.id })
  return made.json.key
}
