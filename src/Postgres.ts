/** The connection pool to Postgres. Sessions speak UTC, so that timestamps look the same here and in the WAL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Servers } from "./embedded/Servers.ts"

/** Most connections of one process; a request holds one while it writes. */
const connectionsMax = 16

/** Largest message that the server may send, bytes. A page of a thousand objects is a few megabytes. */
const messageSizeMax = 64 * 1024 * 1024

export const Postgres = {
  layer: Layer.unwrap(
    Effect.map(Servers, ({ databaseUrl }) =>
      PgClient.layer({
        url: databaseUrl,
        applicationName: "rackwire",
        startupParameters: { timezone: "UTC" },
        maxConnections: connectionsMax,
        maxMessageSize: messageSizeMax,
        multiplex: true
      })
    )
  )
}
