/** Connections to the Redis of a service, whose keys begin as the service's do. */
import { Layer } from "effect"
import { Redis as Client, type RedisOptions } from "ioredis"
import { Installation, prefixQuery } from "../../src/redis/Installation.ts"
import { Redis } from "../../src/redis/Redis.ts"
import type { Sql } from "./Sql.ts"

/** The text that the keys of a service on this database begin with. */
export const prefixOf = async (sql: Sql): Promise<string> => {
  const [row] = await sql.query<{ readonly prefix: string }>(prefixQuery)
  return row!.prefix
}

/** Opens a connection for keys as `keysOf` names them. */
export const openRedis = async (
  { sql, redisUrl }: { readonly sql: Sql; readonly redisUrl: string },
  options: Pick<RedisOptions, "maxRetriesPerRequest"> = {}
): Promise<Client> => new Client(redisUrl, { ...options, protocol: 2, keyPrefix: await prefixOf(sql) })

/** The text that keys begin with where there is no Postgres. */
export const testPrefix = "rackwire:test:"

/** The service's connections where there is no Postgres. */
export const redisAlone = Redis.layer.pipe(Layer.provide(Layer.succeed(Installation, { prefix: testPrefix })))
