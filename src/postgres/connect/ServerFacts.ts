/** The facts about a database that decide at the start whether the service can work with it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { poolerProblem, serverOption } from "../Pooler.ts"
import { statementMillis } from "../Postgres.ts"

export interface ServerFacts {
  /** As Postgres names it: `UTF8`. */
  readonly encoding: string
  /** The limit of statements that the session has, milliseconds. */
  readonly statementMillis: number
  /** The same for every connection to the same database of the same running server. */
  readonly identity: string
}

/** Reads the facts of the server that the pool is connected to. */
export const serverFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [facts] = yield* sql<ServerFacts>`
    select current_setting('server_encoding') as encoding, (select setting::int from pg_settings where name = 'statement_timeout') as "statementMillis",
           pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database())
             as identity`
  return facts!
})

/**
 * Why the service must not start on this server, beginning with the option to change; undefined if it may. `pooled`: the
 * server behind the pooler, if there is one.
 */
export const serverProblem = (direct: ServerFacts, pooled: ServerFacts | undefined): string | undefined => {
  const hasPooler = pooled !== undefined
  if (direct.encoding !== "UTF8") return `${serverOption(hasPooler)}: ${encodingProblem(direct.encoding)}`
  if (direct.statementMillis !== statementMillis) return poolerProblem(hasPooler)
  if (hasPooler && pooled.identity !== direct.identity) {
    return "DATABASE_DIRECT_URL: it leads to another database than DATABASE_URL. Both must name the same one."
  }
  return undefined
}

const encodingProblem = (encoding: string): string =>
  `the database is encoded in ${encoding}, which has no code for most characters. Create another one:  create database rackwire encoding 'UTF8' template template0;`
