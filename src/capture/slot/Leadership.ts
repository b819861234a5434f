/**
 * Who reads the slot: the slot itself is the lock, and a generation number tells a leader from those before it.
 *
 * A process that finds the slot taken stands by. It hears at once of a leader that stops in good order, sees within a
 * second that one was killed, and ends the session of one that hangs: a leader reports every second, so one that has
 * not for `hangMillis` holds a lock without doing the work. What such a leader still sends when it wakes up is refused
 * by its generation.
 *
 * A report counts when Postgres reads it, and while it decodes a large transaction it reads none. So only the time
 * counts in which it waits for the leader, by its own clock: one that stands by may have been stopped itself.
 */
import { hostname } from "node:os"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../../inventory/derive/table/Table.ts"

/** Pause between two looks at a slot that another process holds. */
const lookPause = "1 second"

/** Pause between two looks when it was just given up: letting go takes Postgres a moment. */
const releasedPause = "15 millis"

/** A leader that has not reported for this long hangs, milliseconds. */
const hangMillis = 5000

const channel = "rackwire_capture"

/** One row per time that a process began to lead; its id is the generation. */
export const leaderTable: Table = {
  name: "rackwire_leader",
  daily: false,
  columns: [
    { name: "process", type: "text", nullable: false },
    { name: "slot", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" }
  ],
  constraints: [],
  indexes: [],
  triggers: [],
  published: false
}

/** Begins a generation. To be called by whoever holds the slot. */
export const lead = Effect.fnUntraced(function* (slot: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly generation: number }>`
    insert into rackwire_leader (process, slot) values (${`${hostname()} ${process.pid}`}, ${slot})
    returning id::int as generation`
  return row!.generation
})

/**
 * Generations rise from this one on. Redis may know one that this database has not reached, because it is an older copy
 * of itself: whoever leads would be taken for a predecessor.
 */
export const outrank = Effect.fnUntraced(function* (generation: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    select setval(pg_get_serial_sequence('rackwire_leader', 'id'), ${generation}::bigint)::text
      from rackwire_leader having coalesce(max(id), 0) < ${generation}::bigint`
})

/** Tells those who stand by that the slot is free. */
export const release = (slot: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.ignore(sql`select pg_notify(${channel}, ${slot})::text`))

interface Holder {
  readonly pid: number | null
  /** Changes with every report of the holder. */
  readonly report: string
  /** Whether Postgres waits for the holder, and has read all it sent. */
  readonly awaited: boolean
  /** Milliseconds since 1970 by the clock of the server. */
  readonly now: number
}

/** The last report that was seen, and since when Postgres waits for another. */
export interface Watch {
  readonly report: string
  readonly since: number
}

/** What a look at the holder adds to what was seen before. */
export const watch = (before: Watch | undefined, { report, awaited, now }: Holder): Watch =>
  before?.report === report && awaited ? before : { report, since: now }

export const hangs = ({ since }: Watch, { now }: Holder): boolean => now - since > hangMillis

/**
 * Waits until nobody holds the slot; ends the session of a holder that hangs. Answers when there was the last sign of a
 * holder, milliseconds since 1970 by our own clock; undefined when there was none.
 */
export const standBy = (slot: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const released = yield* sql.listen(channel)
      let watched: Watch | undefined
      let lastSign: number | undefined
      let pause: typeof lookPause | typeof releasedPause = lookPause
      while (true) {
        const [holder] = yield* sql<Holder>`
          select s.active_pid as pid, concat(r.pid, r.reply_time, r.backend_start) as report,
                 coalesce(a.wait_event_type in ('Client', 'Activity'), false) as awaited,
                 extract(epoch from clock_timestamp())::float8 * 1000 as now
            from pg_replication_slots s left join pg_stat_replication r on r.pid = s.active_pid
                 left join pg_stat_activity a on a.pid = s.active_pid
           where s.slot_name = ${slot}`
        if (holder === undefined || holder.pid === null) return lastSign
        watched = watch(watched, holder)
        lastSign = (yield* Clock.currentTimeMillis) - (holder.now - watched.since)
        if (hangs(watched, holder)) {
          yield* Effect.logError(`capture: the leader (Postgres session ${holder.pid}) hangs: ending its session`)
          yield* sql`select pg_terminate_backend(${holder.pid})::text`
          pause = releasedPause
        }
        const told = yield* Queue.take(released).pipe(Effect.timeoutOption(pause))
        if (told._tag === "None") continue
        pause = releasedPause
        lastSign = yield* Clock.currentTimeMillis
      }
    })
  )
