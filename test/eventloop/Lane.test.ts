import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { makeLane } from "../../src/eventloop/Lane.ts"

const lane = (bounds: { readonly waiting?: number; readonly patienceMillis?: number } = {}) =>
  makeLane({ most: 2, waiting: 10, patienceMillis: 60_000, busy: Effect.fail("busy"), ...bounds })

describe("a lane", () => {
  it("runs a limited number of effects at once, and the others as places become free", async () => {
    const { run, isIdle } = lane()
    let working = 0
    let most = 0
    const work = Effect.gen(function* () {
      most = Math.max(most, ++working)
      yield* Effect.yieldNow
      working -= 1
      return 1
    })
    const done = await Effect.runPromise(
      Effect.all(
        Array.from({ length: 12 }, () => run(work)),
        { concurrency: 12 }
      )
    )
    expect([done.length, most, isIdle()]).toEqual([12, 2, true])
  })

  it("refuses an effect at once if its queue is full, and a queued effect after a while", async () => {
    await Effect.gen(function* () {
      const { run } = lane({ waiting: 1, patienceMillis: 20 })
      const gate = yield* Deferred.make<void>()
      const working = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(run(Deferred.await(gate)), { startImmediately: true })
      )
      const waiting = yield* Effect.forkChild(run(Effect.void), { startImmediately: true })
      expect(yield* Effect.flip(run(Effect.void))).toBe("busy")
      expect(yield* Effect.flip(Fiber.join(waiting))).toBe("busy")
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(working, Fiber.join)
      yield* run(Effect.void)
    }).pipe(Effect.runPromise)
  })

  it("gets all its places back after failures and interruptions of running and queued effects", async () => {
    await Effect.gen(function* () {
      const { run, isIdle } = lane()
      const workers = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.forkChild(run(Effect.never), { startImmediately: true })
      )
      yield* Effect.forEach(workers.toReversed(), Fiber.interrupt)
      expect(Exit.isFailure(yield* Effect.exit(run(Effect.fail("wrong"))))).toBe(true)
      expect(isIdle()).toBe(true)
      const both = Effect.all([run(Effect.yieldNow), run(Effect.yieldNow)], { concurrency: 2 })
      yield* Effect.timeout(both, "5 seconds")
    }).pipe(Effect.runPromise)
  })
})
