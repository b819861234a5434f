/**
 * `/dcim/topology/`: the devices that the filters of the list of devices find, and the cables between them, as a picture;
 * `/dcim/topology/svg/` is the same picture as a file.
 */
import { Effect, Result } from "effect"
import { HttpRefused } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { pictureFile, svgType } from "../../http/wire/Picture.ts"
import { filteredBy, refuseMissing } from "../../http/query/Strict.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Topology, cableStatuses, deviceType, devicesMax } from "../../topology/Devices.ts"
import { dashesOf } from "../../topology/Picture.ts"
import { type Grouping, groupings, topologyPicture } from "../../topology/Topology.ts"
import { Html, html } from "../Html.ts"
import { chips, filterForm } from "../filter/Filters.ts"
import { namedObjects } from "../filter/NamedObjects.ts"
import { filtered } from "../filter/OwnFilters.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { asApiReads, changed, withQuery } from "../list/Query.ts"
import { empty, problemOf } from "../list/States.ts"
import { topologyPath } from "../rack/Drawn.ts"
import { pageRights } from "../value/May.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

const cablesGroup = "Connections"

/** The parameter of the query that selects cables and wireless links by their status. */
const statusName = "cable_status"

const groupingIn = (query: URLSearchParams): Grouping => {
  const name = query.get("group_by") ?? ""
  return Object.hasOwn(groupings, name) ? (name as Grouping) : "rack"
}

/** The statuses of cables that the query selects; undefined for all. Fails with 400. */
const statusesIn = (query: URLSearchParams) => {
  const given = query.getAll(statusName).filter((status) => status !== "")
  const unknown = given.find((status) => !Object.hasOwn(cableStatuses, status))
  if (unknown === undefined) return Effect.succeed(given.length === 0 ? undefined : given)
  const message = `Cables have no status ${unknown.slice(0, 100)}.`
  return Effect.fail(new HttpRefused({ reason: "InvalidQuery", body: { [statusName]: [message] } }))
}

/** The picture that the query selects. Fails with 400. */
const drawn = Effect.fnUntraced(function* (request: Request) {
  const query = request.url.searchParams
  const statuses = yield* statusesIn(query)
  const { where, named } = yield* filteredBy(deviceType, asApiReads(request))
  const found = yield* topologyPicture(where, { grouping: groupingIn(query), statuses }, request.base)
  yield* refuseMissing(named, found.topology.total)
  return found
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const query = request.url.searchParams
    const found = yield* Effect.result(drawn(request))
    const problem = Result.isFailure(found) ? problemOf(deviceType, found.failure, request) : undefined
    if (Result.isFailure(found) && problem === undefined) return yield* found.failure
    const named = yield* namedObjects(deviceType, query, request.base)
    const may = yield* pageRights(deviceType)
    return yield* framed(request, {
      title: "Topology",
      crumbs: [[cablesGroup], [pluralOf(deviceType), withQuery(pathOf(deviceType), listed(query))]],
      actions: html`<a class="btn btn-sm" href="${withQuery(`${topologyPath}svg/`, query)}"
        >${icon("download")}Download as SVG</a
      >`,
      isInPlace: true,
      main: html`<div class="tools">
          <span class="sub" id="group-by">Boxes by</span>
          <nav class="spans" aria-labelledby="group-by">
            ${Object.entries(groupings).map(
              ([name, title]) =>
                html`<a
                  class="btn btn-sm"
                  href="${changed(query, { group_by: name === "rack" ? undefined : name })}"
                  ${name === groupingIn(query) ? html`aria-current="true"` : ""}
                  >${title}</a
                >`
            )}
          </nav>
          <span class="sub" id="cable-status">Cables</span>
          <nav class="spans" aria-labelledby="cable-status">
            ${[[undefined, "All"] as const, ...Object.entries(cableStatuses)].map(
              ([name, title]) =>
                html`<a
                  class="btn btn-sm"
                  href="${changed(query, { [statusName]: name })}"
                  ${isChosen(query, name) ? html`aria-current="true"` : ""}
                  >${title}</a
                >`
            )}
          </nav>
          ${yield* filterForm(deviceType, topologyPath, query, named)}
        </div>
        <div class="chips">${chips(deviceType, query, named)}</div>
        ${
          Result.isFailure(found)
            ? problem!.shown
            : found.success.topology.devices.length === 0
              ? html`<div class="card">${empty(deviceType, query, named, may, false)}</div>`
              : card(found.success.topology, new Html(found.success.picture))
        }`,
      status: problem?.status ?? 200
    })
  })

/** The query of the list of the same devices. */
const listed = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => name !== "group_by" && name !== statusName))

/** Whether the query selects cables of the status; undefined for all. */
const isChosen = (query: URLSearchParams, status: string | undefined): boolean => {
  const given = query.getAll(statusName).filter((each) => each !== "")
  return status === undefined ? given.length === 0 : given.includes(status)
}

/** `3 devices, 4 cables`; wireless links are named where there are some. */
const countsOf = ({ devices, joining, links }: Topology): string =>
  [
    counted(devices.length, "device"),
    counted(joining, "cable"),
    ...(links === 0 ? [] : [counted(links, "wireless link")])
  ].join(", ")

/** The tools need the script (topology.js), which shows them; without it the picture is scrolled. */
const card = (topology: Topology, picture: Html): Html =>
  html`<section class="card topology-card" aria-labelledby="picture">
    <div class="ch">
      <h2 id="picture">${countsOf(topology)}</h2>
      <span class="grow"></span>
      <span class="topology-tools" data-topology-tools hidden>
        <button class="btn btn-sm" type="button" data-zoom="in" aria-label="Larger">${icon("plus")}</button>
        <button class="btn btn-sm" type="button" data-zoom="out" aria-label="Smaller">${icon("minus")}</button>
        <button class="btn btn-sm" type="button" data-zoom="fit">Whole picture</button>
        <button class="btn btn-sm" type="button" data-reset hidden>${icon("restore")}Places as drawn</button>
      </span>
    </div>
    ${notes(topology).map((note) => html`<p class="note">${note}</p>`)}
    <p class="note" data-topology-help hidden>
      Drag a device to move it, or focus it and press <kbd>Shift</kbd> with an arrow; it keeps its place in this tab of
      the browser. <kbd>+</kbd>, <kbd>-</kbd> and <kbd>0</kbd> change the size, and so does the wheel with
      <kbd>Ctrl</kbd>.
    </p>
    <div class="topology" data-topology tabindex="0" role="region" aria-label="Picture of devices and cables">
      ${picture}
    </div>
    <ul class="legend topology-legend">
      ${legend.map(([name, title]) => html`<li><svg width="34" height="8" aria-hidden="true">${line(name)}</svg>${title}</li>`)}
    </ul>
  </section>`

const legend = [
  ["", "Connected"],
  [dashesOf.planned, "Planned"],
  [dashesOf.decommissioning, "Decommissioning"],
  [dashesOf.wireless, "Wireless"]
] as const

const line = (dashes: string): Html =>
  html`<path
    class="cable"
    d="M0 4H34"
    fill="none"
    stroke="#7b8794"
    stroke-width="2"
    ${dashes === "" ? "" : html`stroke-dasharray="${dashes}"`}
  />`

const counted = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? "" : "s"}`

/** The parts of the selection that the picture leaves out. */
const notes = ({ total, devices, cables, joining, pairs, lines }: Topology): ReadonlyArray<string> => {
  const [left, leading] = [total - devices.length, cables - joining]
  return [
    ...(left > 0
      ? [
          `${counted(left, "device")} of ${number(total)} left out: a picture has at most ${number(devicesMax)}. Filters select others.`
        ]
      : []),
    ...(leading > 0
      ? [`${counted(leading, "cable")} of these devices ${leading === 1 ? "leads" : "lead"} elsewhere.`]
      : []),
    ...(pairs > lines.length
      ? [`The lines between ${number(pairs - lines.length)} pairs of devices with fewest cables are left out.`]
      : [])
  ]
}

const download: Handler = (request) => Effect.map(drawn(request), ({ picture }) => pictureFile(picture, "topology.svg"))

export default [
  { path: topologyPath, access: deviceType, methods: { GET: filtered(deviceType, show) } },
  { path: `${topologyPath}svg/`, access: deviceType, produces: [svgType], methods: { GET: download } }
] satisfies ReadonlyArray<Route>
