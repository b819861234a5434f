/**
 * A trial of a retry: renders deliveries with their webhooks as they are now, and compares the requests with those that
 * the webhooks made at the last attempt. Sends nothing and writes nothing.
 *
 * The log keeps no bodies of requests, so both are rendered: rendering gives equal bytes for equal templates. What a
 * webhook was at the last attempt is in the change log, before its first change after that.
 */
import { Effect, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { Clearance } from "../inventory/Clearance.ts"
import type { Where } from "../inventory/derive/filter/Where.ts"
import { byIds } from "../inventory/read/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import type { WebhookRow } from "../match/WebhookIndex.ts"
import { Templates } from "../template/Template.ts"
import { sentAlone } from "../webhook/Batch.ts"
import { withConfigContexts } from "../webhook/ConfigContexts.ts"
import { renderAll } from "../webhook/Request.ts"
import { loggedDelivery } from "../changelog/LoggedEvent.ts"
import { eventsAsSeen, viewersAmong } from "../changelog/SeenEvents.ts"
import { verdicts } from "./Plan.ts"
import { loggedDeliveries, type LoggedDelivery } from "../queue/reconcile/LoggedDeliveries.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Most deliveries that are rendered. */
const renderedMax = 200

/** Time for the trial. */
const trialTime = "8 seconds"

/** Renderings at once; others want the workers as well. */
const atOnce = 2

/** The fields of a webhook that make its requests. */
const fields = [
  "payload_url",
  "http_method",
  "http_content_type",
  "template_engine",
  "additional_headers",
  "body_template",
  "batch"
] as const
type RenderedFields = Readonly<Record<(typeof fields)[number], string>>

type Verdict = (typeof verdicts)[number]

export interface Trial {
  /** Deliveries that were read, the newest. */
  readonly lookedAt: number
  readonly counts: Readonly<Record<Verdict, number>>
  /** An example of each kind of finding that is not `identical`. */
  readonly examples: ReadonlyArray<Finding>
}

interface Finding {
  readonly delivery: number
  readonly verdict: Verdict
  /** Which part differs, or why it cannot be rendered. */
  readonly detail: string
}

/** Tries the newest deliveries of the condition. `owner` pays for the rendering. */
export const renderAgain = Effect.fnUntraced(function* (where: Where, owner: string) {
  const sql = yield* SqlClient.SqlClient
  const sample = yield* sql.unsafe<{ readonly id: string; readonly webhook: string }>(
    `select t.id::text as id, t.webhook_id::text as webhook from extras_delivery t where ${where.sql}
      order by t.time desc, t.id desc limit ${renderedMax}`,
    where.parameters
  )
  const webhooks = yield* Effect.provideService(
    byIds(webhookType, new Set(sample.map(({ webhook }) => Number(webhook)))),
    Clearance,
    Clearance.all
  )
  const byId = new Map<number, WebhookRow>(webhooks.map((row) => [row.id, row]))
  const ids = sample.filter(({ webhook }) => byId.has(Number(webhook))).map(({ id }) => Number(id))
  const events = yield* eventsOf(ids)
  const held = new Set(events.map(({ id }) => id))
  const seen = yield* eventsAsSeen(events, (row) => viewersAmong(row.asked_by, row.scope_user))
  const shown = new Map(seen.map((row) => [row.id, row]))
  const before = yield* definitionsBefore(ids)
  const one = ({
    id,
    webhook
  }: (typeof sample)[number]): Effect.Effect<Finding, SqlError.SqlError, SqlClient.SqlClient | Templates> => {
    const [now, event] = [byId.get(Number(webhook)), shown.get(id)]
    const finding = (verdict: Verdict, detail = "") => Effect.succeed({ delivery: Number(id), verdict, detail })
    if (now === undefined) return finding("deleted", "The webhook was deleted.")
    if (!held.has(id)) return finding("expired", "The change log no longer holds the event.")
    if (event === undefined) return finding("hidden", "The user for whom it would be sent may not view the object.")
    return Effect.flatMap(compared(event, madeBy(now), before.get(id), owner), ([verdict, detail]) =>
      finding(verdict, detail)
    )
  }
  const findings: Array<Finding> = []
  yield* Effect.forEach(sample, (each) => Effect.map(one(each), (found) => findings.push(found)), {
    concurrency: atOnce,
    discard: true
  }).pipe(Effect.timeoutOption(trialTime))
  return trialOf(findings)
})

/** The events of the deliveries, a page at a time: a long one may fill a page. */
const eventsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const found: Array<LoggedDelivery> = []
  for (let last = 0; ;) {
    const page = yield* loggedDeliveries("d.id = any ($1::text[]::bigint[]) and d.id > $2::bigint", [
      asTexts(ids),
      last
    ])
    if (page.length === 0) return found
    found.push(...page)
    last = Number(page.at(-1)!.id)
  }
})

const madeBy = (row: WebhookRow): RenderedFields =>
  ({
    ...Object.fromEntries(fields.map((name) => [name, String(row[name] ?? "")])),
    batch: row.batch === null ? "" : "of one"
  }) as RenderedFields

/** By delivery, its webhook as it was at the last attempt, for webhooks that have changed since. */
const definitionsBefore = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly id: string; readonly made: RenderedFields }>(
    `select d.id::text as id, json_build_object(${fields.map((name) => `'${name}', coalesce(v.prechange_data ->> '${name}', '')`).join(", ")}) as made
       from extras_delivery d cross join lateral (
         select c.prechange_data from extras_objectchange c
          where c.changed_object_type = '${webhookType.id}' and c.changed_object_id = d.webhook_id
            and c.action = 'update' and c.time > d.last_attempt
          order by c.time limit 1) v
      where d.id = any ($1::text[]::bigint[])`,
    [asTexts(ids)]
  )
  return new Map(rows.map(({ id, made }) => [id, made]))
})

const compared = Effect.fnUntraced(function* (
  event: LoggedDelivery,
  now: RenderedFields,
  then: RenderedFields | undefined,
  owner: string
) {
  const next = yield* rendered(event, now, owner)
  if (typeof next === "string") return ["failing", next] as const
  const earlier = then === undefined ? next : yield* rendered(event, then, owner)
  if (typeof earlier === "string") return ["different", "It could not be rendered before."] as const
  const parts = Object.keys(next).filter((name) => next[name] !== earlier[name])
  return parts.length === 0
    ? (["identical", ""] as const)
    : (["different", `Differs in: ${parts.join(", ")}.`] as const)
})

/** The parts of a request, or why it cannot be made. */
const rendered = (event: LoggedDelivery, made: RenderedFields, owner: string) =>
  Effect.gen(function* () {
    const templates = yield* Templates
    const asOwner: Templates["Service"] = {
      ...templates,
      render: (sources, context, engine) => templates.render(sources, context, engine, owner)
    }
    const definition = {
      engine: made.template_engine,
      url: made.payload_url,
      headers: made.additional_headers,
      bodyTemplate: made.body_template
    }
    const texts = [definition.url, definition.headers, definition.bodyTemplate]
    const [delivery] = yield* withConfigContexts(texts, [loggedDelivery(event, Number(event.webhook_id))])
    const sent = sentAlone(delivery!, made.batch !== "")
    const result = yield* Effect.result(renderAll(definition, sent, asOwner))
    if (Result.isFailure(result)) return result.failure.failure.message
    const [url, headers, body] = result.success
    const parts: Readonly<Record<string, string>> = {
      ...{ method: made.http_method, URL: url, "content type": made.http_content_type },
      ...{ headers, body }
    }
    return parts
  })

const trialOf = (findings: ReadonlyArray<Finding>): Trial => {
  const counts = Object.fromEntries(
    verdicts.map((verdict) => [verdict, findings.filter((each) => each.verdict === verdict).length])
  ) as Trial["counts"]
  const examples = verdicts.slice(1).flatMap((verdict) => findings.find((each) => each.verdict === verdict) ?? [])
  return { lookedAt: findings.length, counts, examples }
}
