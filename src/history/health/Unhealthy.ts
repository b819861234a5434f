/** The webhooks that need attention: every page, `check`, the metrics and the API show the same ones. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byIds } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { breakerTable } from "../../log/BreakerTable.ts"
import { trafficTable } from "../../log/Traffic.ts"
import { type Health, healthOf } from "./Healths.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Most webhooks that are judged, those that are stored as failing first. */
const judgedMax = 500

export interface Unhealthy extends Health {
  readonly name: string
}

/** The visible webhooks that need attention; webhooks with most waiting deliveries first. */
export const unhealthyWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<{ readonly id: number }>(
    `select id::float8 as id from extras_webhook w
      where enabled and not paused
        and (health = 'failing' or exists (select from ${breakerTable.name} k where k.webhook_id = w.id)
             or exists (select from ${trafficTable.name} t where t.webhook_id = w.id
                           and t.since > now() - interval '2 hours' and t.attempts > t.delivered))
      order by health <> 'failing', id limit ${judgedMax}`
  )
  const rows = yield* byIds(
    webhookType,
    found.map(({ id }) => id)
  )
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const healths = (yield* healthOf(rows)).filter(({ needsLook }) => needsLook)
  return healths
    .map((health): Unhealthy => ({ ...health, name: names.get(health.webhook) ?? "" }))
    .sort((one, other) => other.waiting - one.waiting)
})

/** Most webhooks that a sentence names. */
const namedMax = 3

/** `2 webhooks are failing (cmdb, ipam): 1,367 deliveries wait for them`; undefined if none needs attention. Pure. */
export const unhealthySentence = (
  all: ReadonlyArray<Pick<Unhealthy, "state" | "name" | "waiting">>
): string | undefined => {
  if (all.length === 0) return undefined
  const failing = all.filter(({ state }) => state === "failing").length
  const others = all.length - failing
  const counts = [
    ...(failing === 0 ? [] : [failing === 1 ? "1 webhook is failing" : `${failing} webhooks are failing`]),
    ...(others === 0 ? [] : [others === 1 ? "1 webhook needs attention" : `${others} webhooks need attention`])
  ]
  const more = all.length > namedMax ? `, and ${all.length - namedMax} more` : ""
  const names = all
    .slice(0, namedMax)
    .map(({ name }) => name)
    .join(", ")
  const waiting = all.reduce((sum, each) => sum + each.waiting, 0)
  const waits = waiting === 1 ? "1 delivery waits" : `${waiting.toLocaleString("en")} deliveries wait`
  return `${counts.join(", ")} (${names}${more}): ${waits} for ${all.length === 1 ? "it" : "them"}`
}

export interface FailingWebhook {
  readonly id: number
  readonly name: string
  /** When its health turned, milliseconds since 1970. */
  readonly since: number
  /** Deliveries that are queued, sent or retried. */
  readonly waiting: number
}

/** SQL of the webhooks that are stored as failing and that nobody has paused, as a JSON array. */
export const failingWebhooks = `(
  select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name,
           'since', (extract(epoch from coalesce(w.health_since, now())) * 1000)::float8,
           'waiting', coalesce(b.queued + b.pending + b.waiting, 0))), '[]')
    from extras_webhook w left join ${backlogTable.name} b on b.webhook_id = w.id
   where w.enabled and not w.paused and w.health = 'failing')`
