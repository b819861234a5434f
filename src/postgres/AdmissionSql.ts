/**
 * The connections that authenticate requests and check the health of the database. They run only short statements, so
 * authentication and health checks do not wait behind slow requests.
 */
import { Context, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { openPool } from "./Postgres.ts"

/** Time for a statement, milliseconds. */
const statementMillis = 5_000

export class AdmissionSql extends Context.Service<AdmissionSql, SqlClient.SqlClient>()("rackwire/AdmissionSql") {
  static readonly layer = Layer.effect(
    AdmissionSql,
    openPool({ connections: "admission", statementMillis, mayBePooled: true })
  ).pipe(Layer.provide(Reactivity.layer))
}
