/** Slow handshakes leave turns of the event loop, and time, to others. The clock is the test's. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it, vi, onTestFinished } from "vitest"
import { HandshakeLane } from "../../src/transport/HandshakeLane.ts"

const start = () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const time = { spent: 0 }
  const lane = new HandshakeLane({ now: () => Date.now(), spent: () => time.spent })
  const ran: Array<string> = []
  /** A step that takes so many milliseconds of CPU time. */
  const run = (name: string, owner: object, millis: number) =>
    lane.run(owner, () => {
      ran.push(name)
      time.spent += millis
    })
  return { ran, run }
}

describe("steps of handshakes", () => {
  it("run at once while they are quick", () => {
    const { ran, run } = start()
    const owner = {}
    for (const name of ["a", "b", "c"]) run(name, owner, 9)
    expect(ran).toEqual(["a", "b", "c"])
  })

  it("behind a slow one wait for the next turn, one slow one a turn", async () => {
    const { ran, run } = start()
    for (const name of ["a", "b", "c"]) run(name, {}, 50)
    expect(ran).toEqual(["a"])
    await nextTurn()
    expect(ran).toEqual(["a", "b"])
    await nextTurn()
    expect(ran).toEqual(["a", "b", "c"])
  })

  it("of owners that were slow get a tenth of the time together, and delay no others", async () => {
    const { ran, run } = start()
    const [one, two, quick] = [{}, {}, {}]
    run("one", one, 50)
    await nextTurn()
    run("two", two, 50)
    await nextTurn()
    for (const owner of [one, two]) run("again", owner, 50)
    run("quick", quick, 1)
    await nextTurn()
    expect(ran).toEqual(["one", "two", "quick"])
    vi.advanceTimersByTime(449)
    expect(ran).toHaveLength(3)
    vi.advanceTimersByTime(1)
    expect(ran).toEqual(["one", "two", "quick", "again"])
    await nextTurn()
    await nextTurn()
    vi.advanceTimersByTime(450)
    expect(ran).toEqual(["one", "two", "quick", "again", "again"])
  })
})
