/**
 * Reads what is in the cells of a map of addresses or VLAN ids: one statement, with a bounded number of probes of an
 * index, however many children there are.
 *
 * Hidden objects take their space for every reader, and nothing else of them is read.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Network, printNetwork, widthOf, parseNetwork } from "../field/Network.ts"
import {
  type Block,
  type OwnedSpan,
  blockOfNetwork,
  blocksOf,
  cellOf,
  cellsOf,
  lastIn,
  networkOfBlock
} from "../derive/values/SpaceMap.ts"
import { type Where, after } from "../derive/filter/Where.ts"
import { cleared } from "../Clearance.ts"
import { objectType } from "../Registry.ts"
import type { ObjectType } from "../ObjectType.ts"

export const prefixType = objectType("ipam.prefix")
export const addressType = objectType("ipam.ipaddress")
export const rangeType = objectType("ipam.iprange")
export const vlanType = objectType("ipam.vlan")

/** An object that takes a piece of a map; without `type` the reader may not view it. */
export interface Owner {
  readonly type?: ObjectType
  readonly id: number
  readonly text: string
}

export interface Occupation {
  readonly taken: ReadonlyArray<OwnedSpan<Owner>>
  /** The cells with something smaller in them. */
  readonly parts: ReadonlyArray<number>
}

/** The network of which a part is mapped. */
interface MappedSpace {
  readonly network: Network
  /** The VRF of its children, null for none; undefined for children of every VRF. */
  readonly vrf: number | null | undefined
  /** Whether a child may be the network itself. */
  readonly withSelf: boolean
}

/** Most ranges of addresses that a map shows. */
const rangesMax = 500

interface FoundOwner {
  readonly id: number | null
  readonly text: string | null
  readonly first: string
  readonly last: string
}

interface FoundSpace {
  readonly prefixes: ReadonlyArray<FoundOwner> | null
  readonly addresses: ReadonlyArray<FoundOwner> | null
  readonly ranges: ReadonlyArray<FoundOwner> | null
  readonly parts: ReadonlyArray<number> | null
}

/** The occupation of the part `frame` of a network. */
export const occupationOf = Effect.fnUntraced(function* (space: MappedSpace, frame: Block) {
  const sql = yield* SqlClient.SqlClient
  const { family } = space.network
  const cells = cellsOf(frame).map((each) => printNetwork(networkOfBlock(family, each)))
  const blocks = blocksBelow(space, frame).map((each) => printNetwork(networkOfBlock(family, each)))
  const parameters: Array<unknown> = [blocks, cells, ...(typeof space.vrf === "number" ? [`${space.vrf}`] : [])]
  const ofVrf = space.vrf === undefined ? "true" : space.vrf === null ? "t.vrf_id is null" : "t.vrf_id = $3::bigint"
  // A container as large as the space itself takes nothing of it.
  const isBelow = space.withSelf
    ? `(t.prefix <> $${parameters.push(printNetwork(space.network))}::cidr or t.status <> 'container')`
    : "true"
  const isOfHosts = cellOf(frame) === 0
  const seenIn = (where: Where): string => {
    const condition = `(${after(parameters.length, where)})`
    parameters.push(...where.parameters)
    return condition
  }
  const seen = {
    prefix: seenIn(yield* cleared(prefixType, "view")),
    range: seenIn(yield* cleared(rangeType, "view")),
    // Larger cells show no address, and a statement has no parameter that it does not use.
    address: isOfHosts ? seenIn(yield* cleared(addressType, "view")) : ""
  }
  const width = widthOf(family)
  const host = "(host(t.address)::inet)"
  const [start, end] = ["(host(t.start_address)::inet)", "(host(t.end_address)::inet)"]
  const last = `set_masklen(broadcast(c.cell::inet), ${width})`
  const owner = (condition: string, text: string, first: string, end: string): string =>
    `json_build_object('id', case when ${condition} then t.id end, 'text', case when ${condition} then ${text} end,
       'first', ${first}, 'last', ${end})`
  const rows = yield* sql.unsafe<{ readonly found: FoundSpace }>(
    `with cell as (select cell, ordinality - 1 as at from unnest($2::text[]::cidr[]) with ordinality c (cell))
     select json_build_object(
       'prefixes', (select json_agg(o.owner) from (
          select distinct on (t.prefix) ${owner(seen.prefix, "t.prefix::text", "host(t.prefix)", "host(broadcast(t.prefix))")} as owner
            from ${prefixType.table} t where t.prefix = any ($1::text[]::cidr[]) and ${ofVrf} and ${isBelow}
           order by t.prefix, case when ${seen.prefix} then 0 end, t.id) o),
       'addresses', ${
         isOfHosts
           ? `(select json_agg(o.owner) from cell c cross join lateral (
          select ${owner(seen.address, "host(t.address)", "host(t.address)", "host(t.address)")} as owner
            from ${addressType.table} t where ${host} <<= c.cell and ${ofVrf} order by case when ${seen.address} then 0 end, t.id limit 1) o)`
           : "null"
       },
       'ranges', (select json_agg(o.owner) from (
          select ${owner(seen.range, "host(t.start_address) || '-' || host(t.end_address)", "host(t.start_address)", "host(t.end_address)")} as owner
            from ${rangeType.table} t
           where ${start} <= (select max(${last}) from cell c) and ${end} >= (select min(host(c.cell)::inet) from cell c)
             and ${ofVrf} order by ${start}, t.id limit ${rangesMax}) o),
       'parts', ${
         isOfHosts
           ? "null"
           : `(select json_agg(c.at) from cell c
          where exists (select from ${prefixType.table} t where t.prefix > c.cell and t.prefix <= ${last} and ${ofVrf})
             or exists (select from ${addressType.table} t where ${host} <<= c.cell and ${ofVrf}))`
       }) as found`,
    parameters
  )
  const { prefixes, addresses, ranges, parts } = rows[0]!.found
  return {
    taken: [...owners(prefixType, prefixes), ...owners(rangeType, ranges), ...owners(addressType, addresses)],
    parts: parts ?? []
  } satisfies Occupation
})

/** The blocks that a child may be which takes a cell whole. */
const blocksBelow = ({ network, withSelf }: MappedSpace, frame: Block): ReadonlyArray<Block> => {
  const whole = blockOfNetwork(network)
  const around = Array.from({ length: whole.size - frame.size }, (_, at) => frame.size + 1 + at)
  const blocks = [
    ...around.map((size) => ({ first: (frame.first >> BigInt(size)) << BigInt(size), size })),
    ...blocksOf(frame)
  ]
  return blocks.filter(({ size }) => size < whole.size || withSelf)
}

const owners = (type: ObjectType, found: FoundSpace["prefixes"]): ReadonlyArray<OwnedSpan<Owner>> =>
  (found ?? []).map(({ id, text, first, last }) => ({
    first: parseNetwork(first)!.bits,
    last: parseNetwork(last)!.bits,
    owner: id === null ? hidden : { type, id, text: text ?? "" }
  }))

const hidden: Owner = { id: 0, text: "" }

interface VlanBounds {
  readonly first: bigint
  readonly last: bigint
}

interface FoundVlans {
  readonly cells: ReadonlyArray<{
    readonly at: number
    readonly count: number
    readonly id: number | null
    readonly name: string | null
  }> | null
  readonly next: number | null
}

/** The VLANs of a group by the cells of the map, and the lowest free id of the group. */
export const vlansIn = Effect.fnUntraced(function* (group: number, { first, last }: VlanBounds, frame: Block) {
  const sql = yield* SqlClient.SqlClient
  const size = 2 ** cellOf(frame)
  const where = yield* cleared(vlanType, "view")
  const seen = `(${after(5, where)})`
  const [row] = yield* sql.unsafe<{ readonly found: FoundVlans }>(
    `select json_build_object(
       'cells', (select json_agg(c) from (
          select ((t.vid - $2::bigint) / ${size})::int as at, count(*)::int as count,
                 min(t.id) filter (where ${seen}) as id, min(t.name) filter (where ${seen}) as name
            from ${vlanType.table} t
           where t.group_id = $1::bigint and t.vid between $2::bigint and $3::bigint group by 1) c),
       'next', (select n from generate_series($4::bigint, $5::bigint) n
                 where not exists (select from ${vlanType.table} t where t.group_id = $1::bigint and t.vid = n)
                 order by n limit 1)) as found`,
    [`${group}`, `${frame.first}`, `${lastIn(frame)}`, `${first}`, `${last}`, ...where.parameters]
  )
  const { cells, next } = row!.found
  const blocks = cellsOf(frame)
  const taken = (cells ?? [])
    .filter(({ count }) => count === size)
    .map(({ at, id, name }): OwnedSpan<Owner> => ({
      first: blocks[at]!.first,
      last: lastIn(blocks[at]!),
      owner: size > 1 || id === null ? hidden : { type: vlanType, id, text: String(name) }
    }))
  const parts = (cells ?? []).filter(({ count }) => count < size).map(({ at }) => at)
  return { occupation: { taken, parts } satisfies Occupation, next: next ?? undefined }
})
