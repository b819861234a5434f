/** The pages of machines with config contexts, and the rendered configuration of a device. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

let api: Api
let browser: Browser
let device: number
let role: number

beforeAll(async () => {
  api = await sharedApi()
  browser = openBrowser(api.service.url)
  await browser.logIn()
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  role = await api.make("dcim/device-roles", named("Role"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  device = await api.make("dcim/devices", { name: "D", site, device_role: role, device_type })
})
afterAll(() => api.stop())

/** The text of the page, as soon as there are not too many requests. */
const pageAt = (path: string): Promise<string> =>
  eventually(
    "the request is not throttled",
    async () => {
      const reply = await browser.fetch(path)
      return reply.status !== 429 && (await reply.text())
    },
    { everyMillis: 200 }
  )

it("shows the merged context folded, and a configuration or why there is none", async () => {
  const path = `/dcim/devices/${device}/`
  expect(await pageAt(path)).toContain("No config context applies.")
  await api.make("extras/config-contexts", { name: "all", data: { label: "<b>", value: 1 } })
  const text = await pageAt(path)
  expect(text).toMatch(/<details class="fold-in">\s*<summary>2 values<\/summary>/)
  expect(text).toContain("&lt;b&gt;")
  expect(text).toContain(`href="${path}render-config/"`)
  expect(await pageAt(`${path}render-config/`)).toContain("no config template")
  const config_template = await api.make("extras/config-templates", {
    name: "T",
    template_code: "<{{ label }}> {{ device.name }}"
  })
  await api.call("PATCH", `/api/dcim/device-roles/${role}/`, { config_template })
  expect(await pageAt(`${path}render-config/`)).toContain("&lt;&lt;b&gt;&gt; D")
  await api.call("PATCH", `/api/extras/config-templates/${config_template}/`, { template_code: "a\n{{ 1 / 0 }}" })
  expect(await pageAt(`${path}render-config/`)).toContain("(line 2): division by zero")
})
