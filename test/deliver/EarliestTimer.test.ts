import { Deferred, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeEarliestTimer } from "../../src/deliver/actor/EarliestTimer.ts"
import { monotonicMillis } from "../../src/eventloop/Monotonic.ts"

/** Sets a timer to these times, then does `meanwhile`. Answers how long after the last of them it rang, milliseconds. */
const late = Effect.fnUntraced(function* (millis: ReadonlyArray<number>, meanwhile: Effect.Effect<void> = Effect.void) {
  const now = yield* monotonicMillis
  const rang = yield* Deferred.make<number>()
  const set = yield* makeEarliestTimer(Effect.suspend(() => Deferred.succeed(rang, now())))
  const due = now() + millis.at(-1)!
  for (const each of millis) set(each)
  yield* meanwhile
  return (yield* Deferred.await(rang)) - due
}, Effect.scoped)

describe("a timer", () => {
  it("never rings before its time, however small the part of a millisecond", async () => {
    // On the real clock: Node's timers ring early, a clock of the tests does not.
    const times = Array.from({ length: 200 }, (_, n) => 5 + n / 10 + 0.09)
    const all = Effect.forEach(times, (millis) => late([millis]), { concurrency: "unbounded" })
    expect(Math.min(...(await Effect.runPromise(all)))).toBeGreaterThanOrEqual(0)
  })

  it("rings at the earliest time that it was set to", async () => {
    const lateBy = late([60_000, 5], TestClock.adjust("100 millis")).pipe(Effect.provide(TestClock.layer()))
    expect(await Effect.runPromise(lateBy)).toBeGreaterThanOrEqual(0)
  })

  it("does not interrupt the effect that it runs when it is set meanwhile", async () => {
    const program = Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const ring = Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(answer))
      const set = yield* makeEarliestTimer(Effect.andThen(ring, Deferred.succeed(ended, undefined)))
      set(0)
      yield* Deferred.await(began)
      set(60_000)
      // A timer that interrupts the effect does so in this turn, before the answer.
      yield* Effect.yieldNow
      yield* Deferred.succeed(answer, undefined)
      return yield* Effect.timeoutOption(Deferred.await(ended), "10 seconds")
    })
    expect(Option.isSome(await Effect.runPromise(Effect.scoped(program)))).toBe(true)
  })
})
