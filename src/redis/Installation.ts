/**
 * An installation: one database of one cluster of Postgres. Its keys and channels in Redis begin with its identity, so that
 * several installations can share a Redis.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** SQL: the text that keys and channels begin with. */
export const prefixQuery = `
  select 'rackwire:' || (select system_identifier from pg_control_system()) || '-' || oid || ':' as prefix
    from pg_database where datname = current_database()`

export class Installation extends Context.Service<
  Installation,
  {
    /** The text that keys and channels begin with. */
    readonly prefix: string
  }
>()("rackwire/redis/Installation") {
  static readonly layer = Layer.effect(
    Installation,
    Effect.suspend(() => identified)
  )

  /** For commands that examine servers which may be away. */
  static readonly orUnknown = Layer.effect(
    Installation,
    Effect.suspend(() => Effect.orElseSucceed(identified, () => Installation.of({ prefix: "rackwire:unknown:" })))
  )
}

const identified = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly prefix: string }>(prefixQuery)
  return Installation.of({ prefix: row!.prefix })
})
