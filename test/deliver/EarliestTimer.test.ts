import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeEarliestTimer } from "../../src/deliver/actor/EarliestTimer.ts"
import { monotonicMillis } from "../../src/Monotonic.ts"

/** Sets a timer to these times; answers how long after the last of them it rang, milliseconds, on a clock that is turned. */
const late = (...millis: ReadonlyArray<number>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const now = yield* monotonicMillis
      let rang = Number.NaN
      const set = yield* makeEarliestTimer(
        Effect.sync(() => {
          rang = now()
        })
      )
      const due = now() + millis.at(-1)!
      for (const each of millis) set(each)
      for (let turned = 0; turned < 100; turned++) yield* TestClock.adjust("1 millis")
      return rang - due
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
  )

describe("a timer", () => {
  it("never rings before its time, however small the part of a millisecond", async () => {
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => late(5 + n / 10 + 0.09)))
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0)
  })

  it("rings at the earliest time that it was set to", async () => {
    expect(await late(60_000, 5)).toBeGreaterThanOrEqual(0)
  })
})
