/** The wait for a Postgres that is not there yet, at the start of the service. */
import { Duration, Effect, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Settings, reveal } from "../Config.ts"
import { OptionRefused } from "../Setting.ts"
import { Servers } from "../embedded/Servers.ts"
import { Pace } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { Postgres, UnfitServer } from "./Postgres.ts"
import { isOfPooler, poolerProblem } from "./Pooler.ts"
import { serverFacts, serverProblem } from "./connect/ServerFacts.ts"
import { addressOf, shownHosts } from "./PostgresUrl.ts"

/** Postgres did not answer in time. */
class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { message: Schema.String }) {}

/** SQLSTATEs of a server that starts, stops, recovers, or has no connection left. */
const passing = /^(57P0[123]|53300)$/

/** Node's codes of a connection that fails, as when the server's host or name is not there yet. */
const unreached = /ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EPIPE/

/** Whether the server may answer later: it says so, there was no connection to it, or another one may take its place. */
const mayPass = ({ reason }: SqlError.SqlError): boolean => {
  const { code = "", message = "" } = (reason.cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (reason.cause instanceof UnfitServer) return true
  return passing.test(code) || unreached.test(code) || unreached.test(message)
}

/**
 * Succeeds when Postgres answers, and the pooler before it. Fails with `Unanswered` if one does not within
 * `DATABASE_WAIT`, and at once with an error that does not pass, or if the service cannot work with the server.
 */
export const awaitPostgres = Effect.gen(function* () {
  const { databaseWait } = yield* Settings
  const { postgresMillis } = (yield* Pace).servers
  const { databaseUrl, poolerUrl } = yield* Servers
  const hosts = shownHosts(addressOf(reveal(databaseUrl)))
  const wait = Duration.toMillis(databaseWait)
  const until = performance.now() + wait
  let told = ""
  const ask = Effect.all([
    Effect.provide(serverFacts, Postgres.single, { local: true }),
    poolerUrl === undefined
      ? Effect.succeed(undefined)
      : Effect.provide(serverFacts, Postgres.singlePooled, { local: true })
  ])
  const [direct, pooled] = yield* ask.pipe(
    Effect.tapError((error) => {
      const now = inWords(error)
      if (!mayPass(error) || now === told) return Effect.void
      told = now
      return Effect.logWarning(`waiting for Postgres at ${hosts}, for ${Duration.format(databaseWait)} at most: ${now}`)
    }),
    Effect.retry({
      while: (error) => mayPass(error) && performance.now() < until,
      schedule: Schedule.spaced(postgresMillis)
    }),
    Effect.mapError((error) => {
      if (isOfPooler(error)) return new OptionRefused({ message: poolerProblem(poolerUrl !== undefined) })
      if (!mayPass(error)) return error
      const message = `Postgres at ${hosts} did not answer within ${Duration.format(databaseWait)}: ${inWords(error)}`
      return new Unanswered({ message })
    })
  )
  const problem = serverProblem(direct, pooled)
  if (problem !== undefined) return yield* new OptionRefused({ message: problem })
  if (told !== "") yield* Effect.logInfo(`Postgres at ${hosts} answers`)
})
