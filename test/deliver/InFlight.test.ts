import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InFlight } from "../../src/deliver/actor/InFlight.ts"
import { Requests } from "../../src/deliver/actor/Requests.ts"
import { runs } from "../support/Seed.ts"
import type { Entry } from "../../src/stream/Entry.ts"

const entry = (number: number): Entry => ({ stream: "queue", entryId: `${number}-0`, ordered: false }) as Entry

/** What may happen to an entry, in any order. */
const steps = fc.array(fc.tuple(fc.constantFrom("begin", "answered", "end", "postpone", "adopt", "take"), fc.nat(5)), {
  maxLength: 60
})

describe("the entries that an actor holds", () => {
  it("are in flight once, however often they come", () => {
    const inFlight = new InFlight(new Requests())
    expect(inFlight.begin(entry(1))).toBe(true)
    expect(inFlight.begin(entry(1))).toBe(false)
    inFlight.answered(entry(1))
    expect([inFlight.count, inFlight.begin(entry(1))]).toEqual([0, false])
    inFlight.end(entry(1))
    expect(inFlight.begin(entry(1))).toBe(true)
  })

  it("are adopted only if they are not held already", () => {
    const inFlight = new InFlight(new Requests())
    inFlight.begin(entry(1))
    inFlight.begin(entry(2))
    inFlight.answered(entry(2))
    inFlight.postpone([entry(3)])
    inFlight.adopt([1, 2, 3, 4].map(entry))
    expect(inFlight.takeNotBegun(10)).toEqual([entry(3), entry(4)])
  })

  it("are all told, so that their leases are renewed, until they end", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const inFlight = new InFlight(new Requests())
        const held = new Map<string, number>()
        const add = (id: string, by: number) => held.set(id, (held.get(id) ?? 0) + by)
        const begun = new Set<string>()
        for (const [step, number] of all) {
          const each = entry(number)
          const id = each.entryId
          if (step === "begin" && inFlight.begin(each)) {
            begun.add(id)
            add(id, 1)
          }
          if (step === "answered" && begun.has(id)) inFlight.answered(each)
          if (step === "end" && begun.delete(id)) {
            inFlight.end(each)
            add(id, -1)
          }
          if (step === "postpone") {
            inFlight.postpone([each])
            add(id, 1)
          }
          if (step === "adopt") {
            if ((held.get(id) ?? 0) === 0) add(id, 1)
            inFlight.adopt([each])
          }
          if (step === "take") for (const { entryId } of inFlight.takeNotBegun(1)) add(entryId, -1)
        }
        const counts = [...held].filter(([, count]) => count > 0)
        const expected = counts.flatMap(([id, count]) => Array.from({ length: count }, () => id)).toSorted()
        const told = inFlight.all().map(({ entryId }) => entryId)
        expect(told.toSorted()).toEqual(expected)
      })
    )
  })

  it("share the requests of the process: half for the first that wants all, and one always", () => {
    const requests = new Requests(8)
    const [first, second, third] = [new InFlight(requests), new InFlight(requests), new InFlight(requests)]
    let next = 0
    const fill = (inFlight: InFlight) => {
      while (inFlight.sharedRoom > 0) inFlight.begin(entry((next += 1)))
      return inFlight.count
    }
    expect([fill(first), fill(second), fill(third)]).toEqual([4, 2, 1])
    const last = new InFlight(new Requests(0))
    expect(fill(last)).toBe(1)
    first.leave()
    expect(requests.count).toBe(3)
    for (const each of first.all()) first.end(each)
    expect(requests.count).toBe(3)
  })

  it("count with the requests of the process while they wait for an answer, whatever happens", () => {
    fc.assert(
      fc.property(steps, (happened) => {
        const requests = new Requests()
        const inFlight = new InFlight(requests)
        for (const [step, number] of happened) {
          if (step === "begin") inFlight.begin(entry(number))
          if (step === "answered") inFlight.answered(entry(number))
          if (step === "end") inFlight.end(entry(number))
          expect(requests.count).toBe(inFlight.count)
        }
      }),
      { numRuns: runs(200) }
    )
  })
})
