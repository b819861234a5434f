import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import type { Json } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

let api: Api<ServiceProcess>
let receiver: Receiver
let bystander: Bystander

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApiProcess()
  bystander = await Bystander.arrive(api)
})

afterAll(async () => {
  await bystander.leave()
  await api.stop()
  await receiver.close()
})

const webhook = (name: string, fields: Json): Json => ({
  name,
  content_types: ["tenancy.tenant"],
  type_create: true,
  type_update: true,
  payload_url: `${receiver.url}/${name}`,
  ...fields
})

const regex = (value: string): Json => ({ attr: "comments", op: "regex", value })

/** Patterns that were compiled before anybody looked at their size. */
const tooLarge = [
  "x{1000}".repeat(140),
  `(?i)${"[B-\u{1E942}]".repeat(150)}`,
  `(?i)${"[\\x{42}-\\x{1E942}]".repeat(45)}`,
  `[${"\\pL\\PL".repeat(160)}]`
]

/** As much as a condition may hold, another for each webhook, so that nothing is compiled already. */
const largest = (n: number): Json => ({
  or: [
    regex(`(?:[abcx]|ab|ca)*q{${n}}q`),
    regex(`.*a[a-z]{${900 - n}}q`),
    regex(`(?:.*b){${100 + n}}q`),
    regex(`(?i)[a-\\x{${(0x3000 + n).toString(16)}}]*q`)
  ]
})

const untilPrinted = async (pattern: RegExp): Promise<void> => {
  await expect.poll(api.service.output, { timeout: 20_000 }).toMatch(pattern)
}

/** The first pattern of a condition looks at all of it; the next ones would cost too much. */
const text = "abcabcx".repeat(700)
const deliveries = 20

describe("patterns", () => {
  it("that are too large are refused at once, in any number of webhooks and custom fields", async () => {
    const attack = async () => {
      const token = await api.newToken()
      for (const pattern of tooLarge) {
        const hooks = Array.from({ length: 15 }, (_, n) => webhook(`large ${n}`, { conditions: regex(pattern) }))
        const { status, json } = await api.raw("POST", "/api/extras/webhooks/", hooks, token)
        expect([status, json]).toEqual([
          400,
          hooks.map(() => ({ conditions: ["value: The patterns of the condition are too large."] }))
        ])
      }
      const fields = tooLarge.map((pattern, n) => ({
        name: `large_${n}`,
        content_types: ["tenancy.tenant"],
        validation_regex: pattern.slice(0, 500).replace(/\[[^\]]*$/, "")
      }))
      const { status, text } = await api.raw("POST", "/api/extras/custom-fields/", fields, token)
      expect([status, text.match(/its repetitions and classes make it too large/g)?.length]).toEqual([400, 3])
    }
    expectCalm(await bystander.during(attack))
  })

  it("of the largest size delay nobody, when webhooks are saved and when events are matched", async () => {
    const attack = async () => {
      const hooks = Array.from({ length: 15 }, (_, n) => webhook(`costly ${n}`, { conditions: largest(n) }))
      const { status, text: answer } = await api.call("POST", "/api/extras/webhooks/", [webhook("all", {}), ...hooks])
      expect([status, answer]).toEqual([201, answer])
      const insert = `insert into tenancy_tenant (name, slug, comments) values ('long', 'long', $1)`
      await api.database.sql.query(insert, [text])
      for (let n = 1; n < deliveries; n++) {
        await api.database.sql.query("update tenancy_tenant set comments = comments || 'a'")
      }
      await receiver.untilAll((all) => all.filter(({ path }) => path === "/all").length >= deliveries)
    }
    expectCalm(await bystander.during(attack))
    await untilPrinted(/did not fire, .* Evaluating the condition takes too long/)
  })
})
