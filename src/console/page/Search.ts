/** `/search/?q=`: objects of every type whose searched fields hold a text. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import type { Row } from "../../inventory/Field.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../part/Frame.ts"
import { pathOf, pluralOf } from "../part/Title.ts"

/** Most objects of a type that the page shows. */
const shownMax = 5

interface Found {
  readonly type: ObjectType
  readonly rows: ReadonlyArray<Row>
  readonly displays: ReadonlyArray<string>
}

const show: Handler = (request) =>
  Effect.gen(function* () {
    const text = (request.url.searchParams.get("q") ?? "").trim().slice(0, 200)
    const found = text === "" ? [] : yield* search(text, request.base)
    return yield* framed(request, {
      title: text === "" ? "Search" : `Search: ${text}`,
      main: found.length > 0 ? results(found, text) : nothing(text)
    })
  })

const search = Effect.fnUntraced(function* (text: string, base: string) {
  const visible = yield* visibleToSender
  const types = [...registry.values()].filter(
    (type) => type.kind === "object" && type.search.length > 0 && visible(type).sql !== "false"
  )
  const found: Array<Found> = []
  for (const type of types) {
    const filtered = filter(type, [["q", text]], visible)
    if ("errors" in filtered) continue
    const { rows, beside } = yield* readPage(type, {
      where: filtered.where,
      ordering: [],
      limit: shownMax + 1,
      offset: 0
    })
    if (rows.length === 0) continue
    const view = yield* viewFor(type, rows, base, beside)
    found.push({ type, rows, displays: rows.map((row) => type.display(row, view)) })
  }
  return found
})

const results = (found: ReadonlyArray<Found>, text: string): Html =>
  html`<div class="tile-grid">
    ${found.map(
      ({ type, rows, displays }) =>
        html`<section class="card">
          <div class="ch"><h2>${pluralOf(type)}</h2></div>
          <ul class="rel">
            ${rows.slice(0, shownMax).map(({ id }, at) => html`<li><a href="${pathOf(type, id)}">${displays[at]!}</a></li>`)}
            ${
              rows.length > shownMax
                ? html`<li>
                    <a href="${pathOf(type)}?q=${encodeURIComponent(text)}"><span class="sub">All that match</span></a>
                  </li>`
                : ""
            }
          </ul>
        </section>`
    )}
  </div>`

const nothing = (text: string): Html =>
  html`<div class="card">
    <div class="empty">
      ${text === "" ? html`<b>Search all objects</b>By name, slug, address, description or comment.` : html`<b>No object matches.</b>Only objects that you may view are searched.`}
    </div>
  </div>`

export default { path: "/search/", access: "open", methods: { GET: show } } satisfies Route
