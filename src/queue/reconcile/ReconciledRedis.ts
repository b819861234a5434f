/** The Redis that was reconciled last, kept in Postgres (Restarted.ts), and whether this process still talks to it. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Table } from "../../postgres/migrate/Table.ts"
import { incarnationOf, onConnectionEnd } from "../../redis/Incarnation.ts"
import { Redis, type RedisError } from "../../redis/Redis.ts"

export const reconciledTable: Table = {
  name: "rackwire_redis",
  daily: false,
  columns: [
    // One row at most.
    { name: "reconciled", type: "boolean", nullable: false, default: "true" },
    // redis/Incarnation.ts
    { name: "incarnation", type: "text", nullable: false }
  ],
  constraints: [
    { name: "rackwire_redis_key", sql: "unique (reconciled)" },
    { name: "rackwire_redis_check", sql: "check (reconciled)" }
  ],
  indexes: [],
  triggers: [],
  published: false
}

const table = reconciledTable.name

/** The incarnation of the Redis that was reconciled last; undefined if there was none. */
export const reconciledIncarnation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly incarnation: string }>(`select incarnation from ${table}`)
  return row?.incarnation
})

export const noteReconciled = (incarnation: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(
      `insert into ${table} (incarnation) values ($1)
       on conflict (reconciled) do update set incarnation = excluded.incarnation`,
      [incarnation]
    )
  )

export class ReconciledRedis extends Context.Service<
  ReconciledRedis,
  {
    /** False from a restart or a failover of Redis until it is reconciled: finished deliveries may be in it again. */
    readonly isReconciled: Effect.Effect<boolean, RedisError | SqlError.SqlError, SqlClient.SqlClient>
  }
>()("rackwire/queue/ReconciledRedis") {
  static readonly layer = Layer.effect(
    ReconciledRedis,
    Effect.map(Redis, ({ client }) => {
      let isKnown = false
      let connectionsEnded = 0
      onConnectionEnd(client, () => {
        connectionsEnded += 1
        isKnown = false
      })
      const compare = Effect.gen(function* () {
        const before = connectionsEnded
        const now = yield* incarnationOf(client)
        isKnown = now === (yield* reconciledIncarnation) && before === connectionsEnded
        return isKnown
      })
      return ReconciledRedis.of({ isReconciled: Effect.suspend(() => (isKnown ? Effect.succeed(true) : compare)) })
    })
  )
}
