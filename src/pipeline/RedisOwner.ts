/**
 * The names of this installation's keys in Redis.
 *
 * They begin with its identity (redis/Installation.ts). Those of former versions did not: until the leader has moved them
 * (queue/reconcile/FormerKeys.ts) and noted it in Postgres, every process works under the former names, so that processes
 * of both versions deliver the same streams during an upgrade. Former keys of another database are left alone.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { paused } from "../eventloop/Pace.ts"
import { Redis, command, mastersOf } from "../redis/Redis.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { formerOwnerKey, formerPrefix, moveFormerKeys } from "../queue/reconcile/FormerKeys.ts"

/** The name of this database and its cluster, as former versions noted it in Redis. */
const formerName = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`
    select current_database() || ' (cluster ' || (select system_identifier from pg_control_system()) || ')' as name`
  return row!.name
})

/** The database whose former keys are in Redis; null for none. */
const formerOwner = Effect.gen(function* () {
  const bare = yield* (yield* Redis).connectBare
  return yield* command(() => bare.get(formerOwnerKey))
}).pipe(Effect.scoped)

/** Gives the keys their names of today. The leader does so before it appends. */
export const ownRedis = Effect.gen(function* () {
  const { connectBare, prefix } = yield* Redis
  const sql = yield* SqlClient.SqlClient
  const moved = yield* moveOurs
  yield* sql`
    update rackwire_leader set redis_prefix = ${prefix} where id = (select max(id) from rackwire_leader)`
  yield* takeNames
  if (moved === undefined) return
  if (moved > 0) {
    return yield* Effect.logInfo(
      `capture: ${moved} keys in Redis begin with ${prefix} now, in place of ${formerPrefix} as in versions before`
    )
  }
  // Kept at the first time: processes that were at work under the former names may have written once more.
  const bare = yield* connectBare
  yield* command(() => bare.unlink(formerOwnerKey))
}).pipe(Effect.scoped)

/** Moves the former keys, if they are of this database; returns how many there were. */
const moveOurs = Effect.gen(function* () {
  const { connectBare, prefix } = yield* Redis
  const bare = yield* connectBare
  const owner = yield* command(() => bare.get(formerOwnerKey))
  if (owner === null || owner !== (yield* formerName)) return undefined
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly webhook: string }>`
    select id::text as webhook from extras_webhook union select webhook_id::text from rackwire_watermark`
  return yield* command(() =>
    moveFormerKeys(
      bare,
      prefix,
      rows.map(({ webhook }) => Number(webhook))
    )
  )
}).pipe(Effect.scoped)

/** Uses the names of today. Moves what this process wrote under the former ones after they were moved. */
const takeNames = Effect.gen(function* () {
  const { client, prefix, rename } = yield* Redis
  if (client.options.keyPrefix === prefix) return
  yield* rename(prefix)
  // Servers answer in order: commands with former names have ended.
  yield* command(() => Promise.all(mastersOf(client).map((master) => master.ping())))
  yield* moveOurs
})

/** Whether keys have their former names: leaders have led, and none has moved the keys. */
const areFormer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly former: boolean | null }>`
    select bool_and(redis_prefix is null) as former from rackwire_leader`
  if (row?.former !== true) return false
  const name = yield* formerName
  const owner = yield* formerOwner
  if (owner !== null && owner !== name) {
    yield* Effect.logWarning(
      `Redis has keys of the database ${owner}, from a version that did not name its installation. They are left alone.`
    )
  }
  return owner === name
})

/** Works under the former names until the leader has moved the keys. */
export const keyNames = Layer.effectDiscard(
  Effect.gen(function* () {
    const { rename } = yield* Redis
    const former = yield* Effect.orElseSucceed(areFormer, () => true)
    if (!former) return
    yield* rename(formerPrefix)
    const moved = Effect.gen(function* () {
      yield* paused(({ capture }) => capture.holderMillis)
      return !(yield* areFormer)
    })
    yield* moved.pipe(
      // A server that does not answer says nothing about the names.
      Effect.orElseSucceed(() => false),
      Effect.repeat({ until: (isMoved) => isMoved }),
      Effect.andThen(takeNames),
      Effect.catch((error) =>
        Effect.logWarning(`the next start moves keys in Redis that have former names still: ${inWords(error)}`)
      ),
      Effect.forkScoped
    )
  })
)
