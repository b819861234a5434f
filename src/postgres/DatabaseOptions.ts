/** The options of the connections to Postgres; Config.ts lists them with the others. */
import { Duration } from "effect"
import * as kind from "../Setting.ts"
import { connectionsDefault, connectionsMin } from "./Connections.ts"
import { optional, setting } from "../Setting.ts"

export const databaseOptions = {
  databaseUrl: optional(
    "DATABASE_URL",
    kind.postgresUrl,
    "An existing Postgres 14 or later with `wal_level=logical`, as libpq writes addresses: several hosts (`postgresql://user@one,two:5433/database`), the folder of a Unix socket as the host, and the parameters `sslmode` (disable, require, verify-ca, verify-full), `sslrootcert`, `sslcert`, `sslkey`, `target_session_attrs` (read-write, primary), `connect_timeout`, `options` and `application_name`. If unset, Rackwire runs its own Postgres 18 in the data directory."
  ),
  databaseDirectUrl: optional(
    "DATABASE_DIRECT_URL",
    kind.postgresUrl,
    "Where `DATABASE_URL` names a pooler in transaction mode (PgBouncer, RDS Proxy): the address of the Postgres server itself, in the same form. Requests use the pooler; replication, LISTEN, locks and migrations do not."
  ),
  databaseConnections: setting(
    "DATABASE_CONNECTIONS",
    kind.integer(connectionsMin),
    connectionsDefault,
    "Most connections of one process to Postgres. Of 34, requests have 21, capture and deliver 13; they are opened when they are needed."
  ),
  databaseWait: setting(
    "DATABASE_WAIT",
    kind.duration,
    Duration.seconds(60),
    "How long `serve` waits at its start for a Postgres that is starting up or cannot be reached.",
    "60 seconds"
  )
} as const
