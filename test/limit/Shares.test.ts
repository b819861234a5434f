import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { connectionLimits } from "../../src/limit/ProcessLimits.ts"
import { Shares } from "../../src/limit/Shares.ts"

/** Takes one place after the other while there is room. */
const takeAll = (shares: Shares<string>, holder: string) => {
  while (shares.room(holder) > 0) shares.change(holder, 1)
  return shares.heldBy(holder)
}

/** Work that begins as soon as there is room for it. */
const hold = <Holder>(shares: Shares<Holder>, holder: Holder, count: number, begin: () => void) => {
  const work = shares.reserve(holder, count)
  work.whenRoom(() => {
    expect(work.take()).toBe(true)
    begin()
  })
  return work
}

describe("shares", () => {
  it("give a holder alone a part of all places, at once as one by one", () => {
    const shares = new Shares<string>(100)
    expect(shares.room("a")).toBe(39)
    expect(takeAll(shares, "a")).toBe(39)
  })

  it.each([1, 5, 21, 60])("leave places after %d holders that took all they could get and keep it", (holders) => {
    const shares = new Shares<string>(3000)
    for (let holder = 0; holder < holders; holder++) takeAll(shares, `${holder}`)
    expect(shares.free).toBeGreaterThan((0.8 * 3000) / (holders + 2))
    expect(takeAll(shares, "late")).toBeGreaterThan(0)
  })

  it("let work begin that takes many places at once, if its holder has few", () => {
    const shares = new Shares<string>(64)
    shares.change("a", 50)
    let begun = 0
    hold(shares, "b", 10, () => (begun += 1))
    hold(shares, "b", 4, () => (begun += 1))
    expect([begun, shares.used]).toEqual([1, 60])
  })

  it("begin work when its holder has room, the first one first, and others not before", () => {
    const shares = new Shares<string>(5)
    const begun: Array<string> = []
    const named = (holder: string, name: string, count = 1) => hold(shares, holder, count, () => void begun.push(name))
    const first = named("a", "a1", 2)
    named("a", "a2", 1)
    named("b", "b1")
    expect(begun).toEqual(["a1", "b1"])
    // It needs less than was thought.
    first.settle(1)
    expect(begun).toEqual(["a1", "b1", "a2"])
  })

  it("forget work that was given up before it began", () => {
    const shares = new Shares<string>(2)
    const begun: Array<string> = []
    const one = hold(shares, "a", 1, () => void begun.push("one"))
    const two = hold(shares, "a", 1, () => void begun.push("two"))
    two.end()
    one.end()
    expect([begun, shares.used, shares.waitingHolders]).toEqual([["one"], 0, 0])
  })

  it("are not taken by work that waits for something else, and refused where there is no room", () => {
    const shares = new Shares<string>(2)
    const [one, two] = [shares.reserve("a", 1), shares.reserve("a", 1)]
    expect(shares.used).toBe(0)
    expect([one.take(), two.take(), shares.used]).toEqual([true, false, 1])
  })

  it("never leave anybody waiting who has room, and end with nothing taken", () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 80 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 8, max: 30 }), (all, most) => {
        const shares = new Shares<number>(most)
        const open: Array<{ readonly end: () => void; hasBegun: boolean }> = []
        for (const [holder, count, ends] of all) {
          if (ends) open.shift()?.end()
          else {
            const work = { end: () => {}, hasBegun: false }
            work.end = hold(shares, holder, count, () => (work.hasBegun = true)).end
            open.push(work)
          }
          expect(shares.used).toBeLessThanOrEqual(most)
        }
        for (let at = open.findIndex((work) => work.hasBegun); at >= 0; at = open.findIndex((w) => w.hasBegun)) {
          open.splice(at, 1)[0]!.end()
        }
        expect([open.length, shares.used, shares.waitingHolders]).toEqual([0, 0, 0])
      })
    )
  })
})

describe("the connections of a process", () => {
  it.each([
    [64, { requests: 48, idle: 16, incoming: 64 }],
    [1024, { requests: 288, idle: 96, incoming: 384 }],
    [20_000, { requests: 3072, idle: 1024, incoming: 4096 }]
  ])("that may open %d descriptors", (descriptors, limits) => {
    expect(connectionLimits(descriptors)).toEqual(limits)
  })
})
