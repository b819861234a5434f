/**
 * Long work that is requested by a row. A process that delivers claims the row and writes its progress to it; if that
 * process dies, another one continues from there.
 */
import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"

/** The work cannot be done as its row says; `message` is shown as the row's. */
export class WorkRefused extends Schema.TaggedError<WorkRefused>()("WorkRefused", { message: Schema.String }) {}

/** The row says that the work has ended: somebody cancelled it, or another process did it. What is left is not done. */
export class WorkEnded extends Data.TaggedError("WorkEnded") {}

/** Cancels work that has not ended; returns whether it did. Work that runs stops before its next page. */
export const cancelWork = Effect.fnUntraced(function* (table: string, id: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe(
    `update ${table} set status = 'cancelled', heard = now()
      where id = $1::bigint and status in ('queued', 'running') returning id::text`,
    [id]
  )
  return rows.length > 0
})

/** Works off every row of the table that waits; `columns` is what the work needs of a row. */
export const workOffAll = <Row extends { readonly id: string }, E, R>(
  table: string,
  columns: string,
  work: (row: Row) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { abandonedMillis } = (yield* Pace).deliver
    const claim = sql.unsafe<Row>(
      `update ${table} set status = 'running', heard = now()
        where id = (select id from ${table}
                     where status = 'queued' or (status = 'running' and heard < now() - $1::interval)
                     order by id limit 1 for update skip locked)
       returning id::text as id, ${columns}`,
      [`${abandonedMillis} milliseconds`]
    )
    const end = (id: string, status: "done" | "failed", message: string) =>
      sql.unsafe(`update ${table} set status = $2, message = $3 where id = $1::bigint and status = 'running'`, [
        id,
        status,
        message
      ])
    for (let [row] = yield* claim; row !== undefined; [row] = yield* claim) {
      const { id } = row
      yield* work(row).pipe(
        Effect.andThen(end(id, "done", "")),
        Effect.catch((error) =>
          Effect.when(end(id, "failed", inWords(error)), Effect.succeed(!(error instanceof WorkEnded)))
        )
      )
    }
  }).pipe(Effect.catch((error) => Effect.logWarning(`deliver: ${table} was not worked off: ${inWords(error)}`)))
