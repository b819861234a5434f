/** Paths over cables: one statement traces a path of any length (shared/cable/PathSql.ts) and reads the objects on it. */
import { Effect } from "effect"
import { literal } from "../../postgres/Literal.ts"
import { Clearance } from "../Clearance.ts"
import { type Dictionary, type View, isDictionary } from "../Field.ts"
import { objectType } from "../Registry.ts"
import type Cable from "../types/dcim/Cable.ts"
import { nestedRows } from "../derive/represent/NestedRows.ts"
import { endTypeIds, endpointIds, isEndpoint } from "../shared/cable/Ends.ts"
import { viewOfRows } from "./Read.ts"
import { readTyped } from "./Unread.ts"

export const cableType = objectType<typeof Cable>("dcim.cable")
/** The types at which paths begin and end, and those through which they lead. */
export const endpointTypes = endpointIds.map((id) => objectType(id))
export const throughTypes = endTypeIds.filter((id) => !isEndpoint(id)).map((id) => objectType(id))

/** The types at which a path over a circuit ends without a port. */
export const outsideIds: ReadonlyArray<string> = ["dcim.site", "circuits.providernetwork"]

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

/** The types of what a path leads over, and of where it ends without a port. */
const onPaths = [...endTypeIds, cableType.id, "wireless.wirelesslink", ...outsideIds].map((id) => objectType(id))

/** Calls a function that gives steps, and reads the objects on those that `path` finds in its result. */
const traced = Effect.fnUntraced(function* (call: string, port: PortKey, path: string, base: string) {
  const { where } = yield* Clearance
  const parameters: Array<unknown> = [port.type, `${port.id}`]
  const nested = nestedRows(
    onPaths.map((target) => ({ target, ids: `select id from ends where kind = ${literal(target.id)}` })),
    (target) => where(target, "view"),
    (value) => `$${parameters.push(value)}`
  )
  const { objects, marked } = yield* readTyped(
    `with traced as materialized (select ${call}($1, $2::bigint) as result),
      steps as materialized (select s.step from traced, jsonb_path_query(result, ${literal(path)}) s(step)),
      ends as materialized (
        select step ->> 0 as kind, e.id::bigint as id from steps, jsonb_array_elements_text(step -> 1) e(id)
        union select coalesce(step ->> 3, step ->> 0), e.id::bigint
          from steps, jsonb_array_elements_text(case jsonb_typeof(step -> 4) when 'array' then step -> 4 else '[]' end) e(id)
        union select coalesce(step ->> 5, ${literal(cableType.id)}), (step ->> 2)::bigint from steps where step ->> 2 is not null),
      ${nested.tables.join(",\n")}
      ${["select '#result' as type, result::json as row from traced", ...nested.branches].join(" union all ")}`,
    parameters
  )
  return { result: marked.get("#result")?.[0], view: yield* viewOfRows(objects, base) }
})

/** A port, by its type and id. */
interface PortKey {
  readonly type: string
  readonly id: number
}

/**
 * The path that begins at an endpoint, empty without a cable, and a view on the objects on it that the sender may see; the
 * others it shows by their ids. One statement, however long the path is.
 */
export const traceFrom = (port: PortKey, base: string) =>
  Effect.map(traced("rackwire_trace_from", port, "$[*]", base), ({ result, view }) => ({
    steps: result as ReadonlyArray<Step>,
    view
  }))

/** The paths that lead over a port of a panel, or an end of a circuit, and a view on the objects on the first `most`. */
export const pathsThrough = (port: PortKey, base: string, most?: number) =>
  Effect.map(
    traced("rackwire_paths_through", port, `$[${most === undefined ? "*" : `0 to ${most - 1}`}].steps[*]`, base),
    ({ result, view }) => ({ paths: result as ReadonlyArray<Path>, view })
  )

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
