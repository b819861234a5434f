/** Webhooks whose templates never end, and what others notice: a webhook with a template of its own most of all. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-spin-"))

const webhooks = 20
const events = 50

/** How long the others are watched, and how long the first failure may take, milliseconds. */
const watchedMillis = 20_000
const patienceMillis = 200_000

let api: Api<ServiceProcess>
let bystander: Bystander

beforeAll(async () => {
  const plugin = join(folder, "spin.ts")
  writeFileSync(
    plugin,
    `const spin = (millis) => { const end = performance.now() + millis; while (performance.now() < end); return 1 }
     export default { name: "spin", examples: [], filters: { spin: () => spin(1e9), linger: () => spin(1) } }`
  )
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
  rmSync(folder, { recursive: true })
})

/** Runs into its time limit, however fast the machine. */
const endless = "{% for i in range(9999) %}{{ 1|linger }}{% endfor %}"

const failed = async () => {
  const path = "/api/extras/deliveries/?status=failed&reason=Overrun&limit=1000"
  return (await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", path)).json.results
}

it(
  "templates without end of twenty webhooks delay nobody else, and their deliveries fail with the reason",
  { timeout: 300_000 },
  async () => {
    const observed = await bystander.during(async () => {
      for (let n = 0; n < webhooks; n++) {
        const made = await api.call("POST", "/api/extras/webhooks/", {
          name: `endless ${n}`,
          content_types: ["extras.tag"],
          type_create: true,
          payload_url: "http://127.0.0.1:9/",
          // Those of the first two never end, and take their worker along; the others run into their limit.
          body_template: n < 2 ? "{{ 1|spin }}" : endless,
          // Of the first one each delivery is tried again before the next.
          ...(n === 0 && { max_in_flight: 1 }),
          retry_schedule: { kind: "fixed", delay: 0, attempts: 100 }
        })
        if (made.status !== 201) throw new Error(made.text)
      }
      const tags = Array.from({ length: events }, (_, n) => named(`tag ${n}`))
      const made = await api.call("POST", "/api/extras/tags/", tags)
      if (made.status !== 201) throw new Error(made.text)
      await new Promise((resolve) => setTimeout(resolve, watchedMillis))
    })
    expectCalm(observed)
    await expect
      .poll(async () => (await failed()).length, { timeout: patienceMillis, interval: 500 })
      .toBeGreaterThan(0)
    const [first] = await failed()
    const { json } = await api.call("GET", `/api/extras/deliveries/${first!.id}/`)
    expect(json).toMatchObject({
      attempts: 2,
      reason: "Overrun",
      message: "The templates ran out of time in 2 attempts: the template passed its wall limit"
    })
  }
)

it("renderings of one user are refused when too many of them wait", async () => {
  const render = (template: string) => api.call<Json>("POST", "/api/extras/webhooks/render/", { template })
  const replies = await Promise.all(Array.from({ length: 15 }, () => render(endless)))
  const busy = replies.filter(({ status }) => status === 503)
  expect(busy.length).toBeGreaterThan(0)
  expect(busy[0]!.json["detail"]).toBe("Too many templates are being rendered. Try again in a second.")
  expect(busy[0]!.headers.get("retry-after")).toBe("1")
  expect((await render("x")).status).toBe(200)
})
