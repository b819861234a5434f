/** The backlog of all webhooks, as the sweeper saw it last; for the metrics. */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../../eventloop/Pace.ts"
import { unhealthyWebhooks } from "../health/Unhealthy.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { statusMetrics } from "../../telemetry/StatusMetrics.ts"

interface Backlog {
  /** Deliveries of webhooks that run: in the queue, leased by a process, waiting for their next attempt. */
  readonly queued: number
  readonly sending: number
  readonly waiting: number
  /** Deliveries of webhooks that are paused or disabled. */
  readonly held: number
  /** Age of the oldest change in a queue of a webhook that runs, seconds; 0 if there is none. */
  readonly oldestSeconds: number
  /** Webhooks that need attention. */
  readonly unhealthy: number
}

const measure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly backlog: Omit<Backlog, "unhealthy"> }>(
    `with looked as (
       select b.*, w.enabled and not w.paused as runs
         from ${backlogTable.name} b join extras_webhook w on w.id = b.webhook_id),
     head as (
       select head_position, head_idx from looked where runs and head_position > 0
        order by head_position, head_idx limit 1)
     select json_build_object(
       'queued', coalesce(sum(queued) filter (where runs), 0), 'sending', coalesce(sum(pending) filter (where runs), 0),
       'waiting', coalesce(sum(waiting) filter (where runs), 0),
       'held', coalesce(sum(queued + pending + waiting) filter (where not runs), 0),
       'oldestSeconds', coalesce((
         select greatest(extract(epoch from now() - c.time), 0) from head cross join lateral (
           select time from extras_objectchange c where (c.position, c.idx) >= (head_position, head_idx)
            order by c.position, c.idx limit 1) c), 0)) as backlog from looked`
  )
  return { ...row!.backlog, unhealthy: (yield* unhealthyWebhooks).length } satisfies Backlog
})

/**
 * The backlog as it was known last. It is measured beside: a status that waits for a table that somebody has locked would
 * not be written, and the process would count as lost.
 */
export const backlog = Effect.gen(function* () {
  let last: Partial<Backlog> = {}
  const look = measure.pipe(
    Effect.map((now) => (last = { ...now })),
    Effect.ignore
  )
  const { backlogMillis } = (yield* Pace).deliver
  yield* Effect.forkScoped(Effect.schedule(look, Schedule.spaced(backlogMillis)))
  return Effect.sync(() => last)
})

statusMetrics("backlog", {
  unhealthy: {
    name: "rackwire_webhooks_unhealthy",
    help: "Webhooks that need attention: failing, or healthy with failed attempts or an open breaker.",
    symptom: "held"
  },
  queued: {
    name: "rackwire_deliveries_queued",
    help: "Deliveries that wait in the queues of running webhooks.",
    symptom: "queueGrows"
  },
  sending: {
    name: "rackwire_deliveries_sending",
    help: "Deliveries that a process has read and not settled.",
    symptom: "queueGrows"
  },
  waiting: {
    name: "rackwire_deliveries_waiting",
    help: "Deliveries that wait for their next attempt.",
    symptom: "held"
  },
  held: {
    name: "rackwire_deliveries_held",
    help: "Deliveries of webhooks that are paused or disabled.",
    symptom: "held"
  },
  oldestSeconds: {
    name: "rackwire_deliveries_oldest_seconds",
    help: "Age of the oldest change in the queue of a running webhook; 0 if there is none.",
    symptom: "queueGrows"
  }
})
