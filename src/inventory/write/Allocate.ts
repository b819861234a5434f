/**
 * Finds what is free in a prefix, a range of addresses or AS numbers, or a VLAN group.
 *
 * An allocation holds a lock on its VRF or group until it has committed, so the next one sees what it has written.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RowOf } from "../Field.ts"
import { type Gap, hostsOf, printBare } from "../derive/values/Space.ts"
import { type Network, baseOf, lastOf, parseNetwork } from "../field/Network.ts"
import type AsnRange from "../types/ipam/AsnRange.ts"
import type IpRange from "../types/ipam/IpRange.ts"
import type Prefix from "../types/ipam/Prefix.ts"
import type VlanGroup from "../types/ipam/VlanGroup.ts"

/** Most gaps that are read: a network may be of any size. */
const gapsMax = 10_000

/** Locks a VRF (null is one as well), a VLAN group or all AS numbers for allocation, until the transaction ends. */
export const takeTurn = (what: "vrf" | "vlangroup" | "asn", id: unknown) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select pg_advisory_xact_lock(hashtext(${`allocation of ${what} ${String(id)}`}))::text`
  )

/** An object that addresses are allocated from. */
export type Space = RowOf<typeof Prefix> | RowOf<typeof IpRange>

/** The network of the row, and the addresses in it that hosts can have. */
export const roomOf = (row: Space): { readonly network: Network; readonly hosts: Gap } => {
  if ("prefix" in row) {
    const network = parseNetwork(row.prefix)!
    return { network, hosts: hostsOf(network, row.is_pool) }
  }
  const network = parseNetwork(row.start_address)!
  return { network, hosts: { first: network.bits, last: parseNetwork(row.end_address)!.bits } }
}

/** The free addresses of a prefix or range as gaps: the first ones, enough for `count`. */
export const freeAddresses = Effect.fnUntraced(function* (row: Space, count: number) {
  if ("mark_utilized" in row && row.mark_utilized) return []
  const { network, hosts } = roomOf(row)
  const ranges =
    "prefix" in row
      ? `union all select host(start_address)::inet, host(end_address)::inet from ipam_iprange
          where vrf_id is not distinct from $3::bigint and family(start_address) = family($1::inet)
            and host(end_address)::inet >= $1::inet and host(start_address)::inet <= $2::inet`
      : ""
  return yield* gapsBetween(
    `select (host(address)::inet), (host(address)::inet) from ipam_ipaddress
      where (host(address)::inet) <<= inet_merge($1::inet, $2::inet) and vrf_id is not distinct from $3::bigint
        and (host(address)::inet) between $1::inet and $2::inet ${ranges}`,
    network,
    hosts,
    row.vrf,
    count
  )
})

/**
 * The parts of a prefix that no child prefix covers, as gaps. With a length only those between children count that have
 * room for a prefix of it, so that many small gaps do not hide a large one.
 */
export const freeSpace = Effect.fnUntraced(function* (row: RowOf<typeof Prefix>, length?: number) {
  if (row.mark_utilized) return []
  const { network } = roomOf(row)
  return yield* gapsBetween(
    `select host(network(prefix))::inet, host(broadcast(prefix))::inet from ipam_prefix
      where prefix <<= inet_merge($1::inet, $2::inet) and masklen(prefix) > ${network.length}
        and vrf_id is not distinct from $3::bigint`,
    network,
    { first: baseOf(network), last: lastOf(network) },
    row.vrf,
    gapsMax,
    length
  )
})

/** SQL: whether an aligned block of the length lies between the addresses `before` and `low`. */
const roomFor = (length: number): string => {
  const endOf = (address: string) => `host(broadcast(set_masklen(${address}, ${length})))::inet`
  return `case when ${endOf("before")} < low then ${endOf(`${endOf("before")} + 1`)} < low else false end`
}

interface Bounds {
  readonly low: string | null
  readonly high: string | null
}

/**
 * The first gaps of a span. `taken` is SQL that selects the taken ranges; `$1` is the first address of the span, `$2`
 * the last, `$3` the VRF.
 */
const gapsBetween = Effect.fnUntraced(function* (
  taken: string,
  network: Network,
  { first, last }: Gap,
  vrf: number | null,
  count: number,
  length?: number
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<Bounds & { readonly inner: ReadonlyArray<Bounds> | null }>(
    `with taken (low, high) as materialized (${taken}),
     steps as (select low, max(high) over (order by low, high rows between unbounded preceding and 1 preceding) as before
                 from taken),
     inner_gaps as (select before, low from steps
                     where case when low > before then low <> before + 1 and ${length === undefined ? "true" : roomFor(length)} else false end order by low limit $4::int)
     select host(min(low)) as low, host(max(high)) as high,
            (select json_agg(json_build_object('low', host(before), 'high', host(low)) order by low) from inner_gaps) as inner
       from taken`,
    [printBare(network, first), printBare(network, last), vrf, count]
  )
  const { low, high, inner } = rows[0]!
  if (low === null || high === null) return [{ first, last }]
  const bits = (address: string | null) => parseNetwork(address!)!.bits
  const gaps = [
    { first, last: bits(low) - 1n },
    ...(inner ?? []).map((gap) => ({ first: bits(gap.low) + 1n, last: bits(gap.high) - 1n })),
    { first: bits(high) + 1n, last }
  ]
  return gaps.filter((gap) => gap.first <= gap.last)
})

/** The unused VLAN ids of a group. */
export const freeVlanIds = Effect.fnUntraced(function* (group: RowOf<typeof VlanGroup>, count: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly vid: number }>`
    select vid::int as vid from generate_series(${group.min_vid}::int, ${group.max_vid}::int) as vid
     where not exists (select from ipam_vlan v where v.group_id = ${group.id} and v.vid = vid.vid)
     order by vid limit ${count}`
  return rows.map(({ vid }) => vid)
})

/** The first unused AS numbers of a range, and how many of its numbers are unused. */
export const freeAsns = Effect.fnUntraced(function* (range: RowOf<typeof AsnRange>, count: number) {
  const sql = yield* SqlClient.SqlClient
  // So many numbers from the start on have enough unused ones among them.
  const rows = yield* sql<{ readonly taken: number; readonly asns: ReadonlyArray<number> }>`
    select taken::int as taken, array(
      select asn from generate_series(${range.start}::bigint, least(${range.end}::bigint, ${range.start}::bigint + taken + ${count}::bigint - 1)) as asn
       where not exists (select from ipam_asn a where a.asn = asn.asn) order by asn limit ${count})::float8[] as asns
      from (select count(*) as taken from ipam_asn where asn between ${range.start}::bigint and ${range.end}::bigint) t`
  const { taken, asns } = rows[0]!
  return { asns, free: range.end - range.start + 1 - taken }
})
