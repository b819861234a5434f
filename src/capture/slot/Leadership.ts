/**
 * Leadership: the slot itself is the lock, and each leader has a higher generation number than those before it.
 *
 * A process that finds the slot taken is a standby. A leader that stops in good order notifies it; it notices within a
 * second that a leader was killed; and it ends the session of a leader that hangs. Every process writes every few
 * seconds that it is alive (Presence.ts), so a leader that has been silent for `hangMillis` while others wrote holds the
 * lock without doing the work. If such a leader wakes up, Redis refuses its entries by its generation.
 *
 * The reports of a leader to Postgres would show as much, but Postgres shows them only to roles with pg_read_all_stats.
 *
 * On a machine with too little CPU a leader may be only slow. Each new one reads the same large transaction from its
 * beginning, so if all were ended as soon, none would ever reach its end: each gets twice the time of the one before.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../../eventloop/Pace.ts"
import { ProcessName } from "../../postgres/Presence.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

/** The time after which a leader hangs is doubled so often at most. */
const doublingsMax = 4

const channel = "rackwire_capture"

/** One row for each time that a process took the lead; its id is the generation. */
export const leaderTable: Table = {
  name: "rackwire_leader",
  daily: false,
  columns: [
    { name: "process", type: "text", nullable: false },
    { name: "slot", type: "text", nullable: false },
    // The LSN from which it reads.
    { name: "confirmed", type: "text", nullable: true },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" },
    // The text that the keys in Redis begin with. Null in versions that did not name the installation.
    { name: "redis_prefix", type: "text", nullable: true }
  ],
  constraints: [],
  indexes: [],
  triggers: [],
  published: false
}

/** Begins a generation and returns it. Only the holder of the slot may call it. */
export const lead = Effect.fnUntraced(function* (slot: string) {
  const sql = yield* SqlClient.SqlClient
  const processName = yield* ProcessName
  const [row] = yield* sql<{ readonly generation: number }>`
    insert into rackwire_leader (process, slot, confirmed)
    values (${processName}, ${slot},
            (select confirmed_flush_lsn::text from pg_replication_slots where slot_name = ${slot}))
    returning id::int as generation`
  return row!.generation
})

/**
 * Makes the following generations higher than this one. If the database is an older copy, Redis may have a generation
 * that it has not reached, and would refuse every leader.
 */
export const outrank = Effect.fnUntraced(function* (generation: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    select setval(pg_get_serial_sequence('rackwire_leader', 'id'), ${generation}::bigint)::text
      from rackwire_leader having coalesce(max(id), 0) < ${generation}::bigint`
})

/** Notifies the standbys that the slot is free. */
export const release = (slot: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.ignore(sql`select pg_notify(${channel}, ${slot})::text`))

interface Holder {
  readonly pid: number | null
  /** How much older its last sign of life is than the newest of all processes, milliseconds; null if it is not known. */
  readonly silentMillis: number | null
  /** How many leaders began at the current position of the slot. */
  readonly beganHere: number
}

export const hangs = ({ silentMillis, beganHere }: Omit<Holder, "pid">, hangMillis: number): boolean =>
  (silentMillis ?? 0) > hangMillis * 2 ** Math.min(Math.max(beganHere - 1, 0), doublingsMax)

/**
 * Waits until no session uses the slot; ends the session of a leader that hangs. Returns when the last sign of a leader
 * was seen, milliseconds since 1970 by the clock of this process; undefined if there was none.
 */
export const standBy = (slot: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { capture, presence } = yield* Pace
      const { holderMillis, releasedMillis, hangMillis } = capture
      const released = yield* sql.listen(channel)
      let lastSign: number | undefined
      let pause = holderMillis
      while (true) {
        const [holder] = yield* sql<Holder>`
          select s.active_pid as pid,
                 (select extract(epoch from (select max(seen) from rackwire_process) - p.seen)::float8 * 1000
                    from rackwire_leader l join rackwire_process p on p.name = l.process
                   where l.slot = s.slot_name and l.began >= a.backend_start
                   order by l.id desc limit 1) as "silentMillis",
                 (select count(*)::int from rackwire_leader l
                   where l.slot = s.slot_name and l.confirmed = s.confirmed_flush_lsn::text) as "beganHere"
            from pg_replication_slots s left join pg_stat_activity a on a.pid = s.active_pid
           where s.slot_name = ${slot}`
        if (holder === undefined || holder.pid === null) return lastSign
        const silent = Math.max((holder.silentMillis ?? 0) - presence.writeMillis, 0)
        lastSign = (yield* Clock.currentTimeMillis) - silent
        if (hangs(holder, hangMillis)) {
          yield* Effect.logError(`capture: the leader (Postgres session ${holder.pid}) hangs: ending its session`)
          yield* sql`select pg_terminate_backend(${holder.pid})::text`
          pause = releasedMillis
        }
        const notified = yield* Queue.take(released).pipe(Effect.timeoutOption(pause))
        if (notified._tag === "None") continue
        pause = releasedMillis
        lastSign = yield* Clock.currentTimeMillis
      }
    })
  )
