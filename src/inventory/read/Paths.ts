/**
 * Paths over cables: one statement traces a path of any length (shared/cable/PathSql.ts), and one for each type of
 * objects reads the objects on it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dictionary, type Row, type View, isDictionary } from "../Field.ts"
import { objectType } from "../Registry.ts"
import type CableTermination from "../types/dcim/CableTermination.ts"
import type Cable from "../types/dcim/Cable.ts"
import { endTypeIds, endpointIds, isEndpoint } from "../shared/cable/Ends.ts"
import { viewFor } from "./Read.ts"

export const cableType = objectType<typeof Cable>("dcim.cable")
/** The types at which paths begin and end, and those through which they lead. */
export const endpointTypes = endpointIds.map((id) => objectType(id))
export const throughTypes = endTypeIds.filter((id) => !isEndpoint(id)).map((id) => objectType(id))

const terminationType = objectType<typeof CableTermination>("dcim.cabletermination")

/**
 * Near ends, the cable, and the ends at its other side. Ends that have no cable are the last step; an end of a circuit has
 * its network or site at the other side there.
 */
export type Step = readonly [
  nearType: string,
  near: ReadonlyArray<number>,
  cable: number | null,
  farType: string | null,
  far: ReadonlyArray<number> | null,
  /** The type of the link in place of a cable. */
  linkType?: string
]

export interface Path {
  readonly id: number
  readonly steps: ReadonlyArray<Step>
  readonly is_active: boolean
  readonly is_complete: boolean
  readonly is_split: boolean
}

const resultOf = Effect.fnUntraced(function* (call: string, type: string, id: number) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly result: unknown }>(`select ${call}($1, $2::bigint) as result`, [
    type,
    `${id}`
  ])
  return found?.result
})

/** The path that begins at an endpoint; empty without a cable. */
export const traceFrom = (type: string, id: number) =>
  Effect.map(resultOf("rackwire_trace_from", type, id), (steps) => steps as ReadonlyArray<Step>)

/** The paths that lead over a port of a panel, or an end of a circuit. */
export const pathsThrough = (type: string, id: number) =>
  Effect.map(resultOf("rackwire_paths_through", type, id), (paths) => paths as ReadonlyArray<Path>)

const none = { related: new Map(), counts: new Map(), customFields: [] }

/** A view on all objects of these steps that the sender may see; the others it shows by their ids. */
export const viewOfSteps = (steps: ReadonlyArray<Step>, base: string) => {
  const ends = steps.flatMap(([nearType, near, link, farType, far, linkType]) =>
    [
      ...near.map((id) => ({ type: nearType, id })),
      ...(far ?? []).map((id) => ({ type: farType ?? nearType, id })),
      ...(linkType === undefined || link === null ? [] : [{ type: linkType, id: link }])
    ].map((end) => ({ ...end, cable: linkType === undefined ? link : null }))
  )
  const rows = ends.map(({ type, id, cable }, at): Row => ({
    id: -1 - at,
    cable,
    termination_type: type,
    termination_id: id
  }))
  return viewFor(terminationType, rows, base, { ...none, related: new Map() })
}

/** The cable or the wireless link of a step; undefined where it has none, or the sender may not see it. */
export const linkOf = ([, , link, , , linkType = cableType.id]: Step, view: View) => {
  const row = link === null ? undefined : view.row(linkType, link)
  return row && { type: objectType(linkType), row }
}

/** Whether the sender may not see the cable of a step. */
export const isHidden = (step: Step, view: View): boolean => step[2] !== null && linkOf(step, view) === undefined

/**
 * The steps as far as the sender may see their cables: the ends of an unseen one are part of its content. The end before it
 * is shown as one without a cable.
 */
export const seenSteps = (steps: ReadonlyArray<Step>, view: View): ReadonlyArray<Step> => {
  const at = steps.findIndex((step) => isHidden(step, view))
  if (at < 0) return steps
  const [type, near] = steps[at]!
  return [...steps.slice(0, at), [type, near, null, null, null]]
}

/** The object that a port belongs to, by its representation: its device, its power panel or its circuit. */
export const parentOf = (end: Dictionary): Dictionary | undefined =>
  ["device", "virtual_machine", "power_panel", "circuit"].map((name) => end[name]).find(isDictionary)
