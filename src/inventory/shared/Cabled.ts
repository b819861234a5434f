/** The values that an interface shows of its cable, and the filters by the cable. */
import { type SqlFilter, flagged } from "../Asked.ts"
import type { DerivedValue } from "../Derived.ts"
import type { Errors, Row, View } from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import type { Bond } from "../Rule.ts"
import { withoutSocket } from "./port/InterfaceTypes.ts"

/** An interface, as far as its cable is concerned. */
interface End extends Row {
  readonly cable: number | null
  readonly mark_connected: boolean
}

export const hasSocket = (type: string): boolean => !Object.hasOwn(withoutSocket, type)

const socketless = Object.keys(withoutSocket).map(literal).join(", ")

export const socketBond: Bond<End & { readonly type: string }> = {
  name: "socket",
  fields: ["cable", "type", "mark_connected"],
  applies: "new.cable_id is not null",
  broken: `j.cable_id is not null and (j.mark_connected or j.type in (${socketless}))`,
  rule: "An interface with a cable has a socket, and is not marked as connected.",
  errors: ({ type, mark_connected: isMarked }): Errors => {
    if (isMarked) return { mark_connected: ["Cannot mark as connected with a cable attached."] }
    return { type: [`${withoutSocket[type as keyof typeof withoutSocket]} interfaces cannot have a cable attached.`] }
  },
  others: []
}

/** The end of its cable that an interface is at, and the interfaces at the other one; undefined where it has none. */
const endsOf = (row: End, view: View) => {
  const cable = view.row("dcim.cable", Number(row.cable))
  if (cable === undefined) return undefined
  const [a, b] = [cable.a_terminations, cable.b_terminations] as [ReadonlyArray<number>, ReadonlyArray<number>]
  const end = a.includes(row.id) ? "A" : "B"
  const peers = (end === "A" ? b : a).map((id) => view.nested("dcim.interface", id)).filter(Boolean)
  return { end, peers, reachable: cable.status === "connected" }
}

const peers = { kind: "object", type: "dcim.interface", many: true } as const

const peersType: DerivedValue<End> = {
  shape: { kind: "text", nullable: true },
  of: (row, view) => ((endsOf(row, view)?.peers.length ?? 0) > 0 ? "dcim.interface" : null)
}

/** SQL that the interface has a cable that meets a condition over `c`. */
const cableThat =
  (condition: string): SqlFilter["sql"] =>
  (_, types, from) =>
    `exists (select from ${from(types.get("dcim.cable")!)} c where c.id = t.cable_id and ${condition})`

export const cabled = {
  derived: {
    cable_end: { shape: { kind: "text" }, of: (row, view) => endsOf(row, view)?.end ?? "" },
    link_peers: { shape: peers, of: (row, view) => endsOf(row, view)?.peers ?? [] },
    link_peers_type: peersType,
    // Cables are all there is between two interfaces, so what a cable leads to is what its path leads to.
    connected_endpoints: { shape: { ...peers, nullable: true }, of: (row, view) => endsOf(row, view)?.peers ?? null },
    connected_endpoints_type: peersType,
    connected_endpoints_reachable: {
      shape: { kind: "flag", nullable: true },
      of: (row, view) => endsOf(row, view)?.reachable ?? null
    },
    _occupied: { shape: { kind: "flag" }, of: (row) => row.cable !== null || row.mark_connected }
  } satisfies Readonly<Record<string, DerivedValue<End>>>,
  derivedBy: ["cable.a_terminations", "cable.b_terminations"],
  asked: {
    cabled: flagged("t.cable_id is not null"),
    occupied: flagged("t.cable_id is not null or t.mark_connected"),
    connected: { of: "flag", sql: cableThat("c.status = 'connected'") },
    cable_end: {
      of: "text",
      sql: (...args) => `case when ${cableThat("c.a_terminations @> array[t.id]")(...args)} then 'A'
        when ${cableThat("c.b_terminations @> array[t.id]")(...args)} then 'B' end`
    }
  } satisfies Readonly<Record<string, SqlFilter>>
}
