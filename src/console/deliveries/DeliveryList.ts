/** `/extras/deliveries/`: deliveries over time, by their values, and one by one. */
import { Clock, Effect, Result } from "effect"
import { Settings } from "../../Config.ts"
import { facets } from "../../history/log/Facets.ts"
import { type Histogram, histogram } from "../../history/log/Histogram.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { pageOf } from "../../http/objects/Lists.ts"
import { deliveriesOf, searchedIn } from "../../http/deliveries/Statistics.ts"
import { searchedMax } from "../../inventory/Asked.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { type Html, html } from "../Html.ts"
import { withPageSize } from "../account/Preferences.ts"
import { ofUsualTime } from "./Asked.ts"
import { deliveryRows } from "./DeliveryRows.ts"
import { sourceNames } from "../../history/source/SourceNames.ts"
import { facetList } from "./FacetList.ts"
import { histogramChart } from "./HistogramChart.ts"
import { actionBar, contentSearch, spanLinks } from "./Tools.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { formLeaves } from "../frame/InPlace.ts"
import { groupOf } from "../frame/Menu.ts"
import { columnsAsked } from "../list/Columns.ts"
import { columnsMenu } from "../list/ColumnsMenu.ts"
import { exportMenu } from "../list/ExportMenu.ts"
import { askedFilter, chips, filterForm } from "../filter/Filters.ts"
import { type NamedObjects, namedObjects, withIds } from "../filter/NamedObjects.ts"
import { number, pager } from "../list/Pager.ts"
import { asApiReads, withQuery, withoutBlanks } from "../list/Query.ts"
import { savedFilters } from "../filter/SavedFilters.ts"
import { empty, problemOf } from "../list/States.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { live, liveControl, withLive } from "../live/Following.ts"

const list = pathOf(deliveryType)

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { searchParams: query } = request.url
    const filled = yield* withIds(deliveryType, withoutBlanks(askedFilter(query) ?? query), request.base)
    return `${filled}` === `${query}` ? yield* page(request) : redirect(withQuery(list, filled))
  })

const page = Effect.fnUntraced(function* (request: Request) {
  const query = request.url.searchParams
  const named = yield* namedObjects(deliveryType, query, request.base)
  const { request: placed, isUsual } = yield* ofUsualTime(request)
  const asked = asApiReads(placed)
  const found = yield* Effect.result(pageOf(deliveryType, withPageSize(asked), true))
  const problem = Result.isFailure(found) ? problemOf(deliveryType, found.failure, request) : undefined
  if (Result.isFailure(found) && problem === undefined) return yield* found.failure
  return yield* framed(request, {
    title: pluralOf(deliveryType),
    crumbs: [[groupOf(deliveryType)]],
    actions: html`${exportMenu(deliveryType, placed.url.searchParams)}
      <a class="btn btn-sm" href="${withQuery(deliveryType.path, placed.url.searchParams)}">${icon("code")}API</a>`,
    isInPlace: true,
    main: html`<div class="tools">
        ${contentSearch(query)}${yield* filterForm(deliveryType, list, query, named)}${yield* savedFilters(deliveryType, request)}
        <span class="grow"></span
        >${liveControl}${spanLinks(query, yield* Clock.currentTimeMillis, isUsual)}${columnsMenu(deliveryType, request, columnsAsked(deliveryType, request))}
      </div>
      <div class="chips">${chips(deliveryType, query, named)}</div>
      ${Result.isSuccess(found) ? yield* shown(found.success, request, asked, named) : problem!.shown}`,
    status: problem?.status ?? 200
  })
})

type Page = Effect.Success<ReturnType<typeof pageOf>>

/** Each part is independent: a part that cannot be counted in time does not affect the others. */
const shown = Effect.fnUntraced(function* (found: Page, request: Request, asked: Request, named: NamedObjects) {
  const query = request.url.searchParams
  const { where, window } = yield* deliveriesOf(asked)
  const isTimed = [...asked.url.searchParams.keys()].some((name) => name.startsWith("time__"))
  const [bars, values] = yield* Effect.all(
    [isTimed ? Effect.option(histogram(where, window)) : Effect.undefined, Effect.option(facets(where))],
    { concurrency: "unbounded" }
  )
  const counted = bars?._tag === "Some" ? bars.value : undefined
  return html`${yield* searchNote(asked)}${isTimed ? live("delivery-histogram", chartCard(counted, query)) : ""}
    <div class="faceted">
      ${values._tag === "Some" ? facetList(values.value, query, yield* sourceNames(values.value.facets.object_type.map(({ value }) => value))) : html`<p class="sub">Facets are unavailable.</p>`}
      ${yield* tableCard(found, request, asked, named, counted)}
    </div>`
})

const chartCard = (found: Histogram | undefined, query: URLSearchParams): Html =>
  html`<section class="card hist" id="delivery-histogram" aria-labelledby="over-time">
    <div class="ch">
      <h2 id="over-time">Over time</h2>
      ${found === undefined ? "" : html`<span class="sub">${sentenceOf(found)}</span>`}
    </div>
    ${
      found === undefined
        ? html`<p class="note sub">Unavailable: counting takes too long. Choose a shorter time, or fewer filters.</p>`
        : histogramChart(found, query)
    }
  </section>`

const sentenceOf = ({ total, totals, isEstimated }: Histogram): string =>
  `${isEstimated ? "About " : ""}${number(isEstimated ? Number(total.toPrecision(3)) : total)} ${total === 1 ? "delivery" : "deliveries"}, ${number(totals.failed)} failed`

const searchNote = Effect.fnUntraced(function* (asked: Request) {
  const searched = yield* searchedIn(asked)
  return searched === undefined || searched.complete
    ? ""
    : html`<p class="alert-line" role="status">
        The search read the newest ${number(searchedMax)} deliveries of the other filters, not into older ones. Choose a
        shorter time, or more filters.
      </p>`
})

const tableCard = Effect.fnUntraced(function* (
  { rows, view, bounds, where }: Page,
  request: Request,
  asked: Request,
  named: NamedObjects,
  counted: Histogram | undefined
) {
  const query = request.url.searchParams
  const total = counted?.total ?? (yield* countBeside(deliveryType, where, bounds, rows.length))
  if (rows.length === 0) {
    return html`<div class="card">${empty(deliveryType, asked.url.searchParams, named, () => false, total > 0)}</div>`
  }
  const { offset, limit = rows.length } = bounds
  const isSelectable = isEverything(yield* cleared(deliveryType, "change"))
  const columns = columnsAsked(deliveryType, request)
  const table = live("objects", yield* deliveryRows({ rows, view, columns, query, isSelectable }))
  const { pageSizeMax } = yield* Settings
  return html`<div class="card">
    ${isSelectable ? html`<form method="get" ${formLeaves}>${table}${actionBar(asked.url.searchParams, total, counted?.isEstimated === true)}</form>` : table}
    ${pager({ query, limit, offset, count: rows.length, total, most: pageSizeMax })}
  </div>`
})

export default { path: list, access: deliveryType, methods: { GET: withLive(show) } } satisfies Route
