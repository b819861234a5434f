/** Reads devices, and the cables and wireless links between them, in one statement whatever their number. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared, visibleToSender } from "../inventory/Clearance.ts"
import { columnOf } from "../inventory/ObjectType.ts"
import { objectType } from "../inventory/Registry.ts"
import { type Where, allOf, visibleRows } from "../inventory/derive/filter/Where.ts"
import { endpointTypes, throughTypes } from "../inventory/read/Paths.ts"
import { literal } from "../postgres/Literal.ts"

export const deviceType = objectType("dcim.device")
const cableType = objectType("dcim.cable")
const linkType = objectType("wireless.wirelesslink")
const interfaceType = objectType("dcim.interface")

/** The statuses of cables, which wireless links have too, with their labels. */
export const cableStatuses: Readonly<Record<string, string>> = cableType.fields["status"]!.choices!

/** Most devices of a picture. */
export const devicesMax = 1_000
/** Most pairs of devices with a line between them; those with most cables are drawn. */
const linesMax = 5_000
/** Most cables of a line that its link names. */
const namedMax = 20

export interface DrawnDevice {
  readonly id: number
  readonly label: string
  readonly status: string
  /** Id, name and colour, where the reader may view the role; the same of the rack. */
  readonly role: readonly [id: number, name: string, color: string] | null
  readonly rack: readonly [id: number, name: string] | null
}

/** The cables between two devices, or the wireless links. */
export interface Line {
  readonly isWireless: boolean
  readonly a: number
  readonly b: number
  readonly count: number
  readonly connected: number
  readonly planned: number
  /** The first cables, or links. */
  readonly cables: ReadonlyArray<number>
}

export interface Topology {
  readonly devices: ReadonlyArray<DrawnDevice>
  readonly lines: ReadonlyArray<Line>
  /** All devices that match. */
  readonly total: number
  /** Cables at these devices, and those of them with another of these devices at the other side. */
  readonly cables: number
  readonly joining: number
  /** Wireless links between these devices. */
  readonly links: number
  /** Pairs of devices that have cables, and those that have links. */
  readonly pairs: number
}

/** The types of ports of devices at which cables end. */
const portTypes = [...endpointTypes, ...throughTypes].filter(({ fields }) => Object.hasOwn(fields, "device"))

/**
 * The devices that meet the condition, the first by place, and the cables and wireless links of these statuses between
 * them, by default of all. A cable is there for a reader who may view it, both devices and a port at each of its sides: its
 * ports are part of the devices.
 */
export const topologyOf = Effect.fnUntraced(function* (wanted: Where, statuses?: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const where = allOf(wanted, yield* cleared(deviceType, "view"))
  const visible = yield* visibleToSender
  const parameters: Array<unknown> = [...where.parameters]
  const seen = (id: string): string => visibleRows(objectType(id), visible, (value) => `$${parameters.push(value)}`)
  const status = statuses && `$${parameters.push(statuses)}::text[]`
  const ofStatus = (alias: string): string => (status === undefined ? "true" : `${alias}.status = any (${status})`)
  const ports = portTypes.map(
    (type) => `select ${literal(type.id)} as kind, p.id, p.${columnOf(type, "device")} as device, p.cable_id as cable
        from ${seen(type.id)} p where p.cable_id is not null and p.${columnOf(type, "device")} in (select id from device)`
  )
  const side = (port: string, at: "a" | "b") =>
    `${port}.kind = c.${at}_type and ${port}.id = any (c.${at}_terminations)`
  const statement = `
    with device as materialized (
      select t.id, t.name, t.status, t.device_role_id, t.device_type_id, t.rack_id, count(*) over () as total,
             row_number() over (order by t.site_id, t.location_id, t.rack_id, t.position desc nulls last, t.id) as at
        from ${deviceType.table} t where ${where.sql} order by at limit ${devicesMax}),
    port as materialized (${ports.join(" union all ")}),
    cable as materialized (
      select c.* from ${seen(cableType.id)} c where c.id in (select cable from port) and ${ofStatus("c")}),
    joined as materialized (
      select distinct false as is_wireless, c.id, c.status, least(a.device, b.device) as a, greatest(a.device, b.device) as b
        from cable c join port a on a.cable = c.id and ${side("a", "a")} join port b on b.cable = c.id and ${side("b", "b")}
      union all
      select true, l.id, l.status, least(a.device_id, b.device_id), greatest(a.device_id, b.device_id)
        from ${seen(linkType.id)} l
        join ${seen(interfaceType.id)} a on a.id = l.interface_a_id join ${seen(interfaceType.id)} b on b.id = l.interface_b_id
       where a.device_id in (select id from device) and b.device_id in (select id from device) and ${ofStatus("l")}),
    line as (
      select is_wireless, a, b, count(*) as count, count(*) filter (where status = 'connected') as connected,
             count(*) filter (where status = 'planned') as planned, (array_agg(id order by id))[1:${namedMax}] as cables,
             count(*) over () as pairs
        from joined where a <> b group by is_wireless, a, b order by count(*) desc, a, b, is_wireless limit ${linesMax})
    select 'device' as part, json_build_object('at', d.at, 'id', d.id, 'label', coalesce(d.name, y.model, '#' || d.id), 'status', d.status,
             'role', case when r.id is not null then json_build_array(r.id, r.name, r.color) end,
             'rack', case when k.id is not null then json_build_array(k.id, k.name) end) as value
      from device d
      left join ${seen("dcim.devicetype")} y on y.id = d.device_type_id
      left join ${seen("dcim.devicerole")} r on r.id = d.device_role_id
      left join ${seen("dcim.rack")} k on k.id = d.rack_id
    union all
    select 'line', json_build_object('isWireless', is_wireless, 'a', a, 'b', b, 'count', count, 'connected', connected, 'planned', planned,
             'cables', to_json(cables)) from line
    union all
    select 'counts', json_build_object('total', coalesce((select max(total) from device), 0),
             'cables', (select count(*) from cable), 'joining', (select count(distinct id) from joined where not is_wireless),
             'links', (select count(*) from joined where is_wireless),
             'pairs', coalesce((select max(pairs) from line), 0))`
  const rows = yield* sql.unsafe<{ readonly part: "device" | "line" | "counts"; readonly value: unknown }>(
    statement,
    parameters
  )
  const partsOf = (part: string) => rows.flatMap((row) => (row.part === part ? [row.value] : []))
  const counts = partsOf("counts")[0] as Pick<Topology, "total" | "cables" | "joining" | "links" | "pairs">
  return {
    devices: (partsOf("device") as Array<DrawnDevice & { readonly at: number }>).sort((a, b) => a.at - b.at),
    lines: (partsOf("line") as Array<Line>).sort(
      (a, b) => b.count - a.count || a.a - b.a || a.b - b.b || Number(a.isWireless) - Number(b.isWireless)
    ),
    ...counts
  } satisfies Topology
})
