/** The paths of cables from an object, as a picture: each hop with the status of its cable, and where the path breaks. */
import { Effect } from "effect"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { View } from "../../inventory/Field.ts"
import { type Step, endpointTypes, isHidden, pathsThrough, seenSteps, traceFrom } from "../../inventory/read/Paths.ts"
import { html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { hopsOf, pictured } from "./part/TracePicture.ts"
import { card, drawing } from "./Panel.ts"

/** Most paths that are shown of those that lead over a port. */
const pathsMax = 4

export default drawing("trace", "side", (_, { type, row, request }) =>
  Effect.gen(function* () {
    const { paths, view } = yield* pathsOf(type, row.id, request.base)
    if (paths.length === 0) return undefined
    const shown = paths.slice(0, pathsMax)
    const seen = shown.flatMap((steps) => stepsSeen(type, steps, view))
    const pictures = seen.map((steps) => pictured(hopsOf(steps, view), { type: type.id, id: row.id }))
    if (pictures.length === 0) return undefined
    const rest = paths.length - shown.length
    return card(
      "trace",
      paths.length === 1 ? "Path" : "Paths",
      html`${pictures}${rest === 0 ? "" : html`<p class="note sub">and ${number(rest)} more paths over this port</p>`}`
    )
  })
)

const isEndpointType = (type: ObjectType): boolean => endpointTypes.includes(type)

/** The path that begins at an endpoint, or those that lead over a port of a panel. */
const pathsOf = (type: ObjectType, id: number, base: string) => {
  const port = { type: type.id, id }
  return isEndpointType(type)
    ? Effect.map(traceFrom(port, base), ({ steps, view }) => ({ paths: steps.length === 0 ? [] : [steps], view }))
    : Effect.map(pathsThrough(port, base, pathsMax), ({ paths, view }) => ({
        paths: paths.map(({ steps }) => steps),
        view
      }))
}

/** A path with a cable that the reader may not see ends before it; one that leads over a port is left out. */
const stepsSeen = (type: ObjectType, steps: ReadonlyArray<Step>, view: View): ReadonlyArray<ReadonlyArray<Step>> => {
  if (isEndpointType(type)) return [seenSteps(steps, view)]
  return steps.some((step) => isHidden(step, view)) ? [] : [steps]
}
