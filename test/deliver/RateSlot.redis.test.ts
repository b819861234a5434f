/** Attempts that begin at their places in a limited rate, in a real Redis. */
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { inRateSlot } from "../../src/deliver/actor/RateSlot.ts"
import { Streams } from "../../src/stream/Streams.ts"
import { startStreams } from "../stream/TwoReaders.ts"

const streams = startStreams()

describe("a time slot of a rate limit", () => {
  it("that a process has slept through is reserved again, not used late", async () => {
    const { one } = streams()
    const run = Effect.runPromiseWith(Context.make(Streams, one))
    const definition = { id: 1, rateLimit: 5 }
    const first = await Effect.runPromise(one.reserve(definition.id, 4, definition.rateLimit))
    const began: Array<number> = []
    const whole = [0, 1, 2, 3].map((at) =>
      run(inRateSlot(() => definition, first + at * 200)).then(() => began.push(performance.now()))
    )
    // Nothing of this process runs meanwhile, as when it is stopped.
    for (const end = performance.now() + 1500; performance.now() < end;);
    await Promise.all(whole)
    const gaps = began.slice(1).map((time, at) => time - began[at]!)
    expect(Math.min(...gaps)).toBeGreaterThan(50)
  })
})
