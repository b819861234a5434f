/** Reads what is in racks: the devices with a position, the reservations, and the loads. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { literal } from "../postgres/Literal.ts"
import { Clearance } from "../inventory/Clearance.ts"
import type { RowOf } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { objectType } from "../inventory/Registry.ts"
import {
  type Bind,
  type Visible,
  type Where,
  asTexts,
  isEverything,
  isNothing,
  visibleRows
} from "../inventory/derive/filter/Where.ts"
import { nestedRows } from "../inventory/derive/represent/NestedRows.ts"
import { nestedFields } from "../inventory/derive/represent/Representation.ts"
import { orderBy } from "../inventory/derive/table/Order.ts"
import { viewOfRows } from "../inventory/read/Read.ts"
import { readTyped } from "../inventory/read/Unread.ts"
import type Device from "../inventory/types/dcim/Device.ts"
import type Rack from "../inventory/types/dcim/Rack.ts"
import type RackReservation from "../inventory/types/dcim/RackReservation.ts"
import { type Loads, loadsSql } from "./Loads.ts"
import type { Extent, Frame, Mounted } from "./Units.ts"

export const rackType = objectType<typeof Rack>("dcim.rack")
export const deviceType = objectType<typeof Device>("dcim.device")
const reservationType = objectType<typeof RackReservation>("dcim.rackreservation")

/** Most units of a rack. The field has the same bound; plain SQL has not. */
const heightMax = 100

export const frameOf = ({ u_height: height, desc_units: isDescending }: RowOf<typeof Rack>): Frame => ({
  height: Math.min(Math.max(Number(height), 1), heightMax) || 1,
  isDescending
})

/**
 * The contents of a rack. `mounted` has hidden devices too: their units are occupied for every reader, and nothing else of
 * them may be shown. `devices` and `reservations` are those that the reader may view.
 */
export interface Contents {
  readonly mounted: ReadonlyArray<Mounted>
  readonly devices: ReadonlyArray<RowOf<typeof Device>>
  readonly reservations: ReadonlyArray<RowOf<typeof RackReservation>>
}

interface Besides {
  /** Whether `changeable` is needed, the ids of the devices that the reader may change. */
  readonly withChangeable?: boolean
  /** Whether the loads of the first rack are needed. */
  readonly withLoads?: boolean
}

const mountedMark = "#mounted"
const changeableMark = "#changeable"
const loadsMark = "#loads"

/** The rows that the name and the note of a device in a picture need. */
const drawnFields = [...nestedFields(deviceType), "device_role", "device_type"]

/**
 * Racks of these ids that the reader may view, the contents of all by the id of their rack, and a view on what pictures of
 * them show. One statement, however many racks there are.
 */
export const contentsOfAll = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  base: string,
  { withChangeable = false, withLoads = false }: Besides = {}
) {
  const { where } = yield* Clearance
  const parameters: Array<unknown> = [asTexts(ids)]
  const bind = (value: unknown) => `$${parameters.push(value)}`
  const visible: Visible = (type) => where(type, "view")
  const changing = where(deviceType, "change")
  const asks = withChangeable && !isEverything(changing) && !isNothing(changing)
  const nested = nestedRows(
    [
      { target: rackType, ids: `select unnest(${wanted})`, fields: [] },
      { target: deviceType, ids: "select id from mounted", fields: drawnFields }
    ],
    visible,
    bind
  )
  const branches = [
    `select ${literal(mountedMark)} as type, json_build_object('rack', rack_id, 'device', device) as row from mounted`,
    reservationsSql(visible, bind),
    ...nested.branches,
    ...(asks ? [markedSql(changeableMark, `select t.id from ${changeableSql(changing, bind)} t`)] : []),
    ...(withLoads ? [markedSql(loadsMark, loadsSql(ids[0]!, visible, bind))] : [])
  ]
  const tables = [`mounted as materialized (${mountedSql})`, ...nested.tables].join(",\n")
  const { objects, marked } = yield* readTyped(`with ${tables} ${branches.join(" union all ")}`, parameters)
  const rowsOf = <T extends ObjectType>({ id }: T) => [...(objects.get(id)?.values() ?? [])] as Array<RowOf<T>>
  const found = (marked.get(mountedMark) ?? []) as ReadonlyArray<{ readonly rack: number; readonly device: Mounted }>
  const mounted = Map.groupBy(found, ({ rack }) => rack)
  const devices = Map.groupBy(rowsOf(deviceType), ({ rack }) => rack)
  const reservations = Map.groupBy(rowsOf(reservationType), ({ rack }) => rack)
  const contentsIn = (rack: number): Contents => ({
    mounted: (mounted.get(rack) ?? []).map(({ device }) => device),
    devices: devices.get(rack) ?? [],
    reservations: reservations.get(rack) ?? []
  })
  const changeable = asks
    ? ((marked.get(changeableMark) ?? []) as ReadonlyArray<{ readonly id: number }>)
    : withChangeable && isEverything(changing)
      ? rowsOf(deviceType)
      : []
  return {
    racks: rowsOf(rackType),
    contents: new Map(ids.map((rack) => [rack, contentsIn(rack)] as const)),
    view: yield* viewOfRows(objects, base),
    changeable: new Set(changeable.map(({ id }) => id)),
    loads: marked.get(loadsMark)?.[0] as Loads | undefined
  }
})

/** `$1` is the ids of racks. */
const wanted = "$1::text[]::bigint[]"

const mountedSql = `
  select d.id, d.rack_id,
         json_build_object('id', d.id, 'position', d.position, 'height', y.u_height, 'face', d.face,
           'isFullDepth', y.is_full_depth) as device
    from dcim_device d join dcim_devicetype y on y.id = d.device_type_id
   where d.rack_id = any (${wanted}) and d.position > 0 and y.u_height > 0 and d.face in ('front', 'rear')
   order by d.id`

const markedSql = (mark: string, query: string): string => `select ${literal(mark)}, row_to_json(m) from (${query}) m`

const reservationsSql = (visible: Visible, bind: Bind): string => {
  const own = `select t.* from ${visibleRows(reservationType, visible, bind)} t where t.rack_id = any (${wanted})`
  return `select ${literal(reservationType.id)}, row_to_json(t) from (${own} order by ${orderBy(reservationType, [])}) t`
}

const changeableSql = (changing: Where, bind: Bind): string => {
  const own = visibleRows(deviceType, () => changing, bind)
  return `(select t.id from ${own} t where t.id in (select id from mounted))`
}

/** The contents of one rack, and a view on what its picture shows. */
export const contentsOf = (rack: number, base: string) =>
  Effect.map(contentsOfAll([rack], base), ({ contents, view }) => ({ ...contents.get(rack)!, view }))

/** The units that a device takes in a rack: those of its type, which its reader need not see for that. */
export const extentOf = Effect.fnUntraced(function* (device: number) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly extent: Extent }>`
    select json_build_object('height', y.u_height, 'isFullDepth', y.is_full_depth) as extent
      from dcim_device d join dcim_devicetype y on y.id = d.device_type_id where d.id = ${`${device}`}::bigint`
  return found?.extent ?? { height: 0, isFullDepth: false }
})
