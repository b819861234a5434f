/**
 * Why a process is not ready, for the roles that it has, and what needs attention while it is.
 *
 * Every role needs Postgres, and space where the embedded servers write. Capture and deliver need a Redis that takes
 * writes. Capture has to read and confirm, and deliver to write its log: answers of servers alone do not show that.
 *
 * Alarms are no part of the readiness: the process takes requests, and no other process would do better. A balancer that
 * left it would end the service, and Kubernetes would stop a rollout or the draining of a node.
 */
import { Effect, Layer, Option, Schedule } from "effect"
import { Capture } from "../capture/Capture.ts"
import type { CaptureStatus } from "../capture/Status.ts"
import { gapsSentence } from "../capture/slot/Gaps.ts"
import { Settings } from "../Config.ts"
import { Deliver } from "../deliver/Deliver.ts"
import { diskProblems } from "../embedded/Disk.ts"
import { Health } from "../http/Health.ts"
import { Pace } from "../eventloop/Pace.ts"
import { Presence } from "../postgres/Presence.ts"
import { AdmissionSql } from "../postgres/AdmissionSql.ts"
import { type Client, Redis, command } from "../redis/Redis.ts"
import { queueProblems } from "../redis/WriteProbe.ts"
import { SqlClient } from "effect/sql"
import { keyProblems } from "../inventory/Reseal.ts"
import { Vault } from "../inventory/Vault.ts"
import { Stall } from "../eventloop/Stall.ts"
import { problemText } from "../telemetry/ProblemKinds.ts"
import { statusMetrics } from "../telemetry/StatusMetrics.ts"

type Problems = Effect.Effect<ReadonlyArray<string>>

const none: Problems = Effect.succeed([])

const redisStatus = (client: Client) =>
  command(() => client.info("server")).pipe(
    Effect.timeout("1 second"),
    Effect.map((info) => ({ version: /^(?:redis|valkey)_version:(\S+)/m.exec(info)?.[1] ?? "" })),
    // The health says that Redis is away.
    Effect.orElseSucceed(() => ({ version: "" }))
  )

export const readiness = Layer.effect(
  Health,
  Effect.gen(function* () {
    const reading = yield* Effect.serviceOption(Capture)
    const delivering = yield* Effect.serviceOption(Deliver)
    const { tell, problems: unwritten } = yield* Presence
    const { probeKeptMillis, versionKeptMillis } = (yield* Pace).pipeline
    const isQueueing = Option.isSome(reading) || Option.isSome(delivering)
    const { client } = yield* Redis
    const queue = isQueueing ? yield* Effect.cachedWithTTL(queueProblems(client), probeKeptMillis) : none
    if (isQueueing) yield* tell("redis", yield* Effect.cachedWithTTL(redisStatus(client), versionKeptMillis))
    const capture = Option.isNone(reading) ? none : yield* captureProblems(reading.value.status)
    const key = yield* Effect.cachedWithTTL(yield* secretKey, probeKeptMillis)
    const deliver = Option.match(delivering, { onNone: () => none, onSome: ({ problems }) => problems })
    const checks = [yield* database, yield* disk, key, unwritten, queue, capture, deliver]
    const problems = Effect.map(Effect.all(checks, { concurrency: "unbounded" }), (found) => found.flat())
    const sources = [
      Option.match(reading, { onNone: () => none, onSome: ({ status }) => Effect.map(status, captureAlarms) }),
      Option.match(delivering, { onNone: () => none, onSome: ({ alarms }) => alarms })
    ]
    const alarms = Effect.map(Effect.all(sources), (found) => found.flat())
    // No alarm: a user who may edit webhooks must not be able to raise one.
    const warnings = Option.match(delivering, { onNone: () => none, onSome: ({ warnings }) => warnings })
    yield* tell(
      "health",
      Effect.map(Effect.all([problems, alarms, warnings]), ([found, raised, warned]) => ({
        problems: found.length,
        alarms: raised.length,
        problem: problemText([...found, ...raised, ...warned])
      }))
    )
    let isLeaving = false
    return Health.of({
      // Reported by `/health/ready` of this process alone: there is nothing to repair.
      problems: Effect.map(problems, (found) => (isLeaving ? ["the process is stopping", ...found] : found)),
      alarms,
      leave: Effect.sync(() => void (isLeaving = true))
    })
  })
)

const database = Effect.map(AdmissionSql, (sql): Problems =>
  sql`select 1 as one`.pipe(
    Effect.timeout("2 seconds"),
    Effect.as([]),
    Effect.catch(() => Effect.succeed(["the database does not answer"]))
  )
)

/** Not of a database that does not answer: that is a problem of its own. */
const secretKey = Effect.map(Effect.all([AdmissionSql, Vault]), ([sql, vault]): Problems =>
  keyProblems.pipe(
    Effect.timeout("2 seconds"),
    Effect.orElseSucceed(() => []),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provideService(Vault, vault)
  )
)

/** Only of a data directory with servers. */
const disk = Effect.map(Settings, ({ databaseUrl, redisUrl, dataDirectory }): Problems =>
  databaseUrl === undefined || redisUrl === undefined ? diskProblems(dataDirectory) : none
)

/** A gap is an alarm until somebody acknowledges it, a pause until the queue takes events again. */
const captureAlarms = ({ state, problem, gaps, gap }: CaptureStatus): ReadonlyArray<string> => [
  ...(state === "paused" ? [`capture is paused ${problem}`] : []),
  ...(gaps === 0 ? [] : [gapsSentence(gaps, gap)])
]

/** States in which capture does its part: a standby waits for its turn, and a pause is an alarm. */
const capturing: ReadonlySet<CaptureStatus["state"]> = new Set(["streaming", "standby", "paused"])

const captureProblems = Effect.fnUntraced(function* (status: Effect.Effect<CaptureStatus>) {
  const { lookMillis, lagMaxMillis, standstillMillis } = (yield* Pace).pipeline
  const standstill = new Stall("capture has stored nothing", standstillMillis)
  let last = ""
  const look = Effect.map(status, ({ state, lagMillis, events, confirmed }) => {
    const now = `${confirmed} ${events}`
    if (state !== "streaming" || lagMillis < lagMaxMillis || now !== last) standstill.succeeded()
    standstill.begin()
    last = now
  })
  yield* Effect.forkScoped(Effect.schedule(look, Schedule.spaced(lookMillis)))
  return Effect.map(status, ({ state, problem }) =>
    capturing.has(state) ? standstill.problems() : [`capture is ${state} ${problem}`]
  )
})

statusMetrics("health", {
  problems: {
    name: "rackwire_problems",
    help: "Problems that keep this process from its work. /health/ready names each.",
    symptom: "wrong"
  },
  alarms: {
    name: "rackwire_alarms",
    help: "Alarms of this process, which works meanwhile: gaps, a paused capture, a sweep that fails. /health/ names each.",
    symptom: "wrong"
  }
})
