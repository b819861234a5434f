/** Goal: the pools of a process have as many connections together as the option says, and each has enough to work. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { connectionsDefault, connectionsMin, sharesOf, transactionsMax } from "../../src/postgres/Connections.ts"

it("the usual number is divided as documented", () => {
  expect(sharesOf(connectionsDefault)).toEqual({ stages: 12, requests: 16, patterns: 2, admission: 3 })
  expect(sharesOf(connectionsMin)).toEqual({ stages: 4, requests: 3, patterns: 1, admission: 1 })
})

it("every number is divided without a rest, and a transaction leaves a connection to other requests", () => {
  fc.assert(
    fc.property(fc.integer({ min: connectionsMin, max: 1000 }), (connections) => {
      const { stages, requests, patterns, admission } = sharesOf(connections)
      expect(stages + requests + patterns + admission + 1).toBe(connections)
      expect([stages >= 4, patterns >= 1, admission >= 1]).toEqual([true, true, true])
      expect(requests).toBeGreaterThan(transactionsMax(requests))
    })
  )
})
