/** Templates that never end, and the plugin that they need. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"

/** A file with the filters `spin` and `linger`, and its removal. */
export const writeSpinPlugin = (): { readonly plugin: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-spin-"))
  const plugin = join(folder, "spin.ts")
  writeFileSync(
    plugin,
    `const spin = (millis) => { const end = performance.now() + millis; while (performance.now() < end); return 1 }
     export default { name: "spin", examples: [], filters: { spin: () => spin(1e9), linger: () => spin(1) } }`
  )
  return { plugin, remove: () => rmSync(folder, { recursive: true }) }
}

/** Runs into its time limit, however fast the machine. */
export const endless = "{% for i in range(9999) %}{{ 1|linger }}{% endfor %}"

/** Takes half a second, however fast the machine: long enough that many requests at once wait for it. */
const slow = "{% for i in range(500) %}{{ 1|linger }}{% endfor %}"

/** Deliveries that failed because their templates ran out of time. */
export const overrunDeliveries = async (api: Api) => {
  const path = "/api/extras/deliveries/?status=failed&reason=Overrun&limit=1000"
  return (await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", path)).json.results
}

/** A webhook for new tags whose template never ends; the template of a spinning one takes its worker along. */
export const endlessWebhook = (n: number, isSpinning: boolean): Json => ({
  name: `endless ${n}`,
  content_types: ["extras.tag"],
  type_create: true,
  payload_url: "http://127.0.0.1:9/",
  body_template: isSpinning ? "{{ 1|spin }}" : endless,
  // Each delivery of the first webhook is tried again before the next.
  ...(n === 0 && { max_in_flight: 1 }),
  retry_schedule: { kind: "fixed", delay: 0, attempts: 100 }
})

/** Renderings of one user beyond the bound are refused, and later ones succeed. */
export const expectRenderingsBounded = async (api: Api): Promise<void> => {
  const render = (template: string) => api.call<Json>("POST", "/api/extras/webhooks/render/", { template })
  const replies = await Promise.all(Array.from({ length: 15 }, () => render(slow)))
  const busy = replies.filter(({ status }) => status === 503)
  expect(busy.length).toBeGreaterThan(0)
  expect(busy[0]!.json["detail"]).toBe("Too many templates are being rendered. Try again in a second.")
  expect(busy[0]!.headers.get("retry-after")).toBe("1")
  expect((await render("x")).status).toBe(200)
}
