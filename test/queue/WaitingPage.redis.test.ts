/** The list of all deliveries of a webhook in Redis, in a real Redis: every place, page by page. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { WaitingDelivery } from "../../src/queue/WaitingPage.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const streams = startStreams()
const run = Effect.runPromise

/** All of them, so many at a time. */
const listed = async (count: number) => {
  const found: Array<WaitingDelivery> = []
  for (let cursor = ""; ;) {
    const page = await run(streams().one.waiting(1, cursor, count))
    found.push(...page)
    if (page.length === 0) return found
    cursor = page.at(-1)!.cursor
  }
}

const shown = (found: ReadonlyArray<WaitingDelivery>) => found.map(({ delivery: { idx }, state }) => `${idx} ${state}`)

describe("the deliveries of a webhook", () => {
  it.each([1, 2, 100])("are listed in every place, each once, %i at a time", async (count) => {
    const { append, one } = streams()
    const ofSeven = (idx: number) => ({ ...delivery(idx), objectId: 7 })
    await run(append.append([ofSeven(1), ofSeven(2)]))
    await run(one.read(1, 9, true))
    await run(append.append([delivery(3)]))
    await run(one.urge(1, [delivery(4)]))
    const tried = (idx: number, delayMillis: number) => ({ delayMillis, delivery: { ...delivery(idx), attempts: 1 } })
    await run(one.delay(1, [tried(5, 0)]))
    await run(one.promote(1, true))
    await run(one.delay(1, [tried(6, 60_000), tried(8, 120_000)]))
    const found = await listed(count)
    expect(shown(found)).toEqual([
      ...["4 queued", "5 queued", "1 sending", "3 queued", "2 parked", "6 delayed", "8 delayed"]
    ])
    expect(found.map(({ due }) => due !== undefined)).toEqual([false, false, false, false, false, true, true])
  })
})
