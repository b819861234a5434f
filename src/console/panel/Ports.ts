/** The ports of a device or of a virtual machine, a table for each kind, read by one statement whatever their number. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { Clearance, mayDo } from "../../inventory/Clearance.ts"
import { isNothing } from "../../inventory/derive/filter/Where.ts"
import type { View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type PortsOfType, portsMax, portsOf } from "../../inventory/read/Ports.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { writtenTypes } from "../form/Opened.ts"
import { icon } from "../frame/Icon.ts"
import { bulkActions, bulkBar } from "../list/BulkBar.ts"
import { number } from "../list/Pager.ts"
import { returnName, withQuery } from "../list/Query.ts"
import { pageRights } from "../value/May.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { card, drawing } from "./Panel.ts"
import { columnsFor, portRow, portTable } from "./part/PortTable.ts"

const cableType = objectType("dcim.cable")

/** The query of the page by which its ports are filtered. */
const filterName = "ports"

export default drawing("ports", "wide", ({ types: ids, field }, { row, request }) =>
  Effect.gen(function* () {
    const { where } = yield* Clearance
    const types = ids.map((id) => objectType(id)).filter((type) => !isNothing(where(type, "view")))
    if (types.length === 0) return undefined
    const { ports, view } = yield* portsOf(types, { field, id: row.id }, request.base)
    const query = new URLSearchParams({ [`${field}_id`]: `${row.id}` })
    const kinds = ports.filter(({ rows }) => rows.length > 0)
    const drawn = yield* Effect.forEach(kinds, (kind) => kindDrawn(kind, view, query, request))
    const adds = types.filter((type) => writtenTypes.includes(type) && !isNothing(where(type, "add")))
    return card(
      "ports",
      "Ports",
      kinds.length === 0 ? html`<p class="note">There are none.</p>` : html`<div data-rows>${drawn}</div>`,
      html`${kinds.length === 0 ? "" : filterForm(request)}<span class="grow"></span>${addMenu(adds, field, row.id)}`
    )
  })
)

/** `query`: the filter of a list that has all of the kind. */
const kindDrawn = Effect.fnUntraced(function* (
  { type, rows, addresses }: PortsOfType,
  view: View,
  query: URLSearchParams,
  request: Request
) {
  const words = wordsIn(request)
  const columns = columnsFor(type, addresses)
  const actions = bulkActions(type, yield* pageRights(type))
  const mayConnect = Object.hasOwn(type.fields, "cable") && (yield* mayDo(cableType, "add"))
  const isSelectable = actions.length > 0
  const lines = yield* mapInSlices(rows.slice(0, portsMax), (port) =>
    portRow({ type, row: port, view, columns, isSelectable, mayConnect })
  )
  const found = lines.filter((line) => matches(line, words))
  const isCut = rows.length > portsMax
  const total = isCut ? `more than ${number(portsMax)}` : number(rows.length)
  const count = found.length
  const all = withQuery(pathOf(type), query)
  const table = portTable({ type, columns, isSelectable, rows: found })
  const shown = isSelectable
    ? html`<form method="post">
        ${csrfInput(request)}${table}${bulkBar({ type, actions, query: withReturn(query, request), count, total: count })}
      </form>`
    : table
  return html`<div class="kind" data-kind>
    <h3 class="group">
      <a href="${all}">${pluralOf(type)}</a
      ><span class="cnt" data-count>${words.length === 0 ? total : `${number(count)} of ${total}`}</span>
    </h3>
    ${count === 0 ? html`<p class="note sub">None matches the filter.</p>` : shown}
    ${isCut ? html`<p class="note sub">The first ${portsMax} are shown. <a href="${all}">Show all</a></p>` : ""}
  </div>`
})

/** Bulk pages lead back to the page of the device. */
const withReturn = (query: URLSearchParams, { url }: Request): URLSearchParams =>
  new URLSearchParams([...query, [returnName, `${url.pathname}${url.search}#ports`]])

const wordsIn = ({ url }: Request): ReadonlyArray<string> =>
  (url.searchParams.get(filterName) ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")

/** Whether the text of a row has all words, in any order. */
const matches = (line: Html, words: ReadonlyArray<string>): boolean => {
  if (words.length === 0) return true
  const text = line.text.replaceAll(/<[^>]*>/g, " ").toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Filters at once with the script, and without it by the query of the page. */
const filterForm = ({ url }: Request): Html =>
  html`<form class="inline" method="get" action="${url.pathname}#ports" role="search" aria-label="Filter ports">
    <label class="visually-hidden" for="filter-ports">Filter ports</label
    ><input
      class="field-in"
      id="filter-ports"
      type="search"
      name="${filterName}"
      placeholder="Filter ports"
      autocomplete="off"
      maxlength="100"
      value="${url.searchParams.get(filterName) ?? ""}"
      data-filter-rows
    /><button class="btn btn-sm">${icon("filter")}Filter</button>
  </form>`

const addMenu = (types: ReadonlyArray<ObjectType>, field: string, id: number): Html =>
  types.length === 0
    ? html``
    : html`<details class="menu">
        <summary class="btn btn-sm">${icon("plus")}Add</summary>
        <ul class="menu-list">
          ${types.map((type) => html`<li><a href="${pathOf(type)}add/?${field}=${id}">Add ${nameOf(type)}</a></li>`)}
        </ul>
      </details>`
