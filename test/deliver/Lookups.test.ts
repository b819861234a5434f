import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { Lookups, usualBounds } from "../../src/deliver/attempt/Lookups.ts"
import { runs } from "../support/Seed.ts"

/** Lookups that end when the test says so. */
const world = (bounds = usualBounds) => {
  const lookups = new Lookups(bounds)
  const begun: Array<{ readonly owner: object; readonly end: () => void }> = []
  const ask = (owner: object) =>
    lookups.run(owner, 60_000, () => new Promise<void>((resolve) => begun.push({ owner, end: resolve })))
  return { begun, ask, of: (owner: object) => begun.filter((each) => each.owner === owner).length }
}

/** Lets promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("lookups of names", () => {
  it("of one webhook are two at a time, and those of others begin beside them", async () => {
    const { begun, ask, of } = world()
    const [one, other] = [{}, {}]
    for (let n = 0; n < 100; n++) void ask(one)
    void ask(other)
    expect([of(one), of(other)]).toEqual([2, 1])
    begun[0]!.end()
    await settled()
    expect([of(one), of(other)]).toEqual([3, 1])
  })

  it("that take long leave their places to others, and share few with each other", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { ask, of } = world()
      const dead = Array.from({ length: 6 }, () => ({}))
      for (const owner of dead) for (let n = 0; n < 10; n++) void ask(owner)
      // Eight places for webhooks that nobody knows yet.
      expect(dead.map(of)).toEqual([2, 2, 2, 2, 0, 0])
      vi.advanceTimersByTime(usualBounds.slowMillis)
      expect(dead.map(of)).toEqual([2, 2, 2, 2, 2, 2])
      const other = {}
      void ask(other)
      expect(of(other)).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it("are left out when their turn comes too late", async () => {
    const lookups = new Lookups({ ...usualBounds, threads: 1 })
    const owner = {}
    let end = () => {}
    const first = lookups.run(owner, 1000, () => new Promise<void>((resolve) => (end = resolve)))
    let isAsked = false
    const late = lookups.run(owner, -1, async () => void (isAsked = true))
    end()
    await first
    await expect(late).rejects.toThrow("The name was not looked up in time.")
    expect(isAsked).toBe(false)
  })

  it("all end, never more at a time than there are threads, whoever asks for how many", async () => {
    const asked = fc.array(fc.nat(5), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(asked, async (owners) => {
        const { begun, ask } = world({ ...usualBounds, threads: 3 })
        const objects = Array.from({ length: 6 }, () => ({}))
        const all = owners.map((owner) => ask(objects[owner]!))
        for (let ended = 0; ended < owners.length; ended++) {
          expect(begun.length - ended).toBeLessThanOrEqual(3)
          expect(begun.length).toBeGreaterThan(ended)
          begun[ended]!.end()
          await settled()
        }
        await Promise.all(all)
      }),
      { numRuns: runs(100) }
    )
  })
})
