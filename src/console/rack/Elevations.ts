/** `/dcim/rack-elevations/`: racks side by side, those that the filters of the list of racks find. */
import { Effect, Result } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { pageOf } from "../../http/objects/Lists.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { deviceType, rackType } from "../../rack/Elevation.ts"
import type { Face } from "../../rack/Units.ts"
import { type Html, html } from "../Html.ts"
import { chips, filterForm } from "../filter/Filters.ts"
import { type NamedObjects, namedObjects } from "../filter/NamedObjects.ts"
import { filtered } from "../filter/OwnFilters.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { pager } from "../list/Pager.ts"
import { asApiReads, changed, withQuery } from "../list/Query.ts"
import { empty, problemOf } from "../list/States.ts"
import { missingView, pageRights } from "../value/May.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { valueOf } from "../value/Value.ts"
import { drawnRacks, faceTitle, movesWithin } from "./RackFigure.ts"
import { elevationsPath } from "./Drawn.ts"

/** Racks of a page, and the most that a reader may choose. */
const racksUsual = 10
const racksMax = 20

const faceIn = (query: URLSearchParams): Face => (query.get("rack_face") === "rear" ? "rear" : "front")

const show: Handler = (request) =>
  Effect.gen(function* () {
    if (!(yield* mayView(deviceType))) return yield* missingView(deviceType)
    const query = request.url.searchParams
    const face = faceIn(query)
    const named = yield* namedObjects(rackType, query, request.base)
    const found = yield* Effect.result(racksOf(boundedTo(asApiReads(request))))
    const problem = Result.isFailure(found) ? problemOf(rackType, found.failure, request) : undefined
    if (Result.isFailure(found) && problem === undefined) return yield* found.failure
    return yield* framed(request, {
      title: "Rack elevations",
      crumbs: [[groupOf(rackType)], [pluralOf(rackType), withQuery(pathOf(rackType), listed(query))]],
      isInPlace: true,
      main: html`<div class="tools">
          <nav class="spans" aria-label="Face">
            ${(["front", "rear"] as const).map(
              (each) =>
                html`<a
                  class="btn btn-sm"
                  href="${changed(query, { rack_face: each === "front" ? undefined : each })}"
                  ${each === face ? html`aria-current="true"` : ""}
                  >${faceTitle(each)}</a
                >`
            )}
          </nav>
          ${yield* filterForm(rackType, elevationsPath, query, named)}
        </div>
        <div class="chips">${chips(rackType, query, named)}</div>
        ${Result.isSuccess(found) ? yield* side(found.success, request, named, face) : problem!.shown}`,
      status: problem?.status ?? 200
    })
  })

/** The query of the list of the same racks. */
const listed = (query: URLSearchParams): URLSearchParams => {
  const next = new URLSearchParams(query)
  for (const name of ["rack_face", "limit", "offset"]) next.delete(name)
  return next
}

/** At most so many racks: each is drawn. */
const boundedTo = (request: Request): Request => {
  const url = new URL(request.url)
  const limit = url.searchParams.get("limit") ?? ""
  const wanted = /^[1-9]\d?$/.test(limit) ? Number(limit) : racksUsual
  url.searchParams.set("limit", `${Math.min(wanted, racksMax)}`)
  return { ...request, url }
}

const side = Effect.fnUntraced(function* (
  { rows, view, bounds, where }: Effect.Success<ReturnType<typeof racksOf>>,
  request: Request,
  named: NamedObjects,
  face: Face
) {
  const query = request.url.searchParams
  const total = yield* countBeside(rackType, where, bounds, rows.length)
  const may = yield* pageRights(rackType)
  if (rows.length === 0) return html`<div class="card">${empty(rackType, query, named, may, total > 0)}</div>`
  const drawn = yield* drawnRacks(
    rows.map(({ id }) => id),
    request,
    { faces: [face], isWorkplace: true }
  )
  const { offset, limit = rows.length } = bounds
  const placeOf = (type: string, id: number | null): Html | "" => {
    const shown = id === null ? null : view.nested(type, id)
    return shown === null ? "" : html` · ${valueOf(shown)}`
  }
  const figures = drawn.racks.map(
    ({ rack, name, used, pictures }) =>
      html`<figure>
        <figcaption>
          <a href="${pathOf(rackType, rack.id)}"><b>${name}</b></a>
          <span class="sub links"
            >${used}&nbsp;% used${placeOf("dcim.site", rack.site)}${placeOf("dcim.location", rack.location)}</span
          >
        </figcaption>
        ${pictures.map((each) => each.drawn)}
      </figure>`
  )
  return html`<div class="card">
    ${movesWithin(
      request,
      drawn.canMove,
      html`<div class="racks" tabindex="0" role="region" aria-label="${faceTitle(face)} of ${rows.length} racks">
        ${figures}
      </div>`
    )}
    ${pager({ query, limit, offset, count: rows.length, total, most: racksMax, sizes: [racksUsual, racksMax] })}
  </div>`
})

const racksOf = (request: Request) => pageOf(rackType, request, true)

/** NetBox names the face by a parameter that devices have as a filter. */
const renamed: Handler = (request) => {
  const { searchParams: query, pathname } = request.url
  const face = query.get("face")
  return face === null
    ? filtered(rackType, show)(request)
    : Effect.succeed(
        redirect(pathname + changed(query, { face: undefined, rack_face: face === "rear" ? face : undefined }))
      )
}

export default { path: elevationsPath, access: rackType, methods: { GET: renamed } } satisfies Route
