/** Scripts of pages under a path, in a real browser: what they request and where they lead stays within the path. */
import { describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { startApi } from "../support/Api.ts"
import { hasBrowser } from "../support/Browser.ts"
import { named } from "../support/Client.ts"
import { type PathProxy, startPathProxy } from "../support/PathProxy.ts"
import { startConsole } from "./Fixture.ts"

const path = "/tools/rackwire"

let proxy: PathProxy

const { loggedIn } = startConsole(
  async ({ make }) => {
    await make("dcim/regions", named("North"))
    await make("extras/webhooks", {
      ...{ name: "followed", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:1/" }
    })
  },
  async () => {
    const [port] = await freePorts(1)
    proxy = await startPathProxy(path, port!)
    const api = await startApi({ BASE_URL: proxy.url, PORT: `${port}` })
    return { ...api, stop: () => Promise.all([api.stop(), proxy.stop()]).then(() => {}) }
  }
)

describe.skipIf(!hasBrowser).each([true, false])("behind a proxy that strips the path: %s", (strips) => {
  it("scripts stay within the path", async () => {
    proxy.strips = strips
    const { page } = await loggedIn()
    const requested: Array<string> = []
    page.on("request", (request) => requested.push(new URL(request.url()).pathname))
    await page.clock.install()
    await page.goto(`${proxy.url}/`)
    await page.clock.fastForward(11_000)
    await expect.poll(() => requested.includes(`${path}/gauges/`)).toBe(true)
    await page.click("[data-theme-toggle]")
    const theme = (await page.context().cookies()).find(({ name }) => name === "theme")
    expect(theme?.path).toBe(`${path}/`)
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    await page.waitForURL(`${proxy.url}/extras/webhooks/`)
    await page.click("#objects tbody th a")
    await page.waitForSelector("[data-live-state]:has-text('Live,')")
    await page.goto(`${proxy.url}/dcim/regions/`)
    await page.fill("#quick", "Nor")
    await page.clock.runFor(1000)
    await page.waitForURL(/\/tools\/rackwire\/dcim\/regions\/\?.*q=Nor/)
    await page.goto(`${proxy.url}/dcim/sites/add/`)
    await page.fill("#f-region", "Nor")
    await page.clock.runFor(1000)
    await expect.poll(() => requested.some((each) => /^\/tools\/rackwire\/.*\/pick\/$/.test(each))).toBe(true)
    expect(proxy.outside).toEqual([])
    expect(requested.filter((each) => !each.startsWith(`${path}/`))).toEqual([])
  })
})
