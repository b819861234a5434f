/**
 * The connections that find out who sends a request and whether the database answers. They run short statements only,
 * so admission and health do not wait behind slow requests.
 */
import { Context, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { openPool } from "./Postgres.ts"

/** Most connections of one process. */
const connections = 3

/** Time for a statement, milliseconds. */
const statementMillis = 5_000

export class AdmissionSql extends Context.Service<AdmissionSql, SqlClient.SqlClient>()("rackwire/AdmissionSql") {
  static readonly layer = Layer.effect(AdmissionSql, openPool({ connections, statementMillis })).pipe(
    Layer.provide(Reactivity.layer)
  )
}
