import { Effect, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { makeEarliestTimer } from "../../src/deliver/actor/EarliestTimer.ts"

const scope = Effect.runSync(Scope.make())

/** Sets an alarm to these times; answers how long after the last of them it rang, milliseconds. */
const late = (...millis: ReadonlyArray<number>) =>
  new Promise<number>((resolve) => {
    const began = performance.now()
    const ring = Effect.sync(() => resolve(performance.now() - began - millis.at(-1)!))
    const set = Effect.runSync(Scope.provide(makeEarliestTimer(ring), scope))
    for (const each of millis) set(each)
  })

describe("an alarm", () => {
  it("never rings before its time, however small the part of a millisecond", async () => {
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => late(5 + n / 10 + 0.09)))
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0)
  })

  it("rings at the earliest time that it was set to", async () => {
    expect(await late(60_000, 5)).toBeGreaterThanOrEqual(0)
  })
})
