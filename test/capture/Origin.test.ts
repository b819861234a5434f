import { describe, expect, test } from "vitest"
import { type Origin, endsIn, restoredSince } from "../../src/capture/slot/Origin.ts"

const known = { timeline: 2, place: "11 22" }
const same: Origin = { systemId: "7", timeline: 2, ends: new Map(), place: "11 22", end: 100n, received: 100n }

describe("a database", () => {
  test("that goes on was not restored", () => {
    expect(restoredSince(known, same)).toBeUndefined()
    expect(restoredSince({ timeline: null, place: null }, same)).toBeUndefined()
    expect(restoredSince(known, { ...same, place: null })).toBeUndefined()
  })

  test("on another timeline was restored, from where the one known ended", () => {
    const ends = endsIn("1\t0/3000A8\tno recovery target specified\n\n2\t16/B374D848\tbefore 2026-11-20 00:00:00+00\n")
    expect(restoredSince(known, { ...same, timeline: 4, ends })).toMatchObject({ begin: "16/B374D848" })
    expect(restoredSince(known, { ...same, timeline: 3 })).toMatchObject({ begin: undefined })
  })

  test("in other files was restored", () => {
    expect(restoredSince(known, { ...same, place: "11 23" })).toMatchObject({ why: expect.stringContaining("copy") })
  })

  test("whose WAL ends before what was read was restored", () => {
    const { why } = restoredSince(known, { ...same, end: 99n })!
    expect(why).toContain("0/63")
  })
})
