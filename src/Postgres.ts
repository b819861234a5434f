/** The connection pool to Postgres. Sessions speak UTC, so that timestamps look the same here and in the WAL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { reveal } from "./Config.ts"
import { addressOf } from "./PostgresUrl.ts"
import { Servers } from "./embedded/Servers.ts"

/** Most connections of one process; a request holds one while it writes. */
const connectionsMax = 16

/** Largest message that the server may send, bytes. A page of a thousand objects is a few megabytes. */
const messageSizeMax = 64 * 1024 * 1024

export const Postgres = {
  layer: Layer.unwrap(
    Effect.map(Servers, ({ databaseUrl }) => {
      const { host, port, user, password, database, tls } = addressOf(reveal(databaseUrl))
      return PgClient.layer({
        host,
        port,
        username: user,
        password: Redacted.make(password),
        database,
        ssl: tls ?? false,
        applicationName: "rackwire",
        startupParameters: { timezone: "UTC" },
        maxConnections: connectionsMax,
        maxMessageSize: messageSizeMax,
        multiplex: true
      })
    })
  )
}
