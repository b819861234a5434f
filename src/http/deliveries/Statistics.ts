/** How many deliveries there were over time, and the values that they have: with the filters of their list. */
import { Clock, Effect } from "effect"
import { facetNames, facets } from "../../history/log/Facets.ts"
import { type Histogram, histogram, outcomes } from "../../history/log/Histogram.ts"
import { windowOf } from "../../history/log/Window.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { searchedMax } from "../../inventory/Asked.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { queryOf } from "../query/SavedFilters.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, each, flag, integer, listOf, orNull, record, string, time } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"

/** The deliveries that the query of a request selects, of those that its sender may view; and their span of time. */
export const deliveriesOf = Effect.fnUntraced(function* (request: Request) {
  const { where, named } = yield* filteredBy(deliveryType, request)
  yield* refuseMissing(named, 0)
  const window = windowOf(yield* queryOf(deliveryType, request), yield* Clock.currentTimeMillis)
  return { where: allOf(where, yield* cleared(deliveryType, "view")), window }
})

/**
 * Whether a search of the request read all deliveries that its other filters select; undefined if it searches
 * nothing.
 */
export const searchedIn = Effect.fnUntraced(function* (request: Request) {
  const url = new URL(request.url)
  if ((url.searchParams.get("contains") ?? "") === "") return undefined
  url.searchParams.delete("contains")
  const { where } = yield* filteredBy(deliveryType, { ...request, url })
  const [count] = yield* countEach([{ type: deliveryType, where }], searchedMax + 1)
  return { complete: count! <= searchedMax }
})

const counts = record({
  ...{ since: time, until: time, step_seconds: integer, total: integer, totals: record(each(outcomes, integer)) },
  estimated: described(flag, "Whether the successful ones were estimated by a sample."),
  buckets: listOf(record({ since: time, until: time, ...each(outcomes, integer) }))
})

/** `GET …/histogram/`: the counts of a span by outcome, in buckets of equal length; of the last day if none is named. */
const showHistogram = endpoint(
  {
    summary: "How many deliveries there were over time, by outcome; of the last day if no time is named",
    hasFilters: true,
    reply: counts
  },
  (request) =>
    Effect.gen(function* () {
      const { where, window } = yield* deliveriesOf(request)
      return { status: 200, json: shown(yield* histogram(where, window)) }
    })
)

const timeOf = (millis: number): string => new Date(millis).toISOString()

const shown = ({ sinceMillis, untilMillis, stepSeconds, buckets, totals, total, isEstimated }: Histogram) => ({
  since: timeOf(sinceMillis),
  until: timeOf(untilMillis),
  step_seconds: stepSeconds,
  total,
  totals,
  estimated: isEstimated,
  buckets: buckets.map((bucket) => ({
    since: timeOf(bucket.sinceMillis),
    until: timeOf(bucket.untilMillis),
    ...bucket.counts
  }))
})

const values = record({
  looked_at: described(integer, "How many deliveries were counted: the newest."),
  complete: described(flag, "Whether those were all; otherwise there may be more of each value."),
  unsuccessful_complete: described(flag, "Whether all that are not successful were among them."),
  search_complete: described(
    orNull(flag),
    "Whether `contains` searched all deliveries that the other filters select; null without it."
  ),
  facets: record(each(facetNames, listOf(record({ value: string, label: string, count: integer }))))
})

/** `GET …/facets/`: by filter, its most frequent values with their counts. */
const showFacets = endpoint(
  {
    summary: "The most frequent values of deliveries, by the filter that selects them",
    hasFilters: true,
    reply: values
  },
  (request) =>
    Effect.gen(function* () {
      const { where } = yield* deliveriesOf(request)
      const found = yield* facets(where)
      const json = {
        looked_at: found.lookedAt,
        complete: found.isComplete,
        unsuccessful_complete: found.hasAllUnsuccessful,
        search_complete: (yield* searchedIn(request))?.complete ?? null,
        facets: found.facets
      }
      return { status: 200, json }
    })
)

export default [
  { path: `${deliveryType.path}histogram/`, access: deliveryType, methods: { GET: showHistogram } },
  { path: `${deliveryType.path}facets/`, access: deliveryType, methods: { GET: showFacets } }
] satisfies ReadonlyArray<Route>
