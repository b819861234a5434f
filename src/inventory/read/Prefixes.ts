/** Reads the prefixes around and below a network, with how much of each is used, in one statement of bounded work. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { visibleToSender } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import { type Where, visibleRows } from "../derive/filter/Where.ts"
import { type Network, lastOf, printAddress, printNetwork, widthOf } from "../field/Network.ts"
import { addressType, prefixType, rangeType } from "./Spaces.ts"

/** A place in the order of prefixes, behind which the next page begins. */
export interface PrefixPlace {
  readonly prefix: string
  readonly id: number
}

export interface TreePrefix extends PrefixPlace {
  readonly place: "around" | "self" | "below"
  readonly status: string
  readonly description: string
  /** Prefixes between it and the network. */
  readonly depth: number
  /** Part of its addresses that are used, percent, at most 100. */
  readonly used: number
  /** Whether only the first of its children were counted. */
  readonly isPart: boolean
}

/** Most prefixes around a network: there may be several of one length. */
const aroundMax = 40

/** Prefixes below a network on one page. */
export const belowMax = 50

/** Most children, addresses and ranges by which the use of a prefix is computed: of the network itself, and of others. */
const countedMax = { self: 5_000, other: 500 }

/** Most characters of a description that are read. */
const descriptionMax = 200

interface TreeQuery {
  readonly network: Network
  /** The id of the prefix that the network is; undefined for another network. */
  readonly self: number | undefined
  /** Its VRF, null for none; undefined for prefixes of every VRF. */
  readonly vrf: number | null | undefined
  readonly behind: PrefixPlace | undefined
}

/** The prefixes that the reader may view. Hidden ones count as used. One more than a page is read, if there is one. */
export const treeOf = Effect.fnUntraced(function* ({ network, self, vrf, behind }: TreeQuery) {
  const sql = yield* SqlClient.SqlClient
  const visible = yield* visibleToSender
  const parameters: Array<unknown> = []
  const bind = (value: unknown): string => `$${parameters.push(value)}`
  const own = `${bind(printNetwork(network))}::cidr`
  const last = `${bind(`${printAddress(network.family, lastOf(network))}/${widthOf(network.family)}`)}::cidr`
  const vrfId = typeof vrf === "number" ? `${bind(`${vrf}`)}::bigint` : ""
  const ofVrf = (alias: string): string =>
    vrf === undefined ? "true" : vrf === null ? `${alias}.vrf_id is null` : `${alias}.vrf_id = ${vrfId}`
  const rows = () => visibleRows(prefixType, visible, bind)
  const start =
    behind === undefined ? "true" : `(t.prefix, t.id) > (${bind(behind.prefix)}::cidr, ${bind(`${behind.id}`)}::bigint)`
  const parts = [
    `(select t.*, 'around' as place, 0 as depth from ${rows()} t where t.prefix >> ${own} and ${ofVrf("t")}
       order by t.prefix limit ${aroundMax})`,
    ...(self === undefined
      ? []
      : [`(select t.*, 'self' as place, 0 as depth from ${rows()} t where t.id = ${bind(`${self}`)}::bigint)`]),
    // The networks around it are looked up: a search for them in the index visits most of a large network.
    `(select t.*, 'below' as place, (select count(*)::int from ${rows()} c
        where c.prefix = any (array(
            select set_masklen(t.prefix, length) from generate_series(masklen(${own}) + 1, masklen(t.prefix) - 1) as g (length)))
          and ${vrf === undefined ? "c.vrf_id is not distinct from t.vrf_id" : ofVrf("c")}) as depth
       from ${rows()} t where t.prefix ${self === undefined ? ">=" : ">"} ${own} and t.prefix <= ${last} and ${ofVrf("t")} and ${start}
       order by t.prefix, t.id limit ${belowMax + 1})`
  ]
  const found = yield* sql.unsafe<{ readonly prefix: TreePrefix }>(
    `select json_build_object('place', t.place, 'id', t.id, 'prefix', t.prefix, 'status', t.status, 'depth', t.depth,
       'description', left(t.description, ${descriptionMax}), 'used', u.used, 'isPart', u.count >= u.most) as prefix
       from (${parts.join(" union all ")}) t cross join lateral (
         ${usage(countedMax.self)} where t.place = 'self' union all ${usage(countedMax.other)} where t.place <> 'self') u
      order by t.place = 'below', t.place = 'self', t.prefix, t.id`,
    parameters
  )
  return found.map(({ prefix }) => prefix)
})

/**
 * SQL: how much of the prefix `t` its children use, or, if it has none, its addresses and ranges. Sizes of children are
 * added as floats: their sum is shown in tenths of a percent.
 */
const usage = (most: number): string => {
  const width = "case family(t.prefix) when 4 then 32 else 128 end"
  const size = "2::numeric ^ (w.width - masklen(t.prefix))"
  const bare = (address: string): string => `(host(${address})::inet)`
  return `select ${most} as most, greatest(c.count, a.count) as count,
      case when t.mark_utilized then 100 when c.count > 0 then round(100 * c.size / (${size}), 1)
        else least(100, round(100 * (a.count + r.size) / greatest(1,
          ${size} - case when w.width = 32 and masklen(t.prefix) < 31 and not t.is_pool then 2 else 0 end), 1)) end as used
    from (select ${width} as width) w
    cross join lateral (
      select count(*), coalesce(sum(2::float8 ^ (w.width - masklen(prefix))) filter (where before is null or low > before), 0)::numeric as size
        from (select prefix, low, max(high) over (order by prefix rows between unbounded preceding and 1 preceding) as before
          from (select c.prefix, set_masklen(c.prefix::inet, w.width) as low, set_masklen(broadcast(c.prefix), w.width) as high
                  from ${prefixType.table} c
                 where c.prefix > t.prefix and c.prefix <= set_masklen(broadcast(t.prefix), w.width)
                   and c.vrf_id is not distinct from t.vrf_id order by c.prefix limit ${most}) c) c) c
    cross join lateral (
      select coalesce(sum(high - low + 1), 0) as size,
             array_agg(low order by low) as lows, array_agg(high order by low) as highs
        from (select greatest(${bare("c.start_address")}, ${bare("t.prefix")}) as low,
                     least(${bare("c.end_address")}, ${bare("broadcast(t.prefix)")}) as high
                from ${rangeType.table} c
               where ${bare("c.start_address")} <= set_masklen(broadcast(t.prefix), w.width)
                 and ${bare("c.end_address")} >= ${bare("t.prefix")} and c.vrf_id is not distinct from t.vrf_id
               limit ${rangesMax}) c) r
    cross join lateral (
      select count(distinct address) from (select ${bare("c.address")} as address from ${addressType.table} c
        where c.vrf_id is not distinct from t.vrf_id and ${bare("c.address")} <<= t.prefix limit ${most}) c
       where not exists (select from unnest(r.lows, r.highs) as taken (low, high) where address between low and high)) a`
}

/** Most ranges that count in the use of a prefix. */
const rangesMax = 100

/** Most objects among which the first ones within a network are found: to order all of them would read all of them. */
const containedMax = 1000

/** Objects of the VRF whose address in the field is within the network: some, if there are very many. */
export const containedIn = (network: string, vrf: number | null, type: ObjectType, field: string): Where => {
  const column = `(host(t.${type.columns[field]})::inet)`
  const ofVrf = vrf === null ? "t.vrf_id is null" : "t.vrf_id = $2::bigint"
  return {
    sql: `t.id = any (array(select t.id from ${type.table} t where ${column} <<= $1::cidr and ${ofVrf} limit ${containedMax}))`,
    parameters: [network, ...(vrf === null ? [] : [`${vrf}`])]
  }
}
