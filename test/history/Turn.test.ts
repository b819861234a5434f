import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type HealthObservation, failureOf, turnOf } from "../../src/history/health/Turn.ts"

const well: HealthObservation = {
  ...{ enabled: true, health: "healthy", open: null, exceeded: null },
  last: { began: 1000, succeeded: true }
}

const open = { until: 5000, reason: "The receiver answered 500." }

describe("the health of a webhook", () => {
  it.each<readonly [title: string, observed: Partial<HealthObservation>, isCalm: boolean, turn: string | undefined]>([
    ["stays healthy where nothing is known", { last: null }, false, undefined],
    ["turns when a breaker opens", { open, last: { began: 0, succeeded: false } }, false, "failing"],
    ["turns when too many deliveries have failed", { exceeded: 10 }, false, "failing"],
    ["stays failing while the breaker opens again and again", { health: "failing", open }, false, undefined],
    ["stays failing a moment after a success", { health: "failing" }, false, undefined],
    ["is well again after a calm time", { health: "failing" }, true, "healthy"],
    [
      "stays failing where a breaker was forgotten and nothing has succeeded since",
      { health: "failing", last: { began: 1000, succeeded: false } },
      true,
      undefined
    ],
    ["stays failing where no attempt is known", { health: "failing", last: null }, true, undefined],
    [
      "is well again though a process left the row of a closed breaker",
      { health: "failing", open, last: { began: 5001, succeeded: true } },
      true,
      "healthy"
    ],
    ["is stopped where it is disabled, whatever fails", { enabled: false, open, exceeded: 1 }, false, "stopped"],
    ["stays stopped while it is disabled", { enabled: false, health: "stopped" }, true, undefined],
    ["begins anew when it is enabled", { health: "stopped", last: null }, false, "healthy"]
  ])("%s", (_, observed, isCalm, turn) => {
    expect(turnOf({ ...well, ...observed }, isCalm)?.health).toBe(turn)
  })

  it("never turns to what it is, and never twice for what is known", () => {
    const observed = fc.record<HealthObservation>({
      enabled: fc.boolean(),
      health: fc.constantFrom("healthy", "failing", "stopped"),
      open: fc.option(fc.record({ until: fc.nat(10), reason: fc.string() })),
      exceeded: fc.option(fc.nat()),
      last: fc.option(fc.record({ began: fc.nat(10), succeeded: fc.boolean() }))
    })
    fc.assert(
      fc.property(observed, fc.boolean(), (before, isCalm) => {
        const turn = turnOf(before, isCalm)
        if (turn === undefined) return
        expect(turn.health).not.toBe(before.health)
        expect(turnOf({ ...before, health: turn.health }, isCalm)).toBeUndefined()
        expect(turn.health === "failing").toBe(before.enabled && failureOf(before) !== undefined)
      })
    )
  })
})
