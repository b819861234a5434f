/** The values that an object with a socket shows of its cable and of its path, and the filters by them. */
import { type SqlFilter, flagged } from "../Asked.ts"
import type { DerivedValue } from "../Derived.ts"
import type { Errors, Row, View } from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import type { Bond } from "../Rule.ts"
import { ref } from "../field/Reference.ts"
import { pathFields } from "../field/Terminations.ts"
import { isEndpoint } from "./cable/Ends.ts"
import { interfaceTypes, wirelessTypes, withoutSocket } from "./port/InterfaceTypes.ts"

/** An object with a socket, as far as its cable is concerned. */
interface Plug extends Row {
  readonly cable: number | null
  readonly mark_connected: boolean
  /** Interfaces of wireless types have links in place of cables. */
  readonly wireless_link?: number | null
}

/** The same at which paths end. */
interface Endpoint extends Plug {
  readonly connected_type: string | null
  readonly connected_ids: ReadonlyArray<number>
  readonly path_active: boolean | null
}

const withoutCable = { ...withoutSocket, ...wirelessTypes }

export const hasSocket = (type: string): boolean => !Object.hasOwn(withoutCable, type)

const marked: Errors = { mark_connected: ["Cannot mark as connected with a cable attached."] }

export const plugBond: Bond<Plug> = {
  name: "plug",
  fields: ["cable", "mark_connected"],
  applies: "new.cable_id is not null",
  broken: "j.cable_id is not null and j.mark_connected",
  rule: "An object with a cable is not marked as connected.",
  errors: () => marked,
  others: []
}

export const socketBond: Bond<Plug & { readonly type: string }> = {
  name: "socket",
  fields: ["cable", "type", "mark_connected"],
  applies: "new.cable_id is not null",
  broken: `j.cable_id is not null and (j.mark_connected or j.type in (${Object.keys(withoutCable).map(literal).join(", ")}))`,
  rule: "An interface with a cable has a socket, and is not marked as connected.",
  errors: ({ type, mark_connected: isMarked }): Errors =>
    isMarked
      ? marked
      : { type: [`${interfaceTypes[type as keyof typeof interfaceTypes]} interfaces cannot have a cable attached.`] },
  others: []
}

/** The fields that cables themselves keep, by triggers (cable/CableSql.ts, cable/PathSql.ts). */
const cableField = () => ({
  cable: ref("dcim.cable", { optional: true, onDelete: "set null", wire: "read", bare: "brief" })
})

export const plugFields = cableField
export const endpointFields = () => ({ ...cableField(), ...pathFields() })

interface Side {
  readonly type: string
  readonly ids: ReadonlyArray<number>
}

/** The end of its cable that an object is at, and the objects at the other one; undefined where it has none. */
const endsOf = (type: string, row: Plug, view: View) => {
  const cable = view.row("dcim.cable", Number(row.cable))
  if (cable === undefined) return linkEndsOf(row, view)
  const a = { type: cable["a_type"], ids: cable["a_terminations"] } as Side
  const b = { type: cable["b_type"], ids: cable["b_terminations"] } as Side
  const isA = a.type === type && a.ids.includes(row.id)
  return { end: isA ? "A" : "B", far: isA ? b : a, isConnected: cable["status"] === "connected" }
}

/** The same of its wireless link, which has no sides. */
const linkEndsOf = (row: Plug, view: View) => {
  // The state of an event is searched for the objects that it is made of: no link is none of them.
  if (typeof row.wireless_link !== "number") return undefined
  const link = view.row("wireless.wirelesslink", row.wireless_link)
  if (link === undefined) return undefined
  const other = Number(link["interface_a"] === row.id ? link["interface_b"] : link["interface_a"])
  return { end: "", far: { type: "dcim.interface", ids: [other] }, isConnected: link["status"] === "connected" }
}

const shown = ({ type, ids }: Side, view: View) => ids.map((id) => view.nested(type, id)).filter(Boolean)

/** The end of the path of an object, and whether it is reachable; undefined where it has no cable. */
const pathOf = (type: string, row: Endpoint, view: View) => {
  const ends = endsOf(type, row, view)
  if (ends === undefined) return undefined
  const isActive = row.path_active ?? ends.isConnected
  // Null where the cable is all there is of the path.
  if ((row.path_active ?? null) === null) {
    return isEndpoint(ends.far.type) ? { to: ends.far, isReachable: isActive } : { to: undefined, isReachable: false }
  }
  if (row.connected_type === null) return { to: undefined, isReachable: false }
  return { to: { type: row.connected_type, ids: row.connected_ids }, isReachable: isActive }
}

const peers = { kind: "object", many: true } as const
const typeName = { kind: "text", nullable: true } as const

/** Conditions that need a cable say so first: an index finds the objects that have one. */
const hasCable = "t.cable_id is not null"

const isLinked = (type: string): string => (type === "dcim.interface" ? " or t.wireless_link_id is not null" : "")

/** SQL that an interface has a wireless link that carries traffic. */
const linkIsActive: SqlFilter["sql"] = (_, types, from) =>
  `exists (select from ${from(types.get("wireless.wirelesslink")!)} w where w.id = t.wireless_link_id and w.status = 'connected')`

/** The parts of a declaration that all objects with a socket share. */
export const plug = (type: string) => {
  const isAt = (side: "a" | "b") => `c.${side}_type = ${literal(type)} and c.${side}_terminations @> array[t.id]`
  return {
    derived: {
      cable_end: { shape: { kind: "text" }, of: (row, view) => endsOf(type, row, view)?.end ?? "" },
      link_peers: {
        shape: peers,
        of: (row, view) => {
          const ends = endsOf(type, row, view)
          return ends === undefined ? [] : shown(ends.far, view)
        }
      },
      // As in NetBox, null for the peer of a wireless link.
      link_peers_type: {
        shape: typeName,
        of: (row, view) => (row.cable === null ? null : (endsOf(type, row, view)?.far.type ?? null))
      },
      _occupied: {
        shape: { kind: "flag" },
        of: (row) => row.cable !== null || row.mark_connected || typeof row.wireless_link === "number"
      }
    } satisfies Readonly<Record<string, DerivedValue<Plug>>>,
    derivedBy: ["cable.a_terminations", "cable.b_terminations"],
    asked: {
      cabled: flagged(hasCable),
      // A comparison with a list, because an index of several columns does not answer the bare flag.
      occupied: flagged(`${hasCable} or t.mark_connected = any (array[true])${isLinked(type)}`),
      cable_end: {
        of: "texts",
        sql: (_, types, from, value) => {
          const end = `case when ${isAt("a")} then 'A' when ${isAt("b")} then 'B' end`
          return `${hasCable} and (select ${end} from ${from(types.get("dcim.cable")!)} c where c.id = t.cable_id) = any (${value})`
        }
      }
    } satisfies Readonly<Record<string, SqlFilter>>
  }
}

/** The same for those at which paths begin and end. */
export const endpoint = (type: string) => {
  const own = plug(type)
  return {
    ...own,
    derived: {
      ...own.derived,
      connected_endpoints: {
        shape: { ...peers, nullable: true },
        of: (row, view) => {
          const to = pathOf(type, row, view)?.to
          return to === undefined ? null : shown(to, view)
        }
      },
      connected_endpoints_type: { shape: typeName, of: (row, view) => pathOf(type, row, view)?.to?.type ?? null },
      connected_endpoints_reachable: {
        shape: { kind: "flag", nullable: true },
        of: (row, view) => pathOf(type, row, view)?.isReachable ?? null
      }
    } satisfies Readonly<Record<string, DerivedValue<Endpoint>>>,
    asked: {
      ...own.asked,
      connected: {
        of: "flag",
        sql: (...args) => {
          const [, types, from] = args
          const isConnected = `exists (select from ${from(types.get("dcim.cable")!)} c where c.id = t.cable_id and c.status = 'connected')`
          const link =
            type === "dcim.interface" ? ` or t.wireless_link_id is not null and ${linkIsActive(...args)}` : ""
          return `(${hasCable} and coalesce(t.path_active, ${isConnected})${link})`
        }
      }
    } satisfies Readonly<Record<string, SqlFilter>>
  }
}
