/** The time that a step of a comparison takes. Diff.test.ts shows the limits on its work. */
import { expect, it } from "vitest"
import { comparing } from "../../src/console/value/Diff.ts"

/** The time that the longest step takes of this thread, in the fastest of some runs. */
const longestMillis = (before: unknown, after: unknown): number => {
  const runs = Array.from({ length: 5 }, () => {
    const work = comparing(before, after)
    const took: Array<number> = []
    for (let isDone = false; !isDone;) {
      const began = process.threadCpuUsage()
      isDone = work.next().done === true
      const { user, system } = process.threadCpuUsage(began)
      took.push((user + system) / 1000)
    }
    return Math.max(...took)
  })
  return Math.min(...runs)
}

it("a step takes a bounded time, however long the texts", () => {
  const megabytes = 16 * 1024 * 1024
  expect(longestMillis("a ".repeat(megabytes / 2), "b ".repeat(megabytes / 2))).toBeLessThan(50)
  const scattered = (word: string) => Array.from({ length: 5000 }, (_, at) => `${at % 7}${word}`).join(" ")
  expect(longestMillis(scattered("a").slice(0, 9999), scattered("b").slice(0, 9999))).toBeLessThan(50)
})
