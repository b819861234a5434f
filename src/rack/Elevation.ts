/** Reads what is in a rack: the devices with a position, and the reservations. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RowOf } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import { equalTo } from "../inventory/derive/filter/Where.ts"
import { byIds, list } from "../inventory/read/Read.ts"
import type Device from "../inventory/types/dcim/Device.ts"
import type Rack from "../inventory/types/dcim/Rack.ts"
import type RackReservation from "../inventory/types/dcim/RackReservation.ts"
import type { Frame, Mounted } from "./Units.ts"

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
 * The contents of a rack. `mounted` has hidden devices too: their units are occupied for every reader, and nothing else
 * of them may be shown. `devices` has the rows that the reader may view.
 */
export const contentsOf = Effect.fnUntraced(function* (rack: number) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly device: Mounted }>`
    select json_build_object('id', d.id, 'position', d.position, 'height', y.u_height, 'face', d.face,
             'isFullDepth', y.is_full_depth) as device
      from dcim_device d join dcim_devicetype y on y.id = d.device_type_id
     where d.rack_id = ${`${rack}`}::bigint and d.position > 0 and y.u_height > 0 and d.face in ('front', 'rear')
     order by d.id`
  const mounted = found.map(({ device }) => device)
  const devices = yield* byIds(
    deviceType,
    mounted.map(({ id }) => id)
  )
  const where = equalTo(reservationType, { rack })
  const reservations = yield* list(reservationType, { where, ordering: [], limit: undefined, offset: 0 })
  return { mounted, devices, reservations }
})
