/** Patterns in conditions made to occupy the service, as a process, because its memory and the waits of others are measured. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import type { Json } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import { largest, longText, regex, tooLarge, tooLargeFields, webhookOf } from "./ConditionAttacks.ts"

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

const webhook = (name: string, fields: Json): Json => webhookOf(receiver.url, name, fields)

const untilPrinted = async (pattern: RegExp): Promise<void> => {
  await expect.poll(api.service.output).toMatch(pattern)
}

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
      const { status, text } = await api.raw("POST", "/api/extras/custom-fields/", tooLargeFields, token)
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
      await api.database.sql.query(insert, [longText])
      for (let n = 1; n < deliveries; n++) {
        await api.database.sql.query("update tenancy_tenant set comments = comments || 'a'")
      }
      await receiver.untilAll((all) => all.filter(({ path }) => path === "/all").length >= deliveries)
    }
    expectCalm(await bystander.during(attack))
    await untilPrinted(/did not fire, .* Evaluating the condition takes too long/)
  })
})
