/** The page of a list: its tools, and the objects of the page or why there are none. */
import { Effect, Result } from "effect"
import { Settings } from "../../Config.ts"
import type { Request } from "../../http/wire/Request.ts"
import { pageOf } from "../../http/objects/Lists.ts"
import { exportTemplatesOf } from "../../http/objects/TemplateExport.ts"
import { sourceNames } from "../../history/source/SourceNames.ts"
import type { Row } from "../../inventory/Field.ts"
import { type Action, mayDo } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { type Html, html } from "../Html.ts"
import { withPageSize } from "../account/Preferences.ts"
import { csrfInput } from "../form/Csrf.ts"
import { writtenTypes } from "../form/Opened.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { formLeaves } from "../frame/InPlace.ts"
import { live, liveControl } from "../live/Following.ts"
import { drawnList } from "../rack/Drawn.ts"
import { pageRights } from "../value/May.ts"
import { groupOf } from "../frame/Menu.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { bulkActions, bulkBar } from "./BulkBar.ts"
import { columnsAsked } from "./Columns.ts"
import { columnsMenu } from "./ColumnsMenu.ts"
import { dressingOf, isLive, views } from "./Dressing.ts"
import { exportMenu } from "./ExportMenu.ts"
import { chips, filterForm } from "../filter/Filters.ts"
import { type NamedObjects, namedObjects } from "../filter/NamedObjects.ts"
import { objectTable } from "./ObjectTable.ts"
import { pager } from "./Pager.ts"
import { asApiReads } from "./Query.ts"
import { type FilterDraft, savedFilters } from "../filter/SavedFilters.ts"
import { empty, problemOf } from "./States.ts"

type May = (action: Action) => boolean

/** `unsaved`: what the form that saves filters held when it was sent and not saved. */
export const listPage = Effect.fnUntraced(function* (type: ObjectType, request: Request, unsaved?: FilterDraft) {
  const query = request.url.searchParams
  const named = yield* namedObjects(type, query, request.base)
  const may = yield* pageRights(type)
  const mayAdd = writtenTypes.includes(type) && (yield* mayDo(type, "add"))
  const found = yield* Effect.result(pageOf(type, withPageSize(asApiReads(request)), true))
  const problem = Result.isFailure(found) ? problemOf(type, found.failure, request) : undefined
  // An error that has no words here is one of the whole request.
  if (Result.isFailure(found) && problem === undefined) return yield* found.failure
  const templates = yield* exportTemplatesOf(type)
  return yield* framed(request, {
    title: pluralOf(type),
    crumbs: [[groupOf(type)]],
    actions: html`${may("add") ? html`<a class="btn btn-sm" href="${pathOf(type)}import/">${icon("upload")}Import</a>` : ""}
      ${yield* drawnList(type, query)}${exportMenu(
        type,
        query,
        templates.map(({ name }) => name)
      )}
      <a class="btn btn-sm" href="${type.path}">${icon("code")}API</a>
      ${mayAdd ? html`<a class="btn btn-sm btn-primary" data-key="a" href="${pathOf(type)}add/">${icon("plus")}Add ${nameOf(type)}</a>` : ""}`,
    isInPlace: true,
    main: html`<div class="tools">
        ${quickSearch(type, query)}${yield* filterForm(type, pathOf(type), query, named)}${yield* savedFilters(type, request, unsaved)}
        ${views(type, query)}<span class="grow"></span
        >${isLive(type) && unsaved === undefined ? liveControl : ""}${columnsMenu(type, request, columnsAsked(type, request))}
      </div>
      <div class="chips">${chips(type, query, named)}</div>
      ${Result.isSuccess(found) ? yield* objects(type, found.success, request, named, may) : problem!.shown}`,
    status: problem?.status ?? (Object.keys(unsaved?.errors ?? {}).length === 0 ? 200 : 400)
  })
})

const objects = Effect.fnUntraced(function* (
  type: ObjectType,
  { rows, view, bounds, where }: Effect.Success<ReturnType<typeof pageOf>>,
  request: Request,
  named: NamedObjects,
  may: May
) {
  const query = request.url.searchParams
  const total = yield* countBeside(type, where, bounds, rows.length)
  const { offset, limit = Math.max(rows.length, 1) } = bounds
  if (rows.length === 0) return html`<div class="card">${empty(type, query, named, may, total > 0)}</div>`
  const actions = bulkActions(type, may)
  const isSelectable = actions.length > 0
  const dress = dressingOf(type.id)
  const columns = columnsAsked(type, request)
  const dressed = dress === undefined ? undefined : yield* dress(rows)
  // Columns that the reader chose take the place of those.
  const dressing = dressed !== undefined && columns.length > 0 ? { ...dressed, columns: [] } : dressed
  const sourceOf = yield* sourceNames(typesIn(type, rows))
  const table = yield* objectTable({ type, rows, view, columns, query, isSelectable, dressing, sourceOf })
  const { pageSizeMax } = yield* Settings
  const shown = { query, limit, offset, count: rows.length, total }
  const shownTable = live("objects", table)
  return html`${dressing === undefined ? "" : live(dressing.aboveId, dressing.above)}
    <div class="card">
      ${isSelectable ? html`<form method="post" ${formLeaves}>${csrfInput(request)}${shownTable}${bulkBar({ type, actions, ...shown })}</form>` : shownTable}
      ${pager({ ...shown, most: pageSizeMax })}
    </div>`
})

/** The object types that rows of a log name. */
const typesIn = ({ fields }: ObjectType, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  Object.keys(fields).flatMap((name) =>
    fields[name]!.describes === undefined ? [] : rows.map((row) => String(row[name]))
  )

/** Searches while its reader types. */
const quickSearch = (type: ObjectType, query: URLSearchParams): Html =>
  html`<form
    class="qs"
    method="get"
    action="${pathOf(type)}"
    role="search"
    aria-label="Quick search"
    hx-trigger="input changed delay:400ms, submit"
  >
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
