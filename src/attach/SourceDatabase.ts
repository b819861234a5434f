/** One connection to the database of a NetBox, with typed errors. */
import { Effect, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { reveal } from "../Config.ts"
import { Servers } from "../embedded/Servers.ts"
import { isOfPooler } from "../postgres/Pooler.ts"
import { openPool, sqlStateOf, statementMillis } from "../postgres/Postgres.ts"
import { urlProblem } from "../postgres/PostgresUrl.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { AttachError } from "./AttachError.ts"

/** Runs statements on a connection of their own. */
export const onSource = <A>(
  databaseUrl: Redacted.Redacted,
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, AttachError | SqlError.SqlError>
): Effect.Effect<A, AttachError, Servers> =>
  Effect.gen(function* () {
    const problem = urlProblem(reveal(databaseUrl))
    if (problem !== undefined) return yield* new AttachError({ reason: "Address", message: problem })
    const own = yield* Servers
    const sql = yield* openPool({ connections: 1, statementMillis, isSource: true }).pipe(
      Effect.provideService(Servers, { ...own, databaseUrl, poolerUrl: undefined })
    )
    return yield* use(sql)
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.catchTag("SqlError", (error) => asAttachError(error))
  )

/** The refusal of an address of a pooler. */
export const pooledSentence =
  "A pooler answers at this address, such as PgBouncer, which passes no replication connections. Name the address of the Postgres server itself."

/** SQLSTATEs of a server that refuses a login. */
const refusedLogins: ReadonlySet<string> = new Set(["28P01", "28000", "3D000"])

/** A code of Postgres, and none of a socket (`EPIPE`). */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

const asAttachError = (error: SqlError.SqlError): AttachError => {
  if (isOfPooler(error)) return new AttachError({ reason: "Pooler", message: pooledSentence })
  const code = sqlStateOf(error)
  const state = code !== undefined && sqlState.test(code) ? code : undefined
  const isConnecting = error.reason._tag === "ConnectionError" && state === undefined
  const reason = isConnecting ? "Unreachable" : state !== undefined && refusedLogins.has(state) ? "Login" : "Refused"
  return new AttachError({ reason, message: inWords(error) })
}
