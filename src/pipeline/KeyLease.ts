/**
 * The lease of the keys in Redis.
 *
 * A physical copy of a database has the identity of the original, and so the same keys: two services would deliver the
 * same streams. The processes of one server of Postgres therefore lease the keys. A process of another server sends no
 * command to Redis while the lease lasts. A server on a newer timeline takes the lease at once: it was promoted, and
 * changes on the old primary are lost.
 *
 * A server is the same one if it was started at the same time, or is at the same place, or if the process is the same: this
 * distinguishes a restart and a failover from a copy.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../eventloop/Pace.ts"
import { Redis, command } from "../redis/Redis.ts"
import { RedisScript } from "../redis/RedisScript.ts"

const claimScript = new RedisScript<readonly [isLeased: number, other: string]>(
  new URL("../queue/scripts/claim-keys.lua", import.meta.url)
)

/** Time for both servers to answer at the start, which does not wait for them. */
const answerMax = "2 seconds"

interface PostgresServer {
  readonly timeline: string
  /** When it was started, microseconds since 1970. */
  readonly started: string
  /** Its address and port; of a local one with the name of this machine. */
  readonly place: string
}

const postgresServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<PostgresServer>`
    select ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::text as timeline,
           (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text as started,
           case when host(inet_server_addr()) not in ('127.0.0.1', '::1') then host(inet_server_addr())
                else ${hostname()}::text end || ':' || current_setting('port') as place`
  return row!
})

export const keyLease = Layer.effectDiscard(
  Effect.gen(function* () {
    const { connectBare, prefix, refuse } = yield* Redis
    const { ownerLeaseMillis, ownerRenewMillis } = (yield* Pace).stream
    const bare = yield* connectBare
    const ownProcess = randomUUID()
    let told = ""
    const renew = Effect.gen(function* () {
      const { timeline, started, place } = yield* postgresServer
      const call = {
        keys: [`${prefix}owner`],
        args: [timeline, started, place, ownProcess, ownerLeaseMillis]
      }
      const [isLeased, other] = yield* command(() => claimScript.run(bare, call))
      const problem = isLeased === 1 ? "" : leasedTo(other)
      if (problem !== told && problem !== "") yield* Effect.logError(`no command is sent to Redis: ${problem}`)
      if (isLeased === 1 && other !== "") yield* Effect.logWarning(leasedBefore(other))
      told = problem
      yield* refuse(problem === "" ? undefined : problem)
    })
    yield* Effect.ignore(Effect.timeout(renew, answerMax))
    yield* Effect.ignore(renew).pipe(Effect.schedule(Schedule.spaced(ownerRenewMillis)), Effect.forkScoped)
  })
)

const leasedTo = (other: string): string =>
  `its keys are leased to a service on a copy of this database, whose Postgres is ${other}: give one of the two another Redis (REDIS_URL)`

const leasedBefore = (other: string): string =>
  `the keys in Redis were leased to a service whose Postgres was ${other}. If this database is a copy of that one, run "rackwire restored": its next events may have ids that were used there`
