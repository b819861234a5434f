/** The time slots of a webhook's rate limit, in a real Redis that two processes share. */
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { replaceTimeOf } from "../support/TimeOf.ts"
import { startStreams } from "./TwoReaders.ts"

const streams = startStreams()
const run = Effect.runPromise

/** Length of a slot: longer than the test takes. */
const seconds = 1000

/** The start of the first free slot on Redis' clock, seconds. */
const free = async () => Number(await streams().client.get(keysOf(1).pace)) / 1_000_000

/** For the test, the time that Redis takes to answer, milliseconds: each reading of the clock is so much later. */
const answersTake = (millis: number): void => {
  let now = 0
  onTestFinished(replaceTimeOf("/src/queue/RateSlots.ts", () => (now += millis)))
}

describe("a rate limit", () => {
  it("is one sequence of slots for all processes, with no slot used twice and none left out", async () => {
    const { one, other } = streams()
    answersTake(0)
    expect(await run(one.reserve(1, 1, 1 / seconds))).toBe(0)
    const began = await free()
    let taken = 0
    for (let turn = 0; turn < 20; turn++) {
      const count = 1 + (turn % 3)
      const first = await run((turn % 2 === 0 ? one : other).reserve(1, count, 1 / seconds))
      expect(Math.ceil(first / 1000 / seconds)).toBe(taken + 1)
      taken += count
      expect((await free()) - began).toBeCloseTo(taken * seconds, 3)
    }
  })

  it("drops slots that Redis answered late: other processes use the next ones by then", async () => {
    const { one } = streams()
    answersTake(0)
    await run(one.reserve(1, 1, 1 / seconds))
    const began = await free()
    answersTake(100 * seconds + 1)
    const wait = await run(one.reserve(1, 100, 1 / seconds))
    expect(Math.ceil(wait / 1000 / seconds)).toBe(101)
    expect((await free()) - began).toBeCloseTo(200 * seconds, 3)
  })

  it("keeps a slot that Redis answered late by less than a tenth of it", async () => {
    const { one } = streams()
    answersTake(100 * seconds - 1)
    expect(await run(one.reserve(1, 1, 1 / seconds))).toBe(0)
    answersTake(101)
    // A slot of a second has a tolerance of 100 ms, so that the second one was reserved.
    expect(Math.ceil((await run(one.reserve(2, 1, 1))) / 1000)).toBe(1)
  })

  it("keeps no slots back: after a pause the first attempt begins at once", async () => {
    const { one, client } = streams()
    expect(await run(one.reserve(1, 1, 1000))).toBe(0)
    const passed = async () => {
      const [seconds, micros] = await client.time()
      return Number(seconds) * 1_000_000 + Number(micros) > Number(await client.get(keysOf(1).pace))
    }
    await expect.poll(passed).toBe(true)
    expect(await run(one.reserve(1, 1, 1000))).toBe(0)
    expect(await run(one.reserve(2, 1, 1))).toBe(0)
  })
})
