/**
 * Webhooks whose templates never end, and the waits of others, of a webhook with a template of its own most of all. The
 * service runs as a process, because its memory and the waits of others are measured.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { type List, named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import { endlessWebhook, expectRenderingsBounded, overrunDeliveries, writeSpinPlugin } from "./EndlessTemplates.ts"

const { plugin, remove } = writeSpinPlugin()

const webhooks = 20
const events = 50

/** How long the others are watched, and how long the first failure may take, milliseconds. */
const watchedMillis = 20_000
const patienceMillis = 200_000

let api: Api<ServiceProcess>
let bystander: Bystander

beforeAll(async () => {
  api = await startApiProcess({ RACKWIRE_PLUGINS: plugin })
  bystander = await Bystander.arrive(api)
  const { json } = await api.call<List>("GET", "/api/extras/webhooks/?name=bystander")
  const rendered = { body_template: "{{ data.description }}" }
  const changed = await api.call("PATCH", `/api/extras/webhooks/${json.results[0]!.id}/`, rendered)
  if (changed.status !== 200) throw new Error(changed.text)
})

afterAll(async () => {
  await bystander.leave()
  await api.stop()
  remove()
})

it("templates without end of twenty webhooks delay nobody else, and their deliveries fail with the reason", async () => {
  const observed = await bystander.during(async () => {
    for (let n = 0; n < webhooks; n++) {
      // Renderings of the first two never end, and their worker is terminated; the others exceed their limit.
      const made = await api.call("POST", "/api/extras/webhooks/", endlessWebhook(n, n < 2))
      if (made.status !== 201) throw new Error(made.text)
    }
    const tags = Array.from({ length: events }, (_, n) => named(`tag ${n}`))
    await api.makeAll("extras/tags", tags)
    await new Promise((resolve) => setTimeout(resolve, watchedMillis))
  })
  expectCalm(observed)
  await expect
    .poll(async () => (await overrunDeliveries(api)).length, { timeout: patienceMillis, interval: 500 })
    .toBeGreaterThan(0)
  const [first] = await overrunDeliveries(api)
  const { json } = await api.call("GET", `/api/extras/deliveries/${first!.id}/`)
  expect(json).toMatchObject({
    attempts: 2,
    reason: "Overrun",
    message: "The templates ran out of time in 2 attempts: the template passed its wall limit"
  })
})

it("renderings of one user are refused when too many of them wait", () => expectRenderingsBounded(api))
