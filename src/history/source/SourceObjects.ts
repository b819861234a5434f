/** The objects of sources that events are about, as the change log has them: they are not in the inventory. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { parsePosition } from "../../event/Position.ts"
import { bareType, sourceTypeOf } from "../../event/SourceType.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { type Change, changeType } from "../../inventory/read/Changes.ts"
import { after } from "../../inventory/derive/filter/Where.ts"
import { dataCharsMax, webAddress } from "../../source/WebAddress.ts"
import { sourcesOf } from "./SourceNames.ts"

/** An event by its place, as changes and ids of deliveries have it: `<position>-<idx>`. */
interface PlacedEvent {
  readonly type: string
  readonly place: string
  /** Time of its commit, ISO 8601, to the millisecond at least. */
  readonly time: string
}

/** The row or the representation of a delivery: `object_type`, `delivery_id` and `time` name its event. */
type DeliveryColumns = Readonly<Record<string, unknown>>

export interface SourceObject {
  readonly id: string
  /** The object as text, as NetBox wrote it; may be empty. */
  readonly display: string
  /** The name of its source at that time, and the source's id; undefined where it is deleted or hidden. */
  readonly sourceName: string
  readonly sourceId: number | undefined
  /** The address of its page in NetBox; undefined where there is none, and for an object that was deleted. */
  readonly address: string | undefined
}

interface FoundObject {
  readonly place: string
  readonly type: string
  readonly id: string
  readonly action: string
  readonly display: string
  readonly name: string
  readonly data: string
}

/** The event of a change. */
export const placed = ({ changed_object_type: type, place, time }: Change): PlacedEvent => ({ type, place, time })

/** The event of a delivery, whose id may have a suffix of a test or a replay. */
const placedDelivery = ({ object_type: type, delivery_id: id, time }: DeliveryColumns): PlacedEvent => ({
  ...{ type: String(type), time: String(time) },
  place: /^\d+-(\d+-\d+)(?:-|$)/.exec(String(id))?.[1] ?? ""
})

/** The object of a source that a delivery is about; undefined for an object of the inventory. */
export type ObjectOfDelivery = (delivery: DeliveryColumns) => SourceObject | undefined

export const objectsOfDeliveries = Effect.fnUntraced(function* (deliveries: ReadonlyArray<DeliveryColumns>) {
  const found = yield* sourceObjects(deliveries.map(placedDelivery))
  return ((delivery) => found.get(placedDelivery(delivery).place)) satisfies ObjectOfDelivery as ObjectOfDelivery
})

/** By the place of the event. Events of the inventory, and those that the reader may not view, are left out. */
export const sourceObjects = Effect.fnUntraced(function* (events: ReadonlyArray<PlacedEvent>) {
  const own = events.filter(({ type, place }) => sourceTypeOf(type) !== undefined && place !== "")
  if (own.length === 0) return new Map<string, SourceObject>()
  const sql = yield* SqlClient.SqlClient
  const visible = yield* cleared(changeType, "view")
  const places = own.map(({ place }) => parsePosition(place))
  const rows = yield* sql.unsafe<FoundObject>(
    `select e.position::text || '-' || e.idx as place, t.changed_object_type as type, t.changed_object_id::text as id,
            t.action, t.object_repr as display, coalesce(t.source ->> 'name', '') as name,
            left(t.data::text, ${dataCharsMax}) as data
       from unnest($1::text[]::bigint[], $2::text[]::int[], $3::text[]::timestamptz[]) as e (position, idx, time)
       join ${changeType.table} t on t.position = e.position and t.idx = e.idx
        and t.time >= date_trunc('milliseconds', e.time) and t.time < date_trunc('milliseconds', e.time) + interval '1 ms'
      where ${after(3, visible)}`,
    [
      places.map(({ position }) => `${position}`),
      places.map(({ idx }) => `${idx}`),
      own.map(({ time }) => time),
      ...visible.parameters
    ]
  )
  const sources = new Map((yield* sourcesOf(rows.map(({ type }) => type))).map((source) => [source.id, source]))
  return new Map(
    rows.map(({ place, type, id, action, display, name, data }) => {
      const source = sources.get(sourceTypeOf(type)?.source ?? 0)
      const address =
        source === undefined || action === "delete"
          ? undefined
          : webAddress({ type: bareType(type), objectId: id, apiUrl: source.api_url, webUrl: source.web_url, data })
      return [place, { id, display, sourceName: name, sourceId: source?.id, address } satisfies SourceObject] as const
    })
  )
})
