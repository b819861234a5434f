import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InFlight } from "../../src/deliver/actor/InFlight.ts"
import { runs } from "../support/Seed.ts"
import type { Entry } from "../../src/queue/Entry.ts"

const entry = (number: number): Entry =>
  ({ stream: "queue", entryId: `${number}-0`, ordered: false, delivery: { body: "12345" } }) as Entry

/** Steps of an entry, in any order. */
const steps = fc.array(fc.tuple(fc.constantFrom("begin", "answered", "end", "postpone", "adopt", "take"), fc.nat(5)), {
  maxLength: 60
})

describe("the entries that an actor holds", () => {
  it("are in flight once, however often they come", () => {
    const inFlight = new InFlight()
    expect(inFlight.begin(entry(1))).toBe(true)
    expect(inFlight.begin(entry(1))).toBe(false)
    inFlight.answered(entry(1))
    expect([inFlight.count, inFlight.begin(entry(1))]).toEqual([0, false])
    inFlight.end(entry(1))
    expect(inFlight.begin(entry(1))).toBe(true)
  })

  it("are told as requests and characters, a batch as one request, and in the end as none", () => {
    const told = { requests: 0, chars: 0 }
    const inFlight = new InFlight((requests, chars) => {
      told.requests += requests
      told.chars += chars
    })
    const all = [1, 2, 3].map(entry)
    for (const each of all) inFlight.begin(each)
    expect(told).toEqual({ requests: 3, chars: 15 })
    inFlight.countAsOne(all)
    expect(told).toEqual({ requests: 1, chars: 15 })
    for (const each of all) inFlight.answered(each)
    expect(told).toEqual({ requests: 0, chars: 15 })
    for (const each of all) inFlight.end(each)
    expect(told).toEqual({ requests: 0, chars: 0 })
  })

  it("are adopted only if they are not held already", () => {
    const inFlight = new InFlight()
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
        const inFlight = new InFlight()
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

  it("are told as nothing once their webhook has ended, whatever happened before and after", () => {
    fc.assert(
      fc.property(steps, fc.nat(60), (happened, end) => {
        const told = { requests: 0, chars: 0 }
        const inFlight = new InFlight((requests, chars) => {
          told.requests += requests
          told.chars += chars
        })
        for (const [at, [step, number]] of happened.entries()) {
          if (at === end) inFlight.leave()
          if (step === "begin") inFlight.begin(entry(number))
          if (step === "answered") inFlight.answered(entry(number))
          if (step === "end") inFlight.end(entry(number))
          const held = { requests: inFlight.count, chars: 5 * inFlight.all().length }
          expect(told).toEqual(at < end ? held : { requests: 0, chars: 0 })
        }
      }),
      { numRuns: runs(200) }
    )
  })
})
