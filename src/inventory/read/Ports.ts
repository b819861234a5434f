/**
 * The ports of a machine with what they are connected to, in one statement: it follows the few references that a table
 * of ports shows, where a statement for whole representations of seven types would take longer to plan than to run.
 */
import { hasSocket } from "../shared/Cabled.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { literal } from "../../postgres/Literal.ts"
import { visibleToSender } from "../Clearance.ts"
import type { Row, View } from "../Field.ts"
import { type ObjectType, columnOf } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { beginnings } from "../derive/represent/Beginnings.ts"
import { viewOf } from "../derive/represent/Representation.ts"
import { orderBy } from "../derive/table/Order.ts"
import { rowFromJson } from "../derive/values/Row.ts"
import { type Bind, type Visible, isNothing, visibleRows } from "../derive/filter/Where.ts"
import { endTypeIds } from "../shared/cable/Ends.ts"

/** Whether the port has a socket, and no cable in it. */
export const isFree = ({ id, fields }: ObjectType, row: Row): boolean =>
  Object.hasOwn(fields, "cable") && row["cable"] === null && (id !== "dcim.interface" || hasSocket(String(row["type"])))

/** Most ports of a type, and most addresses of ports of a type, that are read. */
export const portsMax = 500
const addressesMax = 2000

const addressType = objectType("ipam.ipaddress")
const cable = objectType("dcim.cable")
const link = objectType("wireless.wirelesslink")
const device = objectType("dcim.device")

/** The references by which the other ends of cables are named, beside their devices. */
const naming = [
  ["power_panel", "dcim.powerpanel"],
  ["circuit", "circuits.circuit"],
  ["provider_network", "circuits.providernetwork"],
  ["site", "dcim.site"]
] as const

export interface PortsOfType {
  readonly type: ObjectType
  /** One more than `portsMax` where there are more. */
  readonly rows: ReadonlyArray<Row>
  /** Rows of addresses by the id of their port. */
  readonly addresses: ReadonlyMap<unknown, ReadonlyArray<Row>>
}

/** The ports that name the machine in the field, and a view on their cables, peers and VLANs that the reader may see. */
export const portsOf = Effect.fnUntraced(function* (
  types: ReadonlyArray<ObjectType>,
  { field, id }: { readonly field: string; readonly id: number },
  base: string
) {
  const sql = yield* SqlClient.SqlClient
  const parameters: Array<unknown> = [`${id}`]
  const statement = statementOf(types, field, yield* visibleToSender, (value) => `$${parameters.push(value)}`)
  const found = yield* sql.unsafe<PartRow>(statement, parameters)
  const known = new Map<string, Map<number, Row>>()
  const read = yield* mapInSlices(found, ({ part, type, row: json }) => {
    const row = rowFromJson(objectType(part === "address" ? addressType.id : type), json)
    if (part !== "address") known.set(type, (known.get(type) ?? new Map<number, Row>()).set(row.id, row))
    return { part, type, row }
  })
  const rowsOf = (part: PartRow["part"], type: ObjectType) =>
    read.flatMap((each) => (each.part === part && each.type === type.id ? [each.row] : []))
  const ports = types.map((type): PortsOfType => ({
    type,
    rows: rowsOf("port", type),
    addresses: Map.groupBy(rowsOf("address", type), (row) => row["assigned_object_id"])
  }))
  const view: View = viewOf(base, { row: (type, key) => known.get(type)?.get(key) })
  return { ports, view }
})

/** `type`: that of the row; for an address that of its port. */
interface PartRow {
  readonly part: "port" | "address" | "related"
  readonly type: string
  readonly row: Readonly<Record<string, unknown>>
}

/** `$1` is the id of the machine. */
const statementOf = (types: ReadonlyArray<ObjectType>, field: string, visible: Visible, bind: Bind): string => {
  const seen = (type: ObjectType) => visibleRows(type, visible, bind)
  const pages = types.map((type, at) => ({ type, name: `page${at}` }))
  const having = (name: string) => pages.filter(({ type }) => Object.hasOwn(type.fields, name))
  const union = (parts: ReadonlyArray<string>, none: string) => (parts.length === 0 ? none : parts.join(" union "))
  const ids = (parts: ReadonlyArray<string>) => union(parts, "select null::bigint")
  const cabled = having("cable")
  const far = cabled.length === 0 ? [] : endTypeIds.map((end, at) => ({ type: objectType(end), name: `far${at}` }))
  const ofFar = (name: string) =>
    far.flatMap((end) =>
      Object.hasOwn(end.type.fields, name) ? [`select ${columnOf(end.type, name)} from ${end.name}`] : []
    )
  const within = (type: ObjectType, wanted: string) => `select r.* from ${seen(type)} r where r.id in (${wanted})`
  const ends = union(
    [
      ...["a", "b"].map((side) => `select ${side}_type as kind, unnest(${side}_terminations) as id from cables`),
      ...["a", "b"].map((end) => `select 'dcim.interface', interface_${end}_id from links`),
      ...having("connected_ids").map(({ name }) => `select connected_type, unnest(connected_ids) from ${name}`)
    ],
    ""
  )
  const tables: ReadonlyArray<readonly [name: string, query: string]> = [
    ...pages.map(({ type, name }) => {
      const own = `t.${columnOf(type, field)} = $1::bigint`
      const order = orderBy(type, ["name"])
      return [
        name,
        `select ${beginnings(type)} from ${seen(type)} t where ${own} order by ${order} limit ${portsMax + 1}`
      ] as const
    }),
    ["cables", within(cable, ids(cabled.map(({ name }) => `select cable_id from ${name}`)))],
    ["links", within(link, ids(having("wireless_link").map(({ name }) => `select wireless_link_id from ${name}`)))],
    ["ends", ends],
    ...far.map(
      ({ type, name }) => [name, within(type, `select id from ends where kind = ${literal(type.id)}`)] as const
    ),
    ["devices", within(device, ids(ofFar("device")))]
  ]
  const vlans = having("untagged_vlan").flatMap(({ name }) => [
    `select untagged_vlan_id from ${name}`,
    `select unnest(tagged_vlans) from ${name}`
  ])
  const related: ReadonlyArray<readonly [id: string, query: string]> = [
    [cable.id, "select * from cables"],
    [link.id, "select * from links"],
    ...far.map(({ type, name }) => [type.id, `select * from ${name}`] as const),
    [device.id, "select * from devices"],
    ...[
      ["dcim.devicetype", "select device_type_id from devices"] as const,
      ...naming.map(([field, id]) => [id, ids(ofFar(field))] as const),
      ["ipam.vlan", ids(vlans)] as const
    ].map(([id, wanted]) => [id, within(objectType(id), wanted)] as const)
  ]
  const shown = (part: PartRow["part"], type: string, query: string) =>
    `select ${literal(part)} as part, ${literal(type)} as type, row_to_json(t) as row from (${query}) t`
  const branches = [
    ...pages.map(({ type, name }) => shown("port", type.id, `select * from ${name}`)),
    ...related.map(([id, query]) => shown("related", id, query)),
    ...pages
      .filter(({ type }) => hasAddresses(type) && !isNothing(visible(addressType)))
      .map(({ type, name }) => {
        const own = `t.assigned_object_type = ${literal(type.id)} and t.assigned_object_id in (select id from ${name})`
        const query = `select t.* from ${seen(addressType)} t where ${own} order by t.address limit ${addressesMax}`
        return shown("address", type.id, query)
      })
  ]
  const named = tables.map(([name, query]) => `${name} as materialized (${query})`)
  return `with ${named.join(", ")} ${branches.join(" union all ")}`
}

/** Whether addresses are assigned to objects of the type. */
const hasAddresses = ({ id }: ObjectType): boolean =>
  addressType.fields["assigned_object_type"]?.generic?.types?.includes(id) === true
