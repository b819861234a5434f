/** Free addresses, prefixes, VLAN ids and AS numbers of a prefix, an IP range, a VLAN group or an ASN range: GET shows them, POST takes some. */
import { Effect, type Schema } from "effect"
import { Settings } from "../../Config.ts"
import {
  type Space,
  freeAddresses,
  freeAsns,
  freeSpace,
  freeVlanIds,
  roomOf,
  takeTurn
} from "../../inventory/write/Allocate.ts"
import {
  type Dictionary,
  type Errors,
  type RowOf,
  type View,
  isDictionary,
  notDictionary,
  textsIn
} from "../../inventory/Field.ts"
import { type ObjectType, integer as integerField } from "../../inventory/ObjectType.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { Author } from "../../inventory/write/Transaction.ts"
import { createFrom } from "../../inventory/write/Write.ts"
import { carve, firstOf, networksIn, printHost, sizeOf } from "../../inventory/derive/values/Space.ts"
import { representation, viewOf } from "../../inventory/derive/represent/Representation.ts"
import { printNetwork, widthOf } from "../../inventory/field/Network.ts"
import type AsnRange from "../../inventory/types/ipam/AsnRange.ts"
import type IpRange from "../../inventory/types/ipam/IpRange.ts"
import type Prefix from "../../inventory/types/ipam/Prefix.ts"
import type VlanGroup from "../../inventory/types/ipam/VlanGroup.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Declared } from "../declare/Declared.ts"
import { declaring, endpoint } from "../declare/Endpoint.ts"
import {
  brief,
  described,
  integer,
  listOf,
  objectOf,
  oneOrMany,
  orNull,
  partOf,
  record,
  string
} from "../declare/Parts.ts"
import { authorOf } from "./ChangelogMessage.ts"
import { itemErrors } from "./ItemErrors.ts"
import { inWritingTime, refuseLongList } from "./Limits.ts"
import { all, first, listed, refuse, rowOf } from "./Objects.ts"
import { pageBounds } from "../wire/Paging.ts"
import type { Refusal, Route, Services } from "../Route.ts"
import type { Request } from "../wire/Request.ts"

const prefixType = objectType<typeof Prefix>("ipam.prefix")
const rangeType = objectType<typeof IpRange>("ipam.iprange")
const addressType = objectType("ipam.ipaddress")
const groupType = objectType<typeof VlanGroup>("ipam.vlangroup")
const vlanType = objectType("ipam.vlan")
const asnRangeType = objectType<typeof AsnRange>("ipam.asnrange")
const asnType = objectType("ipam.asn")

/** A kind of object from which others are allocated. */
interface Source<T extends ObjectType, R = RowOf<T>, Item extends Schema.Constraint = Schema.Constraint> {
  /** A free item as it is shown. */
  readonly item: Item
  /** The object type to allocate from, and that of the allocated objects. */
  readonly of: T
  readonly taken: ObjectType
  /** Returns up to `count` free items. */
  readonly free: (row: R, count: number, view: View) => Effect.Effect<ReadonlyArray<Item["Type"]>, Refusal, Services>
  /** Waits for others that allocate from the same source. */
  readonly turn: (row: R) => ReturnType<typeof takeTurn>
  /** The body to write for each requested item. Fails with 409 if too little is free. */
  readonly bodies: (
    row: R,
    items: ReadonlyArray<Dictionary>
  ) => Effect.Effect<ReadonlyArray<Dictionary>, Refusal, Services>
}

const tooFew = (what: string, row: string, asked: number, free: number | bigint) =>
  new HttpRefused({
    reason: "Conflict",
    body: {
      detail: `An insufficient number of ${what} are available within ${row} (${asked} requested, ${free} available)`
    }
  })

const show = <T extends ObjectType>(source: Source<T>) =>
  endpoint({ summary: `Free items of a ${source.of.label}`, query, reply: listOf(source.item) }, (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(source.of, request)
      const settings = yield* Settings
      const { limit } = pageBounds(request.url.searchParams, { usual: settings.pageSize, max: settings.pageSizeMax })
      const view = yield* viewFor(source.of, [row], request.base)
      return { status: 200, json: yield* source.free(row, limit ?? shownMax, view) }
    })
  )

const query = { limit: described(integer, "Most items.") }

/** Most items that are shown if no option limits it. */
const shownMax = 10_000

/** The items of the body: one object or a list of them. */
const itemsOf = Effect.fnUntraced(function* (request: Request) {
  const body = yield* request.body
  yield* refuseLongList(body)
  const many = Array.isArray(body)
  const items: ReadonlyArray<unknown> = many ? body : [body]
  const errors = items.map((item): Errors => (isDictionary(item) ? {} : { non_field_errors: [notDictionary(item)] }))
  if (!items.every(isDictionary)) {
    return yield* new HttpRefused({ reason: "InvalidBody", body: many ? itemErrors(errors) : errors[0] })
  }
  return { many, items }
})

const take = <T extends ObjectType>(source: Source<T>) => {
  const declared: Declared = {
    summary: `Create one ${source.taken.label} or many from what is free`,
    body: oneOrMany(partOf(source.taken)),
    status: 201,
    reply: oneOrMany(objectOf(source.taken))
  }
  return declaring(declared, (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(source.of, request)
      const { many, items } = yield* itemsOf(request)
      const bodies = Effect.andThen(source.turn(row), source.bodies(row, items))
      const author = yield* authorOf(request, items)
      const created = yield* createFrom(source.taken, items.length, bodies, author).pipe(refuse(many ? all : first))
      const rows = created.map(({ row }) => row)
      const view = yield* viewFor(source.taken, rows, request.base)
      if (many) return listed(201, source.taken, created, view)
      const taken = rows[0]!
      const location = `${request.base}${source.taken.path}${taken.id}/`
      return { status: 201, json: representation(source.taken, taken, view), headers: { location } }
    }).pipe(inWritingTime)
  )
}

const nestedVrf = ({ vrf }: Space, view: View) => (vrf === null ? null : view.nested("ipam.vrf", vrf))

/** Allocates addresses from a prefix or an IP range. */
const addresses: Omit<Source<typeof prefixType, Space>, "of"> = {
  item: record({ family: integer, address: string, vrf: orNull(brief) }),
  taken: addressType,
  free: (row, count, view) =>
    Effect.map(freeAddresses(row, count), (gaps) => {
      const { network } = roomOf(row)
      return firstOf(gaps, count).map((bits) => ({
        family: network.family,
        address: printHost(network, bits),
        vrf: nestedVrf(row, view)
      }))
    }),
  turn: (row) => takeTurn("vrf", row.vrf),
  bodies: (row, items) =>
    Effect.gen(function* () {
      const gaps = yield* freeAddresses(row, items.length)
      const free = firstOf(gaps, items.length)
      const { network } = roomOf(row)
      if (free.length < items.length) {
        return yield* tooFew("IP addresses", displayOf(row), items.length, sizeOf(gaps))
      }
      return free.map((bits, at) => ({ ...items[at], address: printHost(network, bits), vrf: row.vrf }))
    })
}

/** The display of a prefix or a range needs its own fields only. */
const noView = viewOf("", { row: () => undefined })

const displayOf = (row: Space): string =>
  "prefix" in row ? prefixType.display(row, noView) : rangeType.display(row, noView)

const prefixes: Source<typeof prefixType> = {
  of: prefixType,
  item: record({ family: integer, prefix: string, vrf: orNull(brief) }),
  taken: prefixType,
  free: (row, _, view) =>
    Effect.map(freeSpace(row), (gaps) =>
      networksIn(roomOf(row).network.family, gaps).map((network) => ({
        family: network.family,
        prefix: printNetwork(network),
        vrf: nestedVrf(row, view)
      }))
    ),
  turn: (row) => takeTurn("vrf", row.vrf),
  bodies: (row, items) =>
    Effect.gen(function* () {
      const { network } = roomOf(row)
      const read = items.map((item) => lengthIn(item["prefix_length"], network.family))
      if (read.some((each) => typeof each === "string")) {
        const errors = read.map((each): Errors => (typeof each === "string" ? { prefix_length: [each] } : {}))
        return yield* new HttpRefused({ reason: "InvalidBody", body: itemErrors(errors) })
      }
      const lengths = read.filter((each) => typeof each === "number")
      const longest = lengths.length === 0 ? undefined : Math.max(...lengths)
      const carved = carve(networksIn(network.family, yield* freeSpace(row, longest)), lengths)
      if (carved === undefined) {
        const detail = "Insufficient space is available to accommodate the requested prefix size(s)"
        return yield* new HttpRefused({ reason: "Conflict", body: { detail } })
      }
      return carved.map((network, at) => ({ ...items[at], prefix: printNetwork(network), vrf: row.vrf }))
    })
}

const wholeNumber = integerField()

/** The length of a requested prefix, or what is wrong with it. */
const lengthIn = (input: unknown, family: 4 | 6): number | string => {
  if (input === undefined) return "This field is required."
  const parsed = wholeNumber.parse(input)
  if ("errors" in parsed) return textsIn(parsed.errors).join(" ")
  const length = parsed.value as number
  return length < 1 || length > widthOf(family) ? `Invalid prefix length (${length}) for IPv${family}` : length
}

const vlans: Source<typeof groupType> = {
  of: groupType,
  item: record({ vid: integer, group: orNull(brief) }),
  taken: vlanType,
  free: (row, count, view) =>
    Effect.map(freeVlanIds(row, count), (ids) =>
      ids.map((vid) => ({ vid, group: view.nested("ipam.vlangroup", row.id) }))
    ),
  turn: (row) => takeTurn("vlangroup", row.id),
  bodies: (row, items) =>
    Effect.gen(function* () {
      const free = yield* freeVlanIds(row, items.length)
      if (free.length < items.length) return yield* tooFew("VLANs", row.name, items.length, free.length)
      return free.map((vid, at) => ({ ...items[at], vid, group: row.id }))
    })
}

const asns: Source<typeof asnRangeType> = {
  of: asnRangeType,
  item: record({ rir: orNull(brief), asn: integer }),
  taken: asnType,
  free: (row, count, view) =>
    Effect.map(freeAsns(row, count), ({ asns }) => asns.map((asn) => ({ rir: view.nested("ipam.rir", row.rir), asn }))),
  // Ranges may overlap.
  turn: () => takeTurn("asn", null),
  bodies: (row, items) =>
    Effect.gen(function* () {
      const { asns, free } = yield* freeAsns(row, items.length)
      if (asns.length < items.length) {
        return yield* tooFew("ASNs", asnRangeType.display(row, noView), items.length, free)
      }
      return asns.map((asn, at) => ({ ...items[at], rir: row.rir, asn }))
    })
}

const route = <T extends ObjectType>(name: string, source: Source<T>): Route => ({
  path: `${source.of.path}:id/${name}/`,
  access: source.taken,
  methods: { GET: show(source), POST: take(source) }
})

/** Takes one free prefix or address of a prefix, with the fields of the item. Fails with 409 if nothing suitable is free. */
export const takeOne = (what: "prefix" | "address", row: RowOf<typeof Prefix>, item: Dictionary, author: Author) => {
  const { turn, bodies, taken } = what === "prefix" ? prefixes : addresses
  return createFrom(taken, 1, Effect.andThen(turn(row), bodies(row, [item])), author).pipe(
    Effect.map(([created]) => created!.row.id)
  )
}

export default [
  route("available-ips", { of: prefixType, ...addresses }),
  route("available-ips", { of: rangeType, ...addresses }),
  route("available-prefixes", prefixes),
  route("available-vlans", vlans),
  route("available-asns", asns)
] satisfies ReadonlyArray<Route>
