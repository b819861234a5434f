/** Patterns in conditions: too large ones are refused, the largest ones are matched in slices and within a budget. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { causesOf } from "./Causes.ts"
import { largest, longText, regex, tooLarge, tooLargeFields, webhookOf } from "./ConditionAttacks.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
})
afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** More than the steps of a slice. */
const hooksMax = 11
const deliveries = 2

describe("patterns", () => {
  it("that are too large are refused, in webhooks and custom fields", async () => {
    for (const pattern of tooLarge) {
      const hooks = [0, 1].map((n) => webhookOf(receiver.url, `large ${n}`, { conditions: regex(pattern) }))
      const { status, json } = await api.call("POST", "/api/extras/webhooks/", hooks)
      const conditions = ["value: The patterns of the condition are too large."]
      expect([status, json]).toEqual([400, hooks.map(() => ({ conditions }))])
    }
    const { status, text } = await api.call("POST", "/api/extras/custom-fields/", tooLargeFields)
    expect([status, text.match(/its repetitions and classes make it too large/g)?.length]).toEqual([400, 3])
  })

  thorough("of the largest size are checked and matched in slices, and end undecided beyond their budget", async () => {
    const costly = Array.from({ length: hooksMax }, (_, n) =>
      webhookOf(receiver.url, `costly ${n}`, { conditions: largest(n) })
    )
    const hooks = [webhookOf(receiver.url, "all", {}), ...costly]
    const saved = await causesOf(api, () => api.call("POST", "/api/extras/webhooks/", hooks))
    expect([saved.answer.status, saved.slices > 0]).toEqual([201, true])
    const matched = await causesOf(api, async () => {
      const insert = `insert into tenancy_tenant (name, slug, comments) values ('long', 'long', $1)`
      await api.database.sql.query(insert, [longText])
      for (let n = 1; n < deliveries; n++) {
        await api.database.sql.query("update tenancy_tenant set comments = comments || 'a'")
      }
      await receiver.untilAll((all) => all.filter(({ path }) => path === "/all").length >= deliveries)
    })
    expect(matched.slices).toBeGreaterThanOrEqual(deliveries)
    expect(matched.overtaking).toBeGreaterThan(0)
    await expect.poll(api.service.output).toMatch(/did not fire, .* Evaluating the condition takes too long/)
  })
})
