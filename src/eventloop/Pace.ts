/**
 * The pace of the product: pauses of its loops, heartbeats and leases, and the silences after which something counts as
 * lost.
 *
 * They are in one file because they depend on each other; test/eventloop/Pace.test.ts asserts these relations. A test may
 * scale them all, and waits less. Limits on the work of others are not here: they do not get shorter when the product gets faster.
 */
import { Context, Effect, Schedule } from "effect"

/** Time from the first byte that a connection loses to the next delivery, at most. */
const deadlineMillis = 15_000

/** Embedded servers. */
const embedded = {
  /** Pause between two checks whether the owner of the servers still runs. */
  followMillis: 1000,
  /** A server that ended sooner after its start is started again after a pause. */
  livedMillis: 5000,
  /** Pause before a server is started again. */
  restartMillis: 1000,
  /** Pause before a process that failed to own the servers, or to note their numbers, tries again. */
  retryMillis: 2000
}

/** Connections to the servers. */
const servers = {
  deadlineMillis,
  /** A connection that owes an answer and is silent for this long is dead, unless a new one shows that its statement runs. */
  silenceMillis: deadlineMillis / 2,
  /** Pause between two queries for a Postgres that is not there yet. */
  postgresMillis: 1000,
  /** Redis is connected to again after this pause, which grows by as much with each failure, up to the longest one. */
  redisStepMillis: 50,
  redisMaxMillis: 1000
}

/** The status that each process writes for the others. */
const presence = {
  /** Pause between two writes. */
  writeMillis: 2000,
  /** A process that could not write for this long has a problem. */
  unwrittenMillis: 8000,
  /** A process that wrote nothing for this long is lost. */
  silenceMillis: 15_000
}

/** Reading the WAL. */
const capture = {
  /** Pause between two heartbeats through the WAL. */
  heartbeatMillis: 5000,
  /** Pause between two reports of progress, to Postgres and to the status. */
  reportMillis: 1000,
  /** Pause between two checks whether Redis still has what the leader appended. */
  verifyMillis: 5000,
  /** First and longest pause before a step of a session is tried again; it doubles with each failure. */
  retryMinMillis: 250,
  retryMaxMillis: 5000,
  /** First and longest pause between two sessions that failed to start; it doubles with each of them. */
  sessionMinMillis: 100,
  sessionMaxMillis: 5000,
  /** A session that ran for this long did not fail to start. */
  livedMillis: 1000,
  /** How long a load of related rows waits until it sees all transactions that capture has read. */
  visibleMillis: 500,
  /** Pause between two queries of a standby for the holder of the slot. */
  holderMillis: 1000,
  /** The same after a release: Postgres takes a moment to free the slot. */
  releasedMillis: 15,
  /** A leader that is silent for this long while other processes write their status hangs. */
  hangMillis: 8000,
  /** Pause of a standby whose query failed. */
  standbyRetryMillis: 1000
}

/** Whether a process is ready, and warnings of the pipeline. */
const pipeline = {
  /** How long the answer of Redis to a write is reused: the probe is a write to its disk. */
  probeKeptMillis: 2000,
  /** How long the version of Redis is reused. */
  versionKeptMillis: 60_000,
  /** Pause between two checks of the progress of capture. */
  lookMillis: 2000,
  /** With more lag than this, capture has to make progress. */
  lagMaxMillis: 10_000,
  /** Capture that lags and made no progress for this long has a problem. */
  standstillMillis: 20_000,
  /** Pause between two warnings about conditions that cannot be evaluated. */
  undecidedMillis: 10_000
}

/** Daily tables. */
const retention = {
  /** Pause between two searches for old days of the change log and of the delivery log. */
  roundMillis: 3_600_000
}

/** Entries in Redis. */
const stream = {
  /** The lease of an entry: without a renewal for this long, another process may claim it. */
  leaseMillis: 15_000,
  /** A lease is not relied on in its last milliseconds. */
  leaseMarginMillis: 2000,
  /** Pause between two renewals. */
  renewMillis: 5000,
  /**
   * The lease of the sweeper: after this long without a sweep another process may become the sweeper. An inspection that
   * did not end is repeated after the same time.
   */
  sweeperMillis: 15_000,
  /** Pause between two inspections of a webhook that has queued or pending entries. */
  sweepBusyMillis: 5000,
  /** Longest pause between two inspections of a webhook that has delayed deliveries only. */
  sweepIdleMillis: 300_000,
  /** Pause between two pings on a connection that only subscribes. */
  pingMillis: deadlineMillis / 5,
  /** The lease of all keys by the processes of one Postgres, and the pause between two renewals. */
  ownerLeaseMillis: 10_000,
  ownerRenewMillis: 3000,
  /** How long an answer of Redis about its memory is reused. */
  memoryKeptMillis: 1000
}

/** Sending, and the recovery of deliveries that were missed. */
const deliver = {
  /** Pause between two rounds: one sweeps, the other polls for requested work. */
  roundMillis: 5000,
  /** Without a completed round for this long a process has a problem. */
  unlookedMillis: 20_000,
  /** Pause before a read, a reservation or a load is tried again while Postgres or Redis is away. */
  retryMillis: 500,
  /** Pause before due deliveries are moved again, and before the webhooks are followed again, after a failure. */
  followRetryMillis: 1000,
  /** A webhook that cannot be read for this long is a problem. */
  unreadMillis: 10_000,
  /** Pause after a defect, so that a repeated one does not fill the log. */
  defectMillis: 1000,
  /** Time that attempts under way get to end when their definition is replaced or their actor stops. */
  graceMillis: 10_000,
  /** First and longest pause before a batch of the delivery log is written again; it doubles with each failure. */
  logRetryMinMillis: 100,
  logRetryMaxMillis: 2000,
  /** A delivery log with waiting outcomes that was not written for this long is a problem. */
  logStalledMillis: 10_000,
  /** Requested work that made no progress for this long is claimed by another process. */
  abandonedMillis: 30_000,
  /** Pause between two measurements of the backlog. */
  backlogMillis: 5000,
  /** A delivery that is due for this long should have been attempted: it is searched for in Redis. */
  overdueMillis: 20_000,
  /** Pause between two searches for the same deliveries: a search may miss one that moves from key to key. */
  searchMillis: 1000,
  /** Pause between two heartbeats of a process on the channel of announcements. */
  announceMillis: 3000,
  /** A listening connection that received nothing for this long is dead. */
  announceSilenceMillis: (deadlineMillis * 4) / 5
}

/** Circuit breakers, and the health of webhooks. */
const breaker = {
  /** First and longest time that a breaker stays open. */
  openMinMillis: 5000,
  openMaxMillis: 300_000,
  /** Time that a probe may take beyond its attempt. */
  probeMarginMillis: 2000,
  /** Without a sign of failure for this long a webhook may be healthy again: one alert, however often a breaker opens. */
  calmMillis: 20_000
}

/** Alarms as objects. */
const alarm = {
  /** Pause between two comparisons of the problems with the stored alarms. */
  roundMillis: 5000,
  /** A problem that lasts for this long is an alarm. */
  beginMillis: 8000,
  /** An alarm about a process ends when its problem was not seen for this long. */
  calmMillis: 60_000,
  /** A problem that recurs within this time continues its alarm, which then ends after as long a time without it. */
  recurMillis: 600_000
}

/** Pages of the console that change by themselves. */
const live = {
  /** Pause before a page is made again. */
  pauseMillis: 3000,
  /** A stream ends after this time; the browser opens another one, with the rights that it has then. */
  lifeMillis: 60_000,
  /** A browser whose connection was lost connects again after this time. */
  retryMillis: 3000
}

/** Moves from a running NetBox. */
const move = {
  /** First and longest pause before a request is sent again; it doubles with each failure. */
  retryMinMillis: 500,
  retryMaxMillis: 15_000
}

/** Requests for objects to the API of a source. */
const objectApi = {
  /** First and longest time in which no request is sent after several failures in a row; it doubles with each failure. */
  backOffMinMillis: 1000,
  backOffMaxMillis: 60_000,
  /** How long the endpoint of an object type is cached, and the absence of an endpoint. */
  endpointKeptMillis: 3_600_000,
  noEndpointKeptMillis: 600_000,
  /** How long no objects are requested of a type that the token may not view. */
  forbiddenKeptMillis: 60_000
}

const groups = {
  embedded,
  servers,
  presence,
  capture,
  pipeline,
  retention,
  stream,
  deliver,
  breaker,
  alarm,
  live,
  move,
  objectApi
}

/** Every value is in milliseconds. */
export type PaceValues = {
  readonly [Group in keyof typeof groups]: { readonly [Name in keyof (typeof groups)[Group]]: number }
}

/** The pace of the product as it is installed. */
export const usualPace: PaceValues = groups

/** The usual pace with each time multiplied by the factor; no time is less than a millisecond. */
export const scaledPace = (factor: number): PaceValues => {
  const scaled = (group: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(group).map(([name, millis]) => [name, Math.max(Math.round(millis * factor), 1)]))
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, scaled(group)])) as PaceValues
}

/** In code of plain classes it is passed as an argument. */
export const Pace = Context.Reference<PaceValues>("rackwire/Pace", { defaultValue: () => usualPace })

/** Sleeps for a time of the pace. */
export const paused = (millis: (pace: PaceValues) => number): Effect.Effect<void> =>
  Effect.flatMap(Pace, (pace) => Effect.sleep(millis(pace)))

/** A schedule without end, whose pauses are a time of the pace. */
export const pausing = (millis: (pace: PaceValues) => number): Schedule.Schedule<number> =>
  Schedule.addDelay(Schedule.forever, () => Effect.map(Pace, millis))
