/** A walsender that waits for a client whose connection is dead. It would keep the slot until its own timeout. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Postgres, sqlStateOf } from "../../postgres/Postgres.ts"

/**
 * Ends the walsender of this process number, on a new connection, if it waits for WAL or for its client: then it should
 * have answered. Returns false if it works; true if it has ended, or the server does not answer.
 */
export const endIdleSender = (pid: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly waits: boolean }>`
      select coalesce(wait_event_type in ('Activity', 'Client'), false) as waits from pg_stat_activity where pid = ${pid}`
    if (rows.some(({ waits }) => !waits)) return false
    yield* sql`select pg_terminate_backend(pid)::text from pg_stat_activity where pid = ${pid}`
    return true
  }).pipe(
    Effect.provide(Postgres.probe, { local: true }),
    Effect.catch((error) => Effect.succeed(sqlStateOf(error) === undefined))
  )
