/**
 * A table partitioned by day: partitions are created before they are written to, and dropped when they are old.
 */
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"

export class Days {
  private readonly table: string
  /** Days that are known to have a partition, by their database: `2026-11-20`. */
  private readonly known = new WeakMap<SqlClient.SqlClient, Set<string>>()

  constructor(table: string) {
    this.table = table
  }

  /** Runs a write of rows of these times (ISO 8601, UTC), with a partition for each of their days. */
  write<A, E, R>(times: ReadonlyArray<string>, write: Effect.Effect<A, E, R>) {
    return this.add(times).pipe(
      Effect.andThen(write),
      // Another process may have dropped a known day: read them again before the next try.
      Effect.tapError(() => Effect.map(SqlClient.SqlClient, (sql) => this.known.delete(sql)))
    )
  }

  /**
   * Drops the days older than `keep`, but none from `needed` on (`2026-11-20`), and adds today and tomorrow. Days are
   * detached first, so that no other statement waits.
   */
  turn = Effect.fnUntraced({ self: this }, function* (this: Days, keep: Duration.Duration, needed?: string) {
    const sql = yield* SqlClient.SqlClient
    const { table } = this
    yield* sql`select rackwire_add_day(${table}, (now() at time zone 'UTC')::date + n)::text from generate_series(0, 1) n`
    const old = yield* sql<{ readonly child: string }>`
      select child from rackwire_days_before(${table}, least(
        ${needed ?? "infinity"}::text::date, (now() at time zone 'UTC')::date - ${Math.ceil(Duration.toDays(keep))}::int))`
    for (const { child } of old) {
      yield* sql.unsafe(`alter table ${table} detach partition ${child} concurrently`)
      yield* sql.unsafe(`drop table ${child}`)
    }
    return old.length
  })

  private add = Effect.fnUntraced({ self: this }, function* (this: Days, times: ReadonlyArray<string>) {
    const sql = yield* SqlClient.SqlClient
    const known = this.known.get(sql) ?? new Set<string>()
    for (const day of new Set(times.map((time) => time.slice(0, 10))).difference(known)) {
      yield* sql`select rackwire_add_day(${this.table}, ${day}::date)::text`
      known.add(day)
    }
    this.known.set(sql, known)
  })
}
