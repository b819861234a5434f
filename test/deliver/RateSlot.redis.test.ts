/** Attempts that begin at their places in a limited rate, in a real Redis. */
import { Clock, Context, Duration, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { inRateSlot } from "../../src/deliver/actor/RateSlot.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { startStreams } from "../queue/TwoReaders.ts"

const streams = startStreams()

/** A clock that stands still until it is set: then it wakes all whose time has come at once, as after a stop. */
class StoppedClock {
  private nowMillis = 0
  private sleepers: ReadonlyArray<{ readonly atMillis: number; readonly wake: () => void }> = []

  readonly service: Clock.Clock = {
    ...Effect.runSync(Clock.clockWith(Effect.succeed)),
    monotonicTimeNanosUnsafe: () => BigInt(Math.round(this.nowMillis * 1e6)),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const atMillis = this.nowMillis + Duration.toMillis(duration)
        this.sleepers = [...this.sleepers, { atMillis, wake: () => resume(Effect.void) }]
      })
  }

  /** How many sleep. */
  get asleep(): number {
    return this.sleepers.length
  }

  setTo(millis: number): void {
    this.nowMillis = millis
    const due = this.sleepers.filter(({ atMillis }) => atMillis <= millis)
    this.sleepers = this.sleepers.filter((each) => !due.includes(each))
    for (const { wake } of due) wake()
  }
}

describe("a time slot of a rate limit", () => {
  it("that a process has slept through is reserved again, not used late", async () => {
    const { one } = streams()
    const clock = new StoppedClock()
    const reserved: Array<number> = []
    const reserve: typeof one.reserve = (...args) =>
      Effect.tap(one.reserve(...args), (millis) => Effect.sync(() => reserved.push(millis)))
    const context = Context.add(Context.make(Streams, { ...one, reserve }), Clock.Clock, clock.service)
    const run = Effect.runPromiseWith(context)
    const definition = { id: 1, rateLimit: 5 }
    const first = await Effect.runPromise(one.reserve(definition.id, 4, definition.rateLimit))
    let began = 0
    const whole = [0, 1, 2, 3].map((at) => run(inRateSlot(() => definition, first + at * 200)).then(() => began++))
    await expect.poll(() => clock.asleep).toBe(4)
    clock.setTo(1500)
    await expect.poll(() => [reserved.length, clock.asleep]).toEqual([4, 4])
    expect(began).toBe(0)
    // On Redis' clock each slot is a fifth of a second after the one before.
    expect(new Set(reserved).size).toBe(4)
    for (const millis of reserved.toSorted((a, b) => a - b)) clock.setTo(1500 + Math.ceil(millis))
    await Promise.all(whole)
    expect(began).toBe(4)
  })

  it("that began less than a tenth of it ago is used", async () => {
    const { one } = streams()
    const clock = new StoppedClock()
    let reservations = 0
    const reserve: typeof one.reserve = (...args) =>
      Effect.tap(one.reserve(...args), () => Effect.sync(() => (reservations += 1)))
    const context = Context.add(Context.make(Streams, { ...one, reserve }), Clock.Clock, clock.service)
    const attempt = Effect.runPromiseWith(context)(inRateSlot(() => ({ id: 2, rateLimit: 0.001 }), 1000))
    await expect.poll(() => clock.asleep).toBe(1)
    clock.setTo(1000 + 99_999)
    await attempt
    expect(reservations).toBe(0)
  })
})
