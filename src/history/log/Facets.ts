/** The values that deliveries have, with counts: by outcome, cause, webhook, host, object type, code and event. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { hostOfUrl } from "../../inventory/ObjectType.ts"
import type { Where } from "../../inventory/derive/filter/Where.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

/** The facets, by the name of the filter that selects their values. */
export const facetNames = ["status", "reason", "webhook_id", "host", "object_type", "response_status", "event"] as const
type FacetName = (typeof facetNames)[number]

interface FacetValue {
  /** The value of the filter. */
  readonly value: string
  /** The value as people read it: the name of a webhook, the title of a choice. */
  readonly label: string
  readonly count: number
}

export interface Facets {
  readonly facets: Readonly<Record<FacetName, ReadonlyArray<FacetValue>>>
  /** How many deliveries were read: the newest. */
  readonly lookedAt: number
  /** Whether those were all; otherwise there may be more of each value. */
  readonly isComplete: boolean
  /** Whether all unsuccessful deliveries were read. */
  readonly hasAllUnsuccessful: boolean
}

/** Most successful deliveries that are read, and most unsuccessful ones: these are few, and users search for them. */
const lookedAtMax = 10_000

/** Most values of a facet, the most frequent first. */
const valuesMax = 10

/** Columns of which the values are counted; hosts follow from the webhooks. */
const columns = ["status", "reason", "webhook_id", "object_type", "response_status", "event"] as const

/** A value, and the column that it is of. */
interface FacetRow {
  readonly of: FacetName | "looked_at"
  readonly value: string
  readonly label: string
  readonly count: number
}

export const facets = Effect.fnUntraced(function* (where: Where) {
  const sql = yield* SqlClient.SqlClient
  const newest = (condition: string) =>
    `(select ${columns.map((column) => `t.${column}`).join(", ")} from extras_delivery t
       where (${where.sql}) and t.status ${condition} order by t.time desc limit ${lookedAtMax})`
  const ofColumn = (column: string) => `when grouping(${column}) = 0 then nullif(${column}::text, '')`
  // A plan for any parameters could not use the index of what is not successful.
  const { unprepared } = sql.unsafe<FacetRow>(
    `with seen as materialized (${newest("= 'successful'")} union all ${newest("<> 'successful'")}),
       counted as (
         select case ${columns.map((column) => `when grouping(${column}) = 0 then '${column}'`).join(" ")} end as of,
                case ${columns.map(ofColumn).join(" ")} end as value, count(*) as count
           from seen group by grouping sets (${columns.map((column) => `(${column})`).join(", ")})),
       named as (
         select c.*, coalesce(w.name, c.value) as label, ${hostOfUrl("w.payload_url")} as host
           from counted c left join extras_webhook w on c.of = 'webhook_id' and w.id::text = c.value),
       every as (
         select of, value, label, count from named
         union all select 'host', host, host, sum(count) from named where host is not null group by host),
       ranked as (
         select *, row_number() over (partition by of order by count desc, label) as rank from every where value is not null)
     select of, value, label, count::float8 as count from ranked where rank <= ${valuesMax}
     union all select 'looked_at', status, '', count(*)::float8 from seen group by status
     order by of, count desc, label`,
    where.parameters
  )
  const rows = yield* unprepared
  const byFacet = Map.groupBy(rows, ({ of }) => of)
  const seen = byFacet.get("looked_at") ?? []
  const sum = (some: ReadonlyArray<FacetRow>) => some.reduce((total, { count }) => total + count, 0)
  const successful = sum(seen.filter(({ value }) => value === "successful"))
  const valuesOf = (name: FacetName): ReadonlyArray<FacetValue> =>
    (byFacet.get(name) ?? []).map(({ value, label, count }) => ({
      value,
      label: deliveryType.fields[name]?.choices?.[value] ?? label,
      count
    }))
  return {
    facets: Object.fromEntries(facetNames.map((name) => [name, valuesOf(name)])) as Facets["facets"],
    lookedAt: sum(seen),
    isComplete: successful < lookedAtMax && sum(seen) - successful < lookedAtMax,
    hasAllUnsuccessful: sum(seen) - successful < lookedAtMax
  } satisfies Facets
})
