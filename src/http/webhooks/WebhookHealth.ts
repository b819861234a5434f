/** How webhooks are: of all of them, by the filters of their list, and of one of them with its charts. */
import { Effect } from "effect"
import { type Health, healthOf } from "../../history/health/Healths.ts"
import { healthStates } from "../../history/health/WebhookHealth.ts"
import { type Span, spansOf, wholeDay } from "../../history/health/Traffic.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { list as readList } from "../../inventory/read/Read.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { pageOf } from "../objects/Lists.ts"
import { rowOf } from "../objects/Objects.ts"
import { filteredBy } from "../query/Strict.ts"
import type { Handler, Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { pageLinks } from "../wire/Paging.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** The health of a webhook as the API shows it. */
export const shown = ({ webhook, state, sentence, waiting, breaker, lastAttempt, lastAnswer, day, hours }: Health) => ({
  ...{ webhook, state, sentence, waiting },
  breaker: breaker ?? null,
  last_attempt: lastAttempt ?? null,
  last_answer: lastAnswer ?? null,
  attempts: day.attempts,
  delivered: day.delivered,
  delivered_at_once: day.atOnce,
  failed: day.failed,
  p50_ms: rounded(day.p50Millis),
  p95_ms: rounded(day.p95Millis),
  p99_ms: rounded(day.p99Millis),
  commit_to_receipt_p95_ms: rounded(day.sinceCommitP95Millis),
  hours: hours.map(spanShown)
})

const rounded = (millis: number | undefined): number | null =>
  millis === undefined ? null : Math.round(millis * 10) / 10

const spanShown = ({ since, attempts, delivered, failed, p50Millis, p95Millis }: Span) => ({
  ...{ since, attempts, delivered, failed },
  p50_ms: rounded(p50Millis),
  p95_ms: rounded(p95Millis)
})

/** Most webhooks of which those in a state are looked for. */
const lookedAtMax = 1000

/**
 * `GET /api/extras/webhooks/health/`: a page of webhooks by the filters of their list. With `state`, all of them that
 * are in one of these states.
 */
const list: Handler = (request) =>
  Effect.gen(function* () {
    const { url, base } = request
    const states = url.searchParams.getAll("state")
    if (!states.every((state) => healthStates.some((each) => each === state))) {
      const body = { state: [`Use some of ${healthStates.join(", ")}.`] }
      return yield* new HttpRefused({ reason: "InvalidQuery", body })
    }
    if (states.length > 0) {
      const { where } = yield* filteredBy(webhookType, without(request, "state"))
      const rows = yield* readList(webhookType, { where, ordering: [], limit: lookedAtMax, offset: 0 })
      const results = (yield* healthOf(rows)).filter(({ state }) => states.includes(state)).map(shown)
      return { status: 200, json: { count: results.length, next: null, previous: null, results } }
    }
    const { rows, where, bounds } = yield* pageOf(webhookType, request)
    const total = yield* countBeside(webhookType, where, bounds, rows.length)
    const results = (yield* healthOf(rows)).map(shown)
    return {
      status: 200,
      json: { count: total, ...pageLinks(new URL(url.pathname + url.search, base), bounds, total), results }
    }
  })

/** The request without a parameter that is no filter. */
const without = (request: Request, name: string): Request => {
  const url = new URL(request.url)
  url.searchParams.delete(name)
  return { ...request, url }
}

/** `GET /api/extras/webhooks/<id>/health/`: the same of one webhook, with its last 24 hours by ten minutes. */
const one: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(webhookType, request, "view")
    const [health] = yield* healthOf([row])
    const spans = (yield* spansOf([row.id], wholeDay)).get(row.id) ?? []
    return { status: 200, json: { ...shown(health!), spans: spans.map(spanShown) } }
  })

export const healthRoutes: ReadonlyArray<Route> = [
  { path: `${webhookType.path}health/`, access: webhookType, methods: { GET: list } },
  { path: `${webhookType.path}:id/health/`, access: webhookType, methods: { GET: one } }
]
