/** Paths from endpoints, as JSON and as a picture, and paths through panels and circuits. */
import { Effect } from "effect"
import { inSlices, mapInSlices } from "../../eventloop/Slices.ts"
import { type View, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import {
  type Step,
  cableType,
  endpointTypes,
  isHidden,
  linkOf,
  parentOf,
  throughTypes,
  pathsThrough,
  seenSteps,
  traceFrom
} from "../../inventory/read/Paths.ts"
import { declaring, endpoint } from "../declare/Endpoint.ts"
import { brief, described, flag, integer, listOf, object, oneOrMany, record, string } from "../declare/Parts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { rowOf } from "../objects/Objects.ts"
import { pictureReply, svgType } from "../wire/Picture.ts"
import type { Route } from "../Route.ts"
import { type End, type Segment, traceSvg } from "./TraceSvg.ts"

/** Width of the picture, pixels: NetBox's, and what is accepted. */
const widthUsual = 400
const widthMin = 100
const widthMax = 4000

type Nested = Readonly<Record<string, unknown>>

const ends = (type: string | null, ids: ReadonlyArray<number> | null, view: View): ReadonlyArray<Nested> =>
  type === null ? [] : (ids ?? []).flatMap((id) => [view.nested(type, id) ?? []].flat())

/** Fields of a cable in a trace, where NetBox shows choices by their value alone. */
const cableFields = ["id", "url", "type", "status", "label", "color", "length", "length_unit", "description"]

/** A wireless link has the fields of a cable too, and its SSID as the label. */
const cableIn = (step: Step, view: View) => {
  const link = linkOf(step, view)
  if (link === undefined) return undefined
  const json = representation(link.type, link.row, view)
  const own: Nested = link.type === cableType ? json : { ...json, label: json["ssid"], type: "", color: "" }
  return Object.fromEntries(
    cableFields.map((name) => {
      const value = own[name] ?? null
      return [name, isDictionary(value) ? value["value"] : value]
    })
  )
}

const segmentOf = (step: Step, view: View) => {
  const [nearType, near, , farType, far] = step
  return [ends(nearType, near, view), cableIn(step, view) ?? [], ends(farType, far, view)]
}

const pageOf = (url: unknown, base: string): string => String(url).replace(`${base}/api/`, `${base}/`)

const namedEnd = (end: Nested, base: string): End => {
  const parent = parentOf(end)
  return {
    display: String(end["display"]),
    page: pageOf(end["url"], base),
    parent: parent === undefined ? undefined : { display: String(parent["display"]), page: pageOf(parent["url"], base) }
  }
}

const pictured = (step: Step, view: View): Segment => {
  const [nearType, near, , farType, far] = step
  const cable = cableIn(step, view)
  return {
    near: ends(nearType, near, view).map((end) => namedEnd(end, view.base)),
    far: ends(farType, far, view).map((end) => namedEnd(end, view.base)),
    link: cable && {
      display: String(cable["label"]) || `#${String(cable["id"])}`,
      page: pageOf(cable["url"], view.base),
      color: String(cable["color"]),
      isConnected: cable["status"] === "connected"
    }
  }
}

const widthIn = (text: string | null): number | undefined => {
  if (text === null) return widthUsual
  const width = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return width >= widthMin && width <= widthMax ? width : undefined
}

const trace = (type: ObjectType) =>
  declaring(
    {
      summary: `The path from a ${type.label}: near ends, cable and far ends, again and again`,
      query: {
        render: described(string, "`svg` for a picture."),
        width: described(integer, "Width of the picture, pixels.")
      },
      reply: listOf(listOf(oneOrMany(object)))
    },
    Effect.fnUntraced(function* (request) {
      const { id } = yield* rowOf(type, request)
      const query = request.url.searchParams
      const width = widthIn(query.get("width"))
      if (width === undefined) {
        const message = `Enter a whole number from ${widthMin} to ${widthMax}.`
        return yield* new HttpRefused({ reason: "InvalidBody", body: { width: [message] } })
      }
      const { steps, view } = yield* traceFrom({ type: type.id, id }, request.base)
      const seen = seenSteps(steps, view)
      if (query.get("render") !== "svg" && request.accepted !== svgType)
        return { status: 200, json: yield* mapInSlices(seen, (step) => segmentOf(step, view)) }
      const segments = yield* mapInSlices(seen, (step) => pictured(step, view))
      return pictureReply(yield* inSlices(traceSvg(segments, width)))
    })
  )

const paths = (type: ObjectType) =>
  endpoint(
    {
      summary: `The paths that lead over a ${type.label}`,
      reply: listOf(
        record({ id: integer, path: listOf(listOf(brief)), is_active: flag, is_complete: flag, is_split: flag })
      )
    },
    Effect.fnUntraced(function* (request) {
      const { id } = yield* rowOf(type, request)
      const { paths: found, view } = yield* pathsThrough({ type: type.id, id }, request.base)
      // The ends of an unseen cable are part of its content.
      const seen = found.filter(({ steps }) => !steps.some((step) => isHidden(step, view)))
      const json = yield* mapInSlices(seen, ({ steps, ...path }) => ({
        ...path,
        path: steps.flatMap((step) => nodesOf(step, view))
      }))
      return { status: 200, json }
    })
  )

const nodesOf = ([nearType, near, cable, farType, far]: Step, view: View) => {
  const first = ends(nearType, near, view)
  const link = cable === null ? [] : [ends(cableType.id, [cable], view)]
  return farType === null ? [first] : [first, ...link, ends(farType, far, view)]
}

export default [
  ...endpointTypes.map((type): Route => {
    const produces = ["application/json", svgType]
    return { path: `${type.path}:id/trace/`, access: type, produces, methods: { GET: trace(type) } }
  }),
  ...throughTypes.map((type): Route => ({
    path: `${type.path}:id/paths/`,
    access: type,
    methods: { GET: paths(type) }
  }))
] satisfies ReadonlyArray<Route>
