/**
 * Which database the queues in Redis belong to. Two services on two databases and one Redis would add to the same
 * streams: Redis refuses the ids of one of them, as if they were there already, and their leaders fence each other.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Redis, command } from "../redis/Redis.ts"
import { ownerKey } from "../queue/Keys.ts"

/** The name of this database and its cluster; undefined if nothing was ever captured. */
const own = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`
    select current_database() || ' (cluster ' || system_id || ')' as name
      from rackwire_epoch order by number desc limit 1`
  return row?.name
})

/** Makes the queues those of this database, and logs an error if they were another one's. */
export const ownRedis = Effect.gen(function* () {
  const { client } = yield* Redis
  const name = yield* own
  if (name === undefined) return
  const before = yield* command(() => client.set(ownerKey, name, "GET"))
  if (before === null || before === name) return
  yield* Effect.logError(
    `capture: until now Redis held the queues of the database ${before}, and this is ${name}. If a service still runs on that one, deliveries of both are lost: give one of them another Redis database (REDIS_URL).`
  )
})

/** The other database whose leader appends to this Redis; undefined if there is none. */
export const otherOwner = Effect.gen(function* () {
  const { client } = yield* Redis
  const owner = yield* command(() => client.get(ownerKey))
  return owner === null || owner === (yield* own) ? undefined : owner
})
