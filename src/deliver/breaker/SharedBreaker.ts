/**
 * A webhook's circuit breaker in all processes: one process notifies the others when it opens or closes, and when its time
 * is over a single attempt of one process probes.
 *
 * It is the owner of the breaker's state: nothing else in a process changes the copy that processes share in Redis
 * (queue/Breaker.ts) or the rows that people read (log/BreakerTable.ts). The health of the webhook follows from these
 * rows (HealthWatch.ts). The shared copy may be lost. Then each process keeps its own copy, and opens its own.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { monotonicMillis } from "../../eventloop/Monotonic.ts"
import { Pace } from "../../eventloop/Pace.ts"
import type { RedisError } from "../../redis/Redis.ts"
import type { BreakerNews } from "../../queue/Breaker.ts"
import { Streams } from "../../queue/Streams.ts"
import { makeEarliestTimer } from "../actor/EarliestTimer.ts"
import type { Failure } from "../../event/Outcome.ts"
import { type Breaker, afterAttempt, closedBreaker, roomOf } from "./Breaker.ts"
import { forgetBreaker, noteBreaker } from "../../log/BreakerTable.ts"

export interface SharedBreaker {
  readonly isOpen: () => boolean
  /** Whether it is open and its time is not over: nothing may be sent, a probe included. */
  readonly isShut: () => boolean
  /** Whether a success changes nothing. */
  readonly isCalm: () => boolean
  /** How many attempts may begin, of `max` at the same time. */
  readonly room: (inFlight: number, max: number) => number
  /** Whether an attempt may begin: always while it is closed, else if this process is the one that probes. */
  readonly mayBegin: (timeoutMillis: number) => Effect.Effect<boolean, RedisError>
  /** Lets another process probe, since this one has nothing to send. */
  readonly endProbe: Effect.Effect<void, RedisError>
  /** Wakes the actor when its time is over. */
  readonly awaitProbe: () => void
  /**
   * Opens or closes it after an attempt, here and elsewhere; `failure` is undefined when it succeeded. `isUrgent`: the
   * attempt did not wait for the breaker.
   */
  readonly turn: (failure: Failure | undefined, isUrgent?: boolean) => Effect.Effect<void, never, SqlClient.SqlClient>
  /** Takes over what another process says. */
  readonly learn: (news: BreakerNews) => void
  /** Ends its time in all processes: the receiver, or how it is reached, may have changed. */
  readonly probe: Effect.Effect<void>
}

/** The breaker of a webhook as other processes left it. `wake` is called when attempts may begin again. */
export const makeSharedBreaker = Effect.fnUntraced(function* (webhook: number, wake: () => void) {
  const streams = yield* Streams
  const pace = (yield* Pace).breaker
  const now = yield* monotonicMillis
  const timer = yield* makeEarliestTimer(Effect.sync(wake))
  let breaker: Breaker = closedBreaker
  const learn = ({ openMillis, openings }: BreakerNews): void => {
    breaker =
      openMillis === 0 && openings === 0
        ? closedBreaker
        : { ...breaker, until: now() + openMillis, openings: Math.max(breaker.openings, openings) }
    wake()
  }
  const turn = Effect.fnUntraced(function* (failure: Failure | undefined, isUrgent = false) {
    const before = breaker
    const at = now()
    breaker = afterAttempt(before, at, failure, pace, isUrgent)
    const { until, openings } = breaker
    if (until === before.until) return
    if (until === undefined) {
      wake()
      yield* Effect.ignore(streams.closeBreaker(webhook))
      return yield* noteBreaker(webhook, undefined)
    }
    timer(until - at)
    yield* Effect.ignore(streams.openBreaker({ webhook, openMillis: until - at, openings }))
    yield* noteBreaker(webhook, { openMillis: until - at, openings, reason: failure?.message ?? "" })
  })
  yield* Effect.addFinalizer(() => (breaker.until === undefined ? Effect.void : forgetBreaker(webhook)))
  yield* Effect.ignore(
    Effect.map(streams.breakerOf(webhook), (news) => {
      if (news.openings > 0 || news.openMillis > 0) learn(news)
    })
  )
  return {
    isOpen: () => breaker.until !== undefined,
    isShut: () => (breaker.until ?? 0) > now(),
    isCalm: () => breaker === closedBreaker,
    room: (inFlight, max) => roomOf(breaker, now(), inFlight, max),
    mayBegin: (timeoutMillis) =>
      Effect.suspend(() => {
        if (breaker.until === undefined) return Effect.succeed(true)
        return Effect.map(streams.beginProbe(webhook, timeoutMillis + pace.probeMarginMillis), (wait) => {
          if (wait > 0) breaker = { ...breaker, until: now() + wait }
          return wait === 0
        })
      }),
    endProbe: Effect.suspend(() => (breaker.until === undefined ? Effect.void : streams.endProbe(webhook))),
    awaitProbe: () => {
      const wait = (breaker.until ?? 0) - now()
      if (wait > 0) timer(wait)
    },
    turn,
    learn,
    probe: Effect.suspend(() => {
      if (breaker.until !== undefined) breaker = { ...breaker, until: now() }
      return Effect.ignore(streams.probeNow(webhook))
    })
  } satisfies SharedBreaker
})
