/** The page of a rack in a real browser: its faces, and the ways from there. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { accessibility, hasBrowser, sideways } from "../support/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let rack: number
let device: number

const { loggedInAs } = startConsole(async (started) => {
  api = started
  const site = await api.make("dcim/sites", named("Site"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m", u_height: 2 })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "ffeb3b" })
  rack = await api.make("dcim/racks", { name: "R1", site, u_height: 10 })
  const place = { site, rack, position: 3, face: "front" }
  device = await api.make("dcim/devices", { name: "sw1", device_type, device_role, ...place })
  await api.make("dcim/rack-reservations", { rack, units: [9, 10], description: "For the router" })
  const grant = (types: ReadonlyArray<string>) => ({ types, actions: ["view", "add"] })
  await makeUser(api, "ann", grant(["dcim.rack", "dcim.site", "dcim.device", "dcim.rackreservation"]))
  await makeUser(api, "bob", { types: ["dcim.rack"], actions: ["view"] })
}, sharedApi)

describe.skipIf(!hasBrowser)("the page of a rack", () => {
  it("shows its faces and how much is used, and leads to devices, reservations and the form", async () => {
    const { page, problems, close } = await loggedInAs("ann")
    const path = `/dcim/racks/${rack}/`
    await page.goto(path)
    expect(await page.textContent("section[aria-labelledby=elevation]")).toContain("40\u00a0% of the units")
    expect(await page.locator("figure svg").count()).toBe(2)
    expect(await accessibility(page)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.locator("figure svg text", { hasText: "sw1" }).first().click()
    await page.waitForURL(`**/dcim/devices/${device}/`)
    await page.goto(path)
    await page.locator("figure svg a[href*=rack-reservations]").first().click()
    await page.waitForURL("**/dcim/rack-reservations/*/")
    await page.goto(path)
    await page.locator('figure svg a[href$="position=7"]').first().click()
    await page.waitForURL("**/dcim/devices/add/**")
    expect([await page.inputValue("#f-position"), await page.inputValue("#f-face")]).toEqual(["7", "front"])
    expect(problems).toEqual([])
    await close()
  })

  it("has no faces for readers who may view no devices", async () => {
    const { page, close } = await loggedInAs("bob")
    await page.goto(`/dcim/racks/${rack}/`)
    expect(await page.locator("figure").count()).toBe(0)
    await close()
  })
})
