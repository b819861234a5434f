import { Effect } from "effect"
import { expect, it } from "vitest"
import { inSlices } from "../../src/eventloop/Slices.ts"

/** Longer than a slice, milliseconds. */
const stepMillis = 12

const busy = (): void => {
  const end = performance.now() + stepMillis
  while (performance.now() < end);
}

it("many works at once run one slice in each turn of the event loop, one after the other", async () => {
  const seen: Array<string> = []
  function* work(name: string): Generator<void, string> {
    for (let step = 0; step < 4; step++) {
      busy()
      seen.push(name)
      yield
    }
    return name
  }
  let isOver = false
  const mark = (): void => {
    seen.push("turn")
    if (!isOver) setImmediate(mark)
  }
  const names = ["a", "b", "c", "d", "e"]
  const all = Effect.all(
    names.map((name) => inSlices(work(name))),
    { concurrency: "unbounded" }
  )
  const result = Effect.runPromise(all)
  // The first slice of each runs at once.
  seen.length = 0
  setImmediate(mark)
  expect(await result).toEqual(names)
  isOver = true
  const slices = seen.filter((each) => each !== "turn")
  expect(slices).toEqual([...names, ...names, ...names])
  const adjacent = seen.filter((each, at) => each !== "turn" && at > 0 && seen[at - 1] !== "turn")
  expect(adjacent).toEqual([])
})

it("an interrupted work does not run again, and the others go on", async () => {
  let steps = 0
  function* endless(): Generator<void, never> {
    for (;;) {
      busy()
      steps += 1
      yield
    }
  }
  function* short(): Generator<void, string> {
    busy()
    yield
    return "done"
  }
  const one = Effect.runFork(inSlices(endless()))
  await new Promise(setImmediate)
  one.interruptUnsafe()
  const before = steps
  expect(await Effect.runPromise(inSlices(short()))).toBe("done")
  expect(steps).toBe(before)
})
