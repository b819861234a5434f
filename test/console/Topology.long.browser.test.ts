/** The page of a topology, and pages on paper. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"

let site: number
let rack: number
let ids: ReadonlyArray<number>
let cable: number

const { loggedIn } = startConsole(async (api: Api) => {
  site = await api.make("dcim/sites", named("Hall"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "336699" })
  rack = await api.make("dcim/racks", { name: "R1", site, u_height: 12 })
  const device = (name: string, position: number) =>
    api.make("dcim/devices", { name, site, rack, position, face: "front", device_type, device_role })
  ids = [await device("sw1", 3), await device("sw2", 5), await device(`<b>"'&\u05e9\u05dc🖧${"x".repeat(50)}`, 7)]
  const end = async (at: number, name: string) => {
    const object_id = await api.make("dcim/interfaces", { device: ids[at], name, type: "1000base-t" })
    return [{ object_type: "dcim.interface", object_id }]
  }
  const join = async (a: number, b: number, name: string) =>
    api.make("dcim/cables", { a_terminations: await end(a, name), b_terminations: await end(b, name) })
  cable = await join(0, 1, "a")
  await join(0, 2, "b")
  await join(0, 2, "c")
}, sharedApi)

const node = (page: Page, at: number) => page.locator(`.node[data-id="${ids[at]}"]`)
const placeOf = (page: Page, at: number) => node(page, at).getAttribute("transform")
const pathOf = (page: Page) => page.locator(`.line[data-a="${ids[0]}"][data-b="${ids[1]}"] .cable`).getAttribute("d")

describe.skipIf(!hasBrowser)("the page of a topology", () => {
  it("is reached from a place, leads to devices and cables, and fits every screen and theme", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${site}/`)
    await page.click("main .ph-act >> text=Topology")
    await page.waitForURL(new RegExp(`/dcim/topology/\\?site_id=${site}$`))
    expect(await page.textContent("#picture")).toBe("3 devices, 3 cables")
    for (const theme of ["light", "dark"] as const) expect(await accessibility(page, theme)).toEqual([])
    expect(await sideways(page)).toEqual([])
    expect(await page.locator(".line").count()).toBe(2)
    await page.click(".spans >> text=Role")
    await page.waitForURL(/group_by=role/)
    expect(await page.textContent(".box-title")).toBe("Role")
    await node(page, 0).click()
    await page.waitForURL(at(`/dcim/devices/${ids[0]}/`))
    await page.goto(`/dcim/topology/?rack_id=${rack}`)
    await page.locator(`.line[data-a="${ids[0]}"][data-b="${ids[1]}"] .reach`).dispatchEvent("click")
    await page.waitForURL(at(`/dcim/cables/${cable}/`))
    await close()
  })

  it("shows cables of a status alone", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/topology/?site_id=${site}`)
    await page.click("[aria-labelledby=cable-status] >> text=Planned")
    await page.waitForURL(/cable_status=planned/)
    expect(await page.textContent("#picture")).toBe("3 devices, 0 cables")
    expect(await page.textContent("[aria-labelledby=cable-status] [aria-current]")).toBe("Planned")
    expect(await accessibility(page)).toEqual([])
    await page.goto("/dcim/topology/?cable_status=lost")
    expect(await page.textContent("main")).toContain("Cables have no status lost.")
    await close()
  })

  it("moves devices by pointer and keys, and keeps their places in the tab alone", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/topology/?name__isw=sw")
    const [drawn, line] = [await placeOf(page, 0), await pathOf(page)]
    const box = (await node(page, 0).boundingBox())!
    await page.mouse.move(box.x + 20, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 50, box.y + 40, { steps: 3 })
    await page.mouse.up()
    expect(new URL(page.url()).pathname).toBe("/dcim/topology/")
    const moved = await placeOf(page, 0)
    expect(moved).not.toBe(drawn)
    expect(await pathOf(page)).not.toBe(line)
    await page.reload()
    expect(await placeOf(page, 0)).toBe(moved)
    await node(page, 1).focus()
    const before = await placeOf(page, 1)
    await page.keyboard.press("Shift+ArrowDown")
    expect(await placeOf(page, 1)).not.toBe(before)
    await page.click("text=Places as drawn")
    expect([await placeOf(page, 0), await placeOf(page, 1), await pathOf(page)]).toEqual([drawn, before, line])
    const width = async () => Number(await page.locator("[data-topology] > svg").getAttribute("width"))
    const usual = await width()
    await page.click("[data-zoom=in]")
    expect(await width()).toBeCloseTo(usual * 1.25)
    await page.locator("[data-topology]").focus()
    await page.keyboard.press("-")
    expect(await width()).toBeCloseTo(usual)
    await close()
  })

  it("does not change without scripts, and is a file to keep", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/dcim/topology/")
    expect(await page.locator(".node").count()).toBe(3)
    expect(await page.isVisible("[data-topology-tools]")).toBe(false)
    const waiting = page.waitForEvent("download")
    await page.click("text=Download as SVG")
    expect((await waiting).suggestedFilename()).toBe("topology.svg")
    await close()
  })
})

describe.skipIf(!hasBrowser)("on paper", () => {
  it("a rack has its picture in light colours, and neither menus nor buttons", async () => {
    const { page, close } = await loggedIn({ colorScheme: "dark" })
    await page.goto(`/dcim/racks/${rack}/`)
    await page.emulateMedia({ media: "print" })
    const visible = (selector: string) => page.locator(selector).first().isVisible()
    expect([await visible("figure svg"), await visible("h1"), await visible("dl")]).toEqual([true, true, true])
    for (const selector of ["nav[aria-label='Main menu']", ".topbar", ".tabs", ".ph-act", "button", "main form"])
      expect([selector, await visible(selector)]).toEqual([selector, false])
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)")
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(0, 0, 0)")
    await page.goto("/dcim/devices/")
    expect([await visible("#objects table"), await visible("#objects input"), await visible(".tf nav")]).toEqual([
      ...[true, false, false]
    ])
    await close()
  })
})
