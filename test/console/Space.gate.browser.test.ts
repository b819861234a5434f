/** The map of a prefix in a real browser: from the home page to a free prefix, by mouse and by keyboard. */
import { describe, expect, it } from "vitest"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { isThorough } from "../support/Seed.ts"
import { sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"

let prefix: number
let group: number

const { loggedIn } = startConsole(async (api) => {
  prefix = await api.make("ipam/prefixes", { prefix: "10.0.0.0/16", status: "container" })
  await api.makeAll("ipam/prefixes", [
    { prefix: "10.0.0.0/18" },
    { prefix: "10.0.64.0/24" },
    { prefix: "10.0.65.16/28" }
  ])
  await api.make("ipam/ip-addresses", { address: "10.0.65.17/28" })
  group = await api.make("ipam/vlan-groups", named("Campus"))
  await api.make("ipam/vlans", { name: "Voice", vid: 100, group })
}, sharedApi)

describe.skipIf(!hasBrowser)("the map of a space", () => {
  it("leads from the home page to a free prefix in four clicks", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/")
    await page.locator("main a", { hasText: /^Prefixes/ }).click()
    await page.waitForURL(at("/ipam/prefixes/"))
    await page.locator("main tbody a", { hasText: "10.0.0.0/16" }).click()
    await page.waitForSelector(".space")
    await page.click("text=Allocate the next free prefix")
    await page.waitForSelector(".flash")
    expect(await page.textContent("h1")).toBe("10.0.66.0/24")
    await close()
  })

  it("opens the form of a free block with the block filled in, and a part as a map of its own", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto(`/ipam/prefixes/${prefix}/`)
    await page.click('.space a[title^="10.0.128.0/18"]')
    await page.waitForURL("**/ipam/prefixes/add/**")
    expect(await page.inputValue("#f-prefix")).toBe("10.0.128.0/18")
    await page.goto(`/ipam/prefixes/${prefix}/`)
    await page.locator("summary", { hasText: "All pieces" }).press("Enter")
    await page.locator("tr", { hasText: "10.0.65.0/24" }).getByRole("link").press("Enter")
    await page.waitForURL("**space=10.0.65.0/24**")
    expect(await page.locator(".space > .taken").count()).toBe(1)
    expect(await page.locator(".zoomed b").textContent()).toBe("10.0.65.0/24")
    expect(problems).toEqual([])
    await close()
  })

  it.each(isThorough ? (["light", "dark"] as const) : [])(
    "is readable for everybody, in %s, on small screens and without scripts",
    async (colorScheme) => {
      const { page, problems, close } = await loggedIn({ colorScheme })
      for (const path of [
        `/ipam/prefixes/${prefix}/`,
        `/ipam/prefixes/${prefix}/?space=10.0.65.0/24`,
        `/ipam/vlan-groups/${group}/`
      ]) {
        await page.goto(path)
        await page.locator("summary", { hasText: "All pieces" }).click()
        expect([path, await accessibility(page), await sideways(page)]).toEqual([path, [], []])
      }
      expect(problems).toEqual([])
      await close()
      const plain = await loggedIn({ javaScriptEnabled: false })
      await plain.page.goto(`/ipam/prefixes/${prefix}/`)
      expect(await plain.page.locator(".space > .free").count()).toBeGreaterThan(0)
      await plain.close()
    }
  )
})
