/** Webhooks whose templates never end: a webhook with a template of its own overtakes them. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { endlessWebhook, expectRenderingsBounded, overrunDeliveries, writeSpinPlugin } from "./EndlessTemplates.ts"
import { thorough } from "../support/Seed.ts"

const { plugin, remove } = writeSpinPlugin()

const webhooks = 3
const events = 3

let api: Api
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi({ RACKWIRE_PLUGINS: plugin })
})
afterAll(async () => {
  await api.stop()
  await receiver.close()
  remove()
})

thorough(
  "templates without end are overtaken by those of other webhooks, and their deliveries fail with the reason",
  async () => {
    const calm = {
      ...{ name: "calm", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url },
      body_template: "{{ data.name }}"
    }
    const hooks = [...Array.from({ length: webhooks }, (_, n) => endlessWebhook(n, n === 0)), calm]
    const made = await api.call("POST", "/api/extras/webhooks/", hooks)
    expect([made.status, made.text]).toEqual([201, made.text])
    const tags = Array.from({ length: events }, (_, n) => named(`tag ${n}`))
    expect((await api.call("POST", "/api/extras/tags/", tags)).status).toBe(201)
    await receiver.untilAll((all) => all.length >= events)
    expect((await overrunDeliveries(api)).length).toBeLessThan(webhooks * events)
    await expect.poll(async () => (await overrunDeliveries(api)).length).toBeGreaterThan(0)
    const [first] = await overrunDeliveries(api)
    const { json } = await api.call("GET", `/api/extras/deliveries/${first!.id}/`)
    expect(json).toMatchObject({
      attempts: 2,
      reason: "Overrun",
      // A filter of a plugin that never ends takes its thread along; between two calls the template itself is ended.
      message: expect.stringMatching(/^The templates ran out of time in 2 attempts: .*passed its (wall|time) limit$/)
    })
  }
)

it("renderings of one user are refused when too many of them wait", () => expectRenderingsBounded(api))
