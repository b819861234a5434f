import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { quantileMillis } from "../../src/history/health/Quantile.ts"
import { noTraffic } from "../../src/history/health/Traffic.ts"
import { type HealthFacts, healthStates, percent, webhookHealth } from "../../src/history/health/WebhookHealth.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import type Webhook from "../../src/inventory/types/extras/Webhook.ts"
import { bucketEndsMillis, bucketOf } from "../../src/log/Traffic.ts"

describe("the quantile of counted times", () => {
  const counted = (times: ReadonlyArray<number>): ReadonlyArray<number> => {
    const counts = Array.from({ length: bucketEndsMillis.length + 1 }, () => 0)
    for (const time of times) counts[bucketOf(time)]! += 1
    return counts
  }

  it("lies in the bucket of the true one", () => {
    const times = fc.array(fc.double({ min: 0, max: 70_000, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const sorted = all.toSorted((one, other) => one - other)
        const exact = sorted[Math.ceil(share * all.length) - 1]!
        const found = quantileMillis(counted(all), share)!
        const at = bucketOf(exact)
        expect(found).toBeGreaterThanOrEqual(bucketEndsMillis[at - 1] ?? 0)
        expect(found).toBeLessThanOrEqual(bucketEndsMillis[at] ?? bucketEndsMillis.at(-1)!)
      })
    )
  })

  it("is unknown where nothing was counted", () => {
    expect(quantileMillis(counted([]), 0.95)).toBeUndefined()
  })
})

describe("the health of a webhook", () => {
  const known: HealthFacts = {
    health: "healthy",
    since: null,
    paused: false,
    disabledNote: "",
    breaker: undefined,
    day: { ...noTraffic, attempts: 8412, delivered: 8410, p95Millis: 212.4 },
    hour: { ...noTraffic, attempts: 40, delivered: 40 },
    waiting: 0
  }
  const breaker = {
    opened: "2026-11-20T14:02:11.000Z",
    until: "2026-11-20T14:33:00.000Z",
    reason: "The certificate has expired."
  }
  const told: ReadonlyArray<
    readonly [name: string, change: Partial<HealthFacts>, needsLook: boolean, sentence: string]
  > = [
    ["is well", {}, false, "Healthy: 99.97 % of 8,412 attempts in 24 hours succeeded, 95 % of them within 212 ms."],
    [
      "fails in part",
      { hour: { ...noTraffic, attempts: 40, delivered: 35 }, waiting: 5 },
      true,
      "Healthy, but 5 attempts of 40 in the last hour failed; 5 deliveries wait."
    ],
    [
      "was asked to wait",
      { breaker, waiting: 15 },
      true,
      "Healthy, but 15 deliveries wait, held by the circuit breaker until 14:33 UTC, because the certificate has expired."
    ],
    [
      "fails",
      { breaker, health: "failing", since: "2026-11-19T14:02:13.5Z", waiting: 15 },
      true,
      "Failing since 2026-11-19 14:02 UTC: 15 deliveries wait, held by the circuit breaker until 14:33 UTC, because the certificate has expired."
    ],
    [
      "failed until a moment ago",
      { health: "failing", since: "2026-11-19T14:02:13.5Z" },
      true,
      "Failing since 2026-11-19 14:02 UTC: nothing waits."
    ],
    ["is paused", { paused: true, breaker, waiting: 1 }, false, "Paused: 1 delivery waits."],
    [
      "was disabled by its receiver",
      { health: "stopped", disabledNote: "The receiver answered 410 Gone." },
      false,
      "Stopped: The receiver answered 410 Gone. Nothing is queued for it."
    ],
    ["is disabled", { health: "stopped" }, false, "Stopped: it is disabled. Nothing is queued for it."],
    ["sent nothing", { day: noTraffic, hour: noTraffic }, false, "Healthy: nothing was sent in 24 hours."]
  ]
  for (const [name, change, needsLook, sentence] of told) {
    it(`says in a word and a sentence that it ${name}`, () => {
      const state = change.health ?? "healthy"
      expect(webhookHealth({ ...known, ...change })).toEqual({ state, needsLook, sentence })
    })
  }

  it("has the words that are stored", () => {
    const { choices } = objectType<typeof Webhook>("extras.webhook").fields.health
    expect(healthStates).toEqual(Object.keys(choices ?? {}))
    expect(new Set(told.map(([, { health = "healthy" }]) => health))).toEqual(new Set(healthStates))
  })

  it("never calls a share whole where something failed", () => {
    expect([percent(1, 1), percent(999_999, 1_000_000), percent(0, 3), percent(0, 0)]).toEqual([
      "100 %",
      "99.99 %",
      "0.00 %",
      "—"
    ])
  })
})
