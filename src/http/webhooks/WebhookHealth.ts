/** How webhooks are: of all of them, by the filters of their list, and of one of them with its charts. */
import { Effect } from "effect"
import { type Health, healthOf } from "../../history/health/Healths.ts"
import { healthStates } from "../../history/health/WebhookHealth.ts"
import { type Span, spansOf, wholeDay } from "../../history/health/Traffic.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { pageOf } from "../objects/Lists.ts"
import { rowOf } from "../objects/Objects.ts"
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  flag,
  integer,
  listOf,
  number,
  orNull,
  page,
  pageOf as pageSchema,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { pageLinks } from "../wire/Paging.ts"
import { publicUrl } from "../wire/Request.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

const span = record({
  ...{ since: time, attempts: integer, delivered: integer, failed: integer },
  ...{ p50_ms: orNull(number), p95_ms: orNull(number) }
})

export const healthSchema = record({
  webhook: integer,
  state: words(...healthStates),
  needs_look: described(flag, "It is failing, or healthy and in trouble: its breaker is open, or attempts fail."),
  sentence: described(string, "How it is, in words."),
  waiting: described(integer, "Deliveries that are queued, sent or retried."),
  breaker: orNull(record({ opened: time, until: time, reason: string })),
  last_attempt: orNull(time),
  last_answer: described(orNull(string), "The status of the last answer, or why there was none."),
  attempts: described(integer, "Attempts in the last 24 hours, as the following numbers."),
  ...{ delivered: integer, delivered_at_once: integer, failed: integer },
  ...{ p50_ms: orNull(number), p95_ms: orNull(number), p99_ms: orNull(number) },
  commit_to_receipt_p95_ms: orNull(number),
  hours: listOf(span)
})

/** The health of a webhook as the API shows it. */
export const shown = ({
  breaker,
  lastAttempt,
  lastAnswer,
  day,
  hours,
  needsLook,
  ...health
}: Health): typeof healthSchema.Type => ({
  ...{ webhook: health.webhook, state: health.state, needs_look: needsLook },
  ...{ sentence: health.sentence, waiting: health.waiting },
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

/** A page of webhooks by the filters of their list, of which one is `health`. */
const list = endpoint(
  {
    summary: "How webhooks are, by the filters of their list",
    query: page,
    hasFilters: true,
    reply: pageSchema(healthSchema)
  },
  (request) =>
    Effect.gen(function* () {
      const { url, base } = request
      const { rows, where, bounds } = yield* pageOf(webhookType, request)
      const total = yield* countBeside(webhookType, where, bounds, rows.length)
      const results = (yield* healthOf(rows)).map(shown)
      return {
        status: 200,
        json: { count: total, ...pageLinks(publicUrl({ url, base }), bounds, total), results }
      }
    })
)

/** `GET /api/extras/webhooks/<id>/health/`: the same of one webhook, with its last 24 hours by ten minutes. */
const one = endpoint(
  {
    summary: "How a webhook is, with its last 24 hours",
    reply: record({ ...healthSchema.fields, spans: listOf(span) })
  },
  (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(webhookType, request, "view")
      const [health] = yield* healthOf([row])
      const spans = (yield* spansOf([row.id], wholeDay)).get(row.id) ?? []
      return { status: 200, json: { ...shown(health!), spans: spans.map(spanShown) } }
    })
)

export default [
  { path: `${webhookType.path}health/`, access: webhookType, methods: { GET: list } },
  { path: `${webhookType.path}:id/health/`, access: webhookType, methods: { GET: one } }
] satisfies ReadonlyArray<Route>
