/** `/<app>/<type>/`: the list of every object type, from its declaration alone. */
import { Effect, Result } from "effect"
import { HttpRefused } from "../../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../../http/Route.ts"
import { pageOf } from "../../../http/objects/Lists.ts"
import { cleared } from "../../../inventory/Clearance.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { registry } from "../../../inventory/Registry.ts"
import { countBeside } from "../../../inventory/read/Count.ts"
import { type Html, html } from "../../Html.ts"
import { columnsAsked } from "../../part/list/Columns.ts"
import { chips, filterForm } from "../../part/list/FilterForm.ts"
import { framed } from "../../part/Frame.ts"
import { icon } from "../../part/Icon.ts"
import { groupOf } from "../../part/Menu.ts"
import { objectTable } from "../../part/list/ObjectTable.ts"
import { pager } from "../../part/list/Pager.ts"
import { withoutBlanks } from "../../part/list/Query.ts"
import { nameOf, pathOf, pluralOf } from "../../part/Title.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const query = request.url.searchParams
      const filled = withoutBlanks(query)
      if (filled.size < query.size) return redirect(`${request.url.pathname}?${filled}`)
      const found = yield* Effect.result(pageOf(type, request))
      // A filter that cannot be understood is told above the list, and shows no objects.
      const refused = Result.isFailure(found) ? found.failure : undefined
      if (refused !== undefined && !(refused instanceof HttpRefused && refused.status === 400)) return yield* refused
      const results = Result.isSuccess(found) ? yield* objects(type, found.success, query) : refusal(refused)
      const mayAdd = type.kind === "object" && (yield* cleared(type, "add")).sql !== "false"
      return yield* framed(request, {
        title: pluralOf(type),
        crumbs: [[groupOf(type)]],
        actions: html`<a class="btn btn-sm" href="${type.path}export/?format=csv&${query.toString()}" download
            >${icon("download")}Export</a
          >
          <a class="btn btn-sm" href="${type.path}">${icon("code")}API</a>
          ${mayAdd ? html`<a class="btn btn-sm btn-primary" data-key="a" href="${pathOf(type)}add/">${icon("plus")}Add ${nameOf(type)}</a>` : ""}`,
        main: html`<div class="tools">${quickSearch(query)}${filterForm(type, query)}${chips(query)}</div>
          ${results}`,
        status: refused === undefined ? 200 : 400
      })
    })

const objects = Effect.fnUntraced(function* (
  type: ObjectType,
  { rows, view, bounds, where }: Effect.Success<ReturnType<typeof pageOf>>,
  query: URLSearchParams
) {
  const total = yield* countBeside(type, where, bounds, rows.length)
  const { offset, limit = Math.max(rows.length, 1) } = bounds
  if (rows.length === 0) return html`<div class="card">${empty(type, query)}</div>`
  return html`<div class="card">
    ${objectTable({ type, rows, view, columns: columnsAsked(type, query), query })}
    ${pager({ query, limit, offset, count: rows.length, total })}
  </div>`
})

const empty = (type: ObjectType, query: URLSearchParams): Html =>
  query.size === 0
    ? html`<div class="empty">
        <b>There are no ${pluralOf(type)} that you may view.</b>Add them with the REST API or an import.
      </div>`
    : html`<div class="empty"><b>No object matches.</b><a href="?">Remove all filters</a></div>`

const refusal = (refused: HttpRefused | undefined): Html =>
  html`<div class="alert-line" role="alert">
    ${Object.entries((refused?.body ?? {}) as Readonly<Record<string, unknown>>).map(
      ([name, messages]) => html`<div><b>${name}</b>: ${[messages].flat().map(String).join(" ")}</div>`
    )}
  </div>`

const quickSearch = (query: URLSearchParams): Html =>
  html`<form class="qs" method="get" role="search" aria-label="Quick search">
    ${icon("search")}<label class="visually-hidden" for="quick">Quick search</label
    ><input
      id="quick"
      type="search"
      name="q"
      placeholder="Quick search"
      autocomplete="off"
      maxlength="200"
      value="${query.get("q") ?? ""}"
    />
    ${[...query].flatMap(([name, value]) => (name === "q" || name === "offset" ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`]))}
  </form>`

export default [...registry.values()].map((type): Route => ({
  path: type.path.slice("/api".length),
  access: type,
  methods: { GET: show(type) }
}))
