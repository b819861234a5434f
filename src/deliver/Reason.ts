/** A write of the service itself, in a transaction with its reason: the change log and templates have the sentence. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const withReason = <A, E, R>(why: string, write: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql`select rackwire_context('', null, ${why})::text`, write))
  )
