/** How the time constants of the product depend on each other. */
import { describe, expect, it } from "vitest"
import { livenessMillis } from "../../src/postgres/Postgres.ts"
import { type PaceValues, scaledPace, usualPace } from "../../src/eventloop/Pace.ts"

/** Each says by its name why `more` must exceed `less`. */
const relations: ReadonlyArray<
  readonly [title: string, times: (pace: PaceValues) => readonly [more: number, less: number]]
> = [
  [
    "a lease survives a renewal that fails",
    ({ stream }) => [stream.leaseMillis, 2 * stream.renewMillis + stream.leaseMarginMillis]
  ],
  [
    "attempts that get time to end do so within their leases",
    ({ stream, deliver }) => [stream.leaseMillis - stream.leaseMarginMillis, deliver.graceMillis]
  ],
  [
    "a process that misses two writes of its status has no problem yet",
    ({ presence }) => [presence.unwrittenMillis, 3 * presence.writeMillis]
  ],
  [
    "a process reports that it cannot write before the others count it as gone",
    ({ presence }) => [presence.silenceMillis, presence.unwrittenMillis]
  ],
  [
    "a leader that misses two writes of its status does not hang",
    ({ presence, capture }) => [capture.hangMillis, 3 * presence.writeMillis]
  ],
  [
    "a leader that hangs is ended before it counts as gone",
    ({ presence, capture }) => [presence.silenceMillis, capture.hangMillis + capture.holderMillis]
  ],
  ["a standby polls faster after a release", ({ capture }) => [capture.holderMillis, capture.releasedMillis]],
  [
    "capture stands still only if it missed three heartbeats",
    ({ capture, pipeline }) => [pipeline.standstillMillis, 3 * capture.heartbeatMillis]
  ],
  [
    "an idle capture does not lag because of the pause between heartbeats",
    ({ capture, pipeline }) => [pipeline.lagMaxMillis, capture.heartbeatMillis]
  ],
  [
    "capture is checked several times before it stands still",
    ({ pipeline }) => [pipeline.standstillMillis, 3 * pipeline.lookMillis]
  ],
  [
    "a process has written a problem more than once before it is an alarm",
    ({ alarm, presence }) => [alarm.beginMillis, 3 * presence.writeMillis]
  ],
  [
    "the problem of a process that is lost for a moment does not end its alarm",
    ({ alarm, presence }) => [alarm.calmMillis, presence.silenceMillis + 2 * alarm.roundMillis]
  ],
  ["an alarm that ended is not forgotten at once", ({ alarm }) => [alarm.recurMillis, 2 * alarm.calmMillis]],
  [
    "the sweeper stays the sweeper if it misses a round",
    ({ stream, deliver }) => [stream.sweeperMillis, 2 * deliver.roundMillis]
  ],
  [
    "a process that misses two rounds has no problem yet",
    ({ deliver }) => [deliver.unlookedMillis, 3 * deliver.roundMillis]
  ],
  [
    "the lease of the keys survives two renewals that fail",
    ({ stream }) => [stream.ownerLeaseMillis, 3 * stream.ownerRenewMillis]
  ],
  [
    "the pause between inspections grows when a webhook gets idle",
    ({ stream }) => [stream.sweepIdleMillis, stream.sweepBusyMillis]
  ],
  [
    "entries of a process that died are claimed before they are searched for as lost",
    ({ stream, deliver }) => [deliver.overdueMillis, stream.leaseMillis]
  ],
  [
    "work is claimed from a process that is gone, not from one between two rounds",
    ({ presence, deliver }) => [deliver.abandonedMillis, presence.silenceMillis + deliver.roundMillis]
  ],
  [
    "a connection that misses two heartbeats is not dead",
    ({ deliver }) => [deliver.announceSilenceMillis, 3 * deliver.announceMillis]
  ],
  [
    "the delivery log is written again several times before that is a problem",
    ({ deliver }) => [deliver.logStalledMillis, 3 * deliver.logRetryMaxMillis]
  ],
  [
    "a webhook is read again several times before that is a problem",
    ({ deliver }) => [deliver.unreadMillis, 3 * deliver.retryMillis]
  ],
  [
    "a webhook is not healthy between two looks at a breaker that opens again",
    ({ breaker, deliver }) => [breaker.calmMillis, breaker.openMinMillis + deliver.roundMillis]
  ],
  [
    "a webhook is not healthy because the process that knew of its failure is gone, or the sweeper is another one",
    ({ breaker, presence, stream }) => [breaker.calmMillis, Math.max(presence.silenceMillis, stream.sweeperMillis)]
  ],
  ["a live page is made several times before its stream ends", ({ live }) => [live.lifeMillis, 3 * live.pauseMillis]],
  [
    "a server that ran for a while is restarted at once",
    ({ embedded }) => [embedded.livedMillis, embedded.restartMillis]
  ],
  [
    "a connection that only subscribes to Redis is replaced within the deadline",
    ({ servers: { deadlineMillis, silenceMillis, redisMaxMillis }, stream }) => [
      deadlineMillis,
      stream.pingMillis + silenceMillis + redisMaxMillis
    ]
  ],
  [
    "a connection that listens is replaced within the deadline",
    ({ servers, deliver }) => [servers.deadlineMillis, deliver.announceSilenceMillis + deliver.followRetryMillis]
  ],
  ["pauses of capture grow", ({ capture }) => [capture.retryMaxMillis, capture.retryMinMillis]],
  ["pauses between sessions grow", ({ capture }) => [capture.sessionMaxMillis, capture.sessionMinMillis]],
  ["pauses of the delivery log grow", ({ deliver }) => [deliver.logRetryMaxMillis, deliver.logRetryMinMillis]],
  ["pauses of a breaker grow", ({ breaker }) => [breaker.openMaxMillis, breaker.openMinMillis]],
  ["pauses before Redis is connected to grow", ({ servers }) => [servers.redisMaxMillis, servers.redisStepMillis]]
]

describe.each([1, 0.1])("at %f of the usual pace", (factor) => {
  it.each(relations)("%s", (_, times) => {
    const [more, less] = times(scaledPace(factor))
    expect(more).toBeGreaterThan(less)
  })
})

/** Against the deadline of the usual pace, because the time of a probe has none. */
it.each<readonly [string, number]>([
  ["a pool, after a probe between two checks", usualPace.servers.silenceMillis * 1.3 + usualPace.presence.writeMillis],
  [
    "a walsender",
    usualPace.servers.silenceMillis + 2 * usualPace.capture.reportMillis + usualPace.capture.sessionMinMillis
  ]
])("a connection of %s is replaced within the deadline", (_, millis) => {
  expect(usualPace.servers.deadlineMillis).toBeGreaterThan(millis + livenessMillis)
})

describe("a scaled pace", () => {
  it("is the usual one for the factor 1", () => {
    expect(scaledPace(1)).toEqual(usualPace)
  })

  it("multiplies every time, and leaves a millisecond of each", () => {
    expect(scaledPace(0.1).presence).toEqual({ writeMillis: 200, unwrittenMillis: 800, silenceMillis: 1500 })
    const least = Object.values(scaledPace(0)).flatMap((group) => Object.values(group))
    expect(new Set(least)).toEqual(new Set([1]))
  })
})
