/**
 * Stores the health of webhooks in their rows, where changes of it are changes like any other.
 *
 * Responsible for: comparing what is known with what is stored, and writing where they differ. One process does so every
 * five seconds, the sweeper. Guarantees: a webhook is `failing` within seconds of its breaker, or its failed list, saying
 * so; it is `healthy` again only after nothing has said so for a while and its last attempt succeeded, so that a
 * breaker that opens and closes is one turn, and a breaker that was forgotten (a process died, Postgres crashed, Redis
 * lost everything) is none. Each turn is written once: the statement names the health that it replaces. Does not: decide
 * what is `stopped`; a trigger of the table does, also for plain SQL (types/extras/Webhook.ts).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAlive } from "../postgres/Presence.ts"
import { Pace } from "../eventloop/Pace.ts"
import { withReason } from "./Reason.ts"
import { breakerTable } from "../log/BreakerTable.ts"
import { trafficTable } from "../log/Traffic.ts"
import { type HealthObservation, failureOf, turnOf } from "../history/health/Turn.ts"

interface HealthRow extends HealthObservation {
  readonly id: number
  /** When Postgres read it, milliseconds since 1970. */
  readonly now: number
}

export class HealthWatch {
  /** When this process began to check, and its last check. */
  private first = Number.NEGATIVE_INFINITY
  private latest = Number.NEGATIVE_INFINITY
  /** When each failing webhook was last seen to fail. */
  private failed: ReadonlyMap<number, number> = new Map()

  /** Turns the health of the webhooks for which it is not what is stored. */
  readonly look = Effect.fnUntraced({ self: this }, function* (this: HealthWatch) {
    const { stream, breaker } = yield* Pace
    const found = yield* observed
    const now = found[0]?.now ?? this.latest
    // Another process may have been the sweeper, and checked meanwhile.
    if (now - this.latest > stream.sweeperMillis) {
      this.first = now
      this.failed = new Map()
    }
    this.latest = now
    const seen = found.map((each) => ({ each, at: failureOf(each) === undefined ? this.failed.get(each.id) : now }))
    this.failed = new Map(seen.flatMap(({ each, at }) => (at === undefined ? [] : [[each.id, at]])))
    for (const { each, at = this.first } of seen) yield* turn(each, now - at >= breaker.calmMillis)
  })
}

const millis = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`

/** The webhooks of which something is known that is not as it is stored, or was not: most are healthy and left out. */
const observed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly found: HealthRow }>(
    `select json_build_object('id', w.id, 'now', ${millis("now()")}, 'enabled', w.enabled, 'health', w.health,
              'open', b.open, 'exceeded', x.exceeded, 'last', (
                select json_build_object('began', ${millis("t.last_attempt")}, 'succeeded', t.last_answer ~ '^2[0-9]{2}$')
                  from ${trafficTable.name} t where t.webhook_id = w.id
                 order by t.since desc, t.last_attempt desc limit 1)) as found
       from extras_webhook w
       left join lateral (
         select json_build_object('until', ${millis("max(k.until)")}, 'reason', max(k.reason)) as open
           from ${breakerTable.name} k
          where k.webhook_id = w.id and k.openings > 0 and exists (
            select from rackwire_process p where p.name = k.process and ${yield* isAlive})
         having count(*) > 0) b on true
       left join lateral (
         select w.max_failed as exceeded from extras_delivery d
          -- The first comparison is that of the partial index.
          where d.webhook_id = w.id and d.status <> 'successful' and d.status = 'failed'
         offset w.max_failed limit 1) x on w.max_failed is not null
      where w.enabled = (w.health = 'stopped')
         or w.enabled and (w.health = 'failing' or b.open is not null or x.exceeded is not null)
      order by w.id`
  )
  return rows.map(({ found }) => found)
})

/** Writes the turn of a webhook that has one, if its row is not locked; else the next check does. */
const turn = Effect.fnUntraced(function* (found: HealthRow, isCalm: boolean) {
  const next = turnOf(found, isCalm)
  if (next === undefined) return
  const { health, why } = next
  const sql = yield* SqlClient.SqlClient
  yield* withReason(
    why,
    sql`update extras_webhook set health = ${health} where id in (
          select id from extras_webhook
           where id = ${found.id}::bigint and health = ${found.health} and enabled = ${found.enabled}
             for update skip locked)`
  )
  yield* Effect.logInfo(`deliver: webhook ${found.id} is ${health}: ${why}`)
})
