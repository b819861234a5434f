/** Reads what is in a rack: the devices with a position, and the reservations. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../inventory/Clearance.ts"
import type { RowOf } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import { asTexts, isEverything, isNothing } from "../inventory/derive/filter/Where.ts"
import { byIds, list } from "../inventory/read/Read.ts"
import type Device from "../inventory/types/dcim/Device.ts"
import type Rack from "../inventory/types/dcim/Rack.ts"
import type RackReservation from "../inventory/types/dcim/RackReservation.ts"
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

export type Contents = Effect.Success<ReturnType<typeof contentsOf>>

/**
 * The contents of racks by their id. `mounted` has hidden devices too: their units are occupied for every reader, and
 * nothing else of them may be shown. `devices` has the rows that the reader may view. Three statements, however many
 * racks there are.
 */
export const contentsOfAll = Effect.fnUntraced(function* (racks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly rack: string; readonly device: Mounted }>`
    select d.rack_id::text as rack,
           json_build_object('id', d.id, 'position', d.position, 'height', y.u_height, 'face', d.face,
             'isFullDepth', y.is_full_depth) as device
      from dcim_device d join dcim_devicetype y on y.id = d.device_type_id
     where d.rack_id = any (${asTexts(racks)}::text[]::bigint[]) and d.position > 0 and y.u_height > 0
       and d.face in ('front', 'rear')
     order by d.id`
  const mounted = Map.groupBy(found, ({ rack }) => Number(rack))
  const devices = Map.groupBy(
    yield* byIds(
      deviceType,
      found.map(({ device }) => device.id)
    ),
    ({ rack }) => rack
  )
  const where = { sql: "t.rack_id = any ($1::text[]::bigint[])", parameters: [asTexts(racks)] }
  const page = { where, ordering: [], limit: undefined, offset: 0 }
  const reservations = Map.groupBy(yield* list(reservationType, page), ({ rack }) => rack)
  const contentsIn = (rack: number) => ({
    mounted: (mounted.get(rack) ?? []).map(({ device }) => device),
    devices: devices.get(rack) ?? [],
    reservations: reservations.get(rack) ?? []
  })
  return new Map(racks.map((rack) => [rack, contentsIn(rack)] as const))
})

/** The contents of one rack. */
export const contentsOf = (rack: number) => Effect.map(contentsOfAll([rack]), (all) => all.get(rack)!)

/** Ids of those devices that the reader may change. No statement where that is all of them, or none. */
export const changeableAmong = Effect.fnUntraced(function* (devices: ReadonlyArray<{ readonly id: number }>) {
  const ids = devices.map(({ id }) => id)
  const where = yield* cleared(deviceType, "change")
  if (isNothing(where)) return new Set<number>()
  return new Set(isEverything(where) ? ids : (yield* byIds(deviceType, ids, "change")).map(({ id }) => id))
})

/** The units that a device takes in a rack: those of its type, which its reader need not see for that. */
export const extentOf = Effect.fnUntraced(function* (device: number) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly extent: Extent }>`
    select json_build_object('height', y.u_height, 'isFullDepth', y.is_full_depth) as extent
      from dcim_device d join dcim_devicetype y on y.id = d.device_type_id where d.id = ${`${device}`}::bigint`
  return found?.extent ?? { height: 0, isFullDepth: false }
})
