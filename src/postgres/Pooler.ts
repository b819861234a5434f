/** A pooler at an address that has to be that of the Postgres server itself. */
import type { SqlError } from "effect/sql"
import { databaseOptions } from "./DatabaseOptions.ts"
import { sqlStateOf } from "./Postgres.ts"

/** The name of the option with the address of the server itself. */
export const serverOption = (hasPooler: boolean): string =>
  (hasPooler ? databaseOptions.databaseDirectUrl : databaseOptions.databaseUrl).env

/** Whether an error at the start of a connection is that of a pooler, which takes no settings for sessions. */
export const isOfPooler = (error: SqlError.SqlError): boolean =>
  sqlStateOf(error) === protocolViolation && /startup parameter/.test(error.reason.message + String(error.reason.cause))

const protocolViolation = "08P01"

/** The refusal of a pooler. `hasPooler`: another address is that of the pooler. */
export const poolerProblem = (hasPooler: boolean): string => {
  const found = `${serverOption(hasPooler)}: a pooler answers at this address, such as PgBouncer, which drops the settings of sessions.`
  return hasPooler
    ? `${found} It must be the address of the Postgres server itself.`
    : `${found} Set DATABASE_DIRECT_URL to the address of the Postgres server itself: replication, LISTEN, locks and migrations need it.`
}
