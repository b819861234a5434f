/** The time that showing JSON holds the event loop. ApiPage.test.ts counts the turns of the loop. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { shownJson } from "../../src/console/api/Json.ts"
import { hostileJson } from "./HostileJson.ts"

/** Runs the work; returns the longest CPU time between two turns of the event loop. */
const watched = async (work: () => Promise<unknown>): Promise<number> => {
  let [isDone, longest, last] = [false, 0, process.cpuUsage().user]
  const look = () => {
    const now = process.cpuUsage().user
    longest = Math.max(longest, now - last)
    last = now
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isDone = true
  return longest / 1000
}

test("JSON never holds the event loop for long", async () => {
  for (const hostile of hostileJson) {
    const text = JSON.stringify(hostile)
    const longestMillis = await watched(() => Effect.runPromise(shownJson(text)))
    // A slice has 10 ms; the collector of garbage may add to it.
    expect(longestMillis).toBeLessThan(100)
  }
})
