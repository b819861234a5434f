import { describe, expect, it } from "vitest"
import { type Watch, hangs, watch } from "../../src/capture/slot/Leadership.ts"

interface Look {
  readonly report: string
  readonly awaited?: boolean
  readonly beganHere?: number
  readonly now: number
}

/** Whether these looks, each with its time at the server, tell of a leader that hangs. */
const hangsAfter = (...looks: ReadonlyArray<Look>): boolean => {
  let watched: Watch | undefined
  let verdict = false
  for (const { report, awaited = true, beganHere = 1, now } of looks) {
    const holder = { pid: 1, report, awaited, beganHere, now }
    watched = watch(watched, holder)
    verdict = hangs(watched, holder)
  }
  return verdict
}

describe("a leader hangs", () => {
  it("if Postgres has waited five seconds for its report", () => {
    expect(hangsAfter({ report: "a", now: 0 }, { report: "a", now: 4900 })).toBe(false)
    expect(hangsAfter({ report: "a", now: 0 }, { report: "a", now: 3000 }, { report: "a", now: 5100 })).toBe(true)
  })

  it("twice as long after each leader that was ended before it came any further, up to 80 seconds", () => {
    const silent = (beganHere: number, now: number) =>
      hangsAfter({ report: "a", beganHere, now: 0 }, { report: "a", beganHere, now })
    const patience = [0, 1, 2, 3, 4, 5, 6, 50].map((began) =>
      [5, 10, 20, 40, 80, 160].find((seconds) => silent(began, seconds * 1000 + 1))
    )
    expect(patience).toEqual([5, 5, 10, 20, 40, 80, 80, 80])
  })

  it("not while it reports, however rarely it is checked", () => {
    expect(hangsAfter({ report: "a", now: 0 }, { report: "b", now: 60_000 })).toBe(false)
  })

  it("not while Postgres is too busy to read its reports, until it has waited that long again", () => {
    const busy = [0, 20_000, 40_000].map((now) => ({ report: "a", awaited: false, now }))
    expect(hangsAfter(...busy)).toBe(false)
    expect(hangsAfter(...busy, { report: "a", now: 44_000 })).toBe(false)
    expect(hangsAfter(...busy, { report: "a", now: 46_000 })).toBe(true)
  })
})
