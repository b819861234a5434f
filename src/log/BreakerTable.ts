/** Circuit breakers that are open, in a table for the API and operators. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inWords } from "../telemetry/Telemetry.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { ProcessName, isAlive } from "../postgres/Presence.ts"
import type { Table } from "../postgres/migrate/Table.ts"

/** One row per webhook and process. Unlogged: after a crash of Postgres none of it is true any more. */
export const breakerTable: Table = {
  name: "rackwire_breaker",
  daily: false,
  unlogged: true,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "process", type: "text", nullable: false },
    { name: "opened", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "until", type: "timestamp with time zone", nullable: false },
    // How often it opened because attempts failed; 0 where the receiver only requested a delay.
    { name: "openings", type: "bigint", nullable: false, default: "0" },
    { name: "reason", type: "text", nullable: false }
  ],
  constraints: [{ name: "rackwire_breaker_key", sql: "unique (webhook_id, process)" }],
  indexes: [],
  triggers: [],
  published: false
}

export const forgetBreaker = Effect.fnUntraced(function* (webhook: number) {
  const sql = yield* SqlClient.SqlClient
  const processName = yield* ProcessName
  yield* Effect.ignore(
    sql`delete from rackwire_breaker where webhook_id = ${webhook}::bigint and process = ${processName}`
  )
})

/** Removes the rows of all processes: one success shows that the receiver works. */
const forgetAll = Effect.fnUntraced(function* (webhook: number) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.ignore(sql`delete from rackwire_breaker where webhook_id = ${webhook}::bigint`)
})

interface BreakerOpening {
  readonly openMillis: number
  readonly openings: number
  readonly reason: string
}

/** Notes that this process's breaker is open, or closed where `opened` is undefined. */
export const noteBreaker = Effect.fnUntraced(
  function* (webhook: number, opened: BreakerOpening | undefined) {
    const sql = yield* SqlClient.SqlClient
    if (opened === undefined) {
      yield* forgetAll(webhook)
      return yield* Effect.logInfo(`deliver: webhook ${webhook}: the receiver accepts deliveries again`)
    }
    const processName = yield* ProcessName
    const { openMillis, openings, reason } = opened
    const seconds = Math.ceil(openMillis / 1000)
    yield* sql`
      insert into rackwire_breaker (webhook_id, process, until, openings, reason)
      values (${webhook}::bigint, ${processName}, now() + ${`${openMillis} milliseconds`}::interval, ${openings}::bigint,
              ${reason})
      on conflict (webhook_id, process) do update
        set until = excluded.until, openings = excluded.openings, reason = excluded.reason`
    yield* Effect.logWarning(`deliver: webhook ${webhook} is not sent to for ${seconds} s: ${reason}`)
  },
  Effect.catch((error) =>
    Effect.logWarning(`deliver: the state of a circuit breaker was not written: ${inWords(error)}`)
  )
)

/** SQL: the open breaker of a webhook in the processes that are alive, as JSON of an `OpenBreaker`; null for none. */
export const openBreakerOf = (webhook: string) =>
  Effect.map(
    isAlive,
    (alive) => `(select json_build_object('opened', ${iso("min(k.opened)")}, 'until', ${iso("max(k.until)")},
                                          'reason', max(k.reason))
                   from ${breakerTable.name} k where k.webhook_id = ${webhook}
                    and exists (select from rackwire_process p where p.name = k.process and ${alive})
                 having count(*) > 0)`
  )

const iso = (time: string): string => `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The channel of the notifications that request a probe; the payload is the id of the webhook. */
export const probeNews = breakerTable.name

/** Has the open breakers of these webhooks probed at once; returns the ids of the webhooks that have one. */
export const askForProbe = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `with open as (
       update ${breakerTable.name} k set until = least(until, now())
        where k.webhook_id = any ($1::text[]::bigint[])
          and exists (select from rackwire_process p where p.name = k.process and ${yield* isAlive})
       returning k.webhook_id)
     select webhook_id::text as id, pg_notify('${announceChannel}', '${probeNews} ' || webhook_id)::text as told
       from (select distinct webhook_id from open) o`,
    [webhooks.map(String)]
  )
  return rows.map(({ id }) => Number(id))
})

interface BreakerOf {
  readonly process: string
  readonly opened: string
  readonly until: string
  readonly reason: string
}

/** The open breakers of a webhook in the processes that are alive. */
export const openBreakers = (webhook: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly breaker: BreakerOf }>`
      select json_build_object('process', process, 'opened', opened, 'until', until, 'reason', reason) as breaker
        from rackwire_breaker b
       where webhook_id = ${webhook}::bigint
         and exists (select 1 from rackwire_process p where p.name = b.process and ${sql.literal(yield* isAlive)})
       order by process`
    return rows.map(({ breaker }) => breaker)
  })
