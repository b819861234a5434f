/** The page of a rack in a real browser: its faces, and the ways from there. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let rack: number
let device: number

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const site = await api.make("dcim/sites", named("Site"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", {
    manufacturer,
    model: "M",
    slug: "m",
    u_height: 2,
    weight: 10,
    weight_unit: "lb"
  })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "ffeb3b" })
  rack = await api.make("dcim/racks", {
    name: "R1",
    site,
    u_height: 10,
    weight: 80,
    max_weight: 500,
    weight_unit: "kg"
  })
  const place = { site, rack, position: 3, face: "front" }
  device = await api.make("dcim/devices", { name: "sw1", device_type, device_role, ...place })
  const power_panel = await api.make("dcim/power-panels", { name: "P", site })
  // 230 V x 10 A x 50 % and 200 V x 10 A x 80 % x 1.732 are 1,150 and 2,771 VA.
  const feed = await api.make("dcim/power-feeds", {
    name: "A",
    power_panel,
    rack,
    voltage: 230,
    amperage: 10,
    max_utilization: 50
  })
  const three = { voltage: 200, amperage: 10, phase: "three-phase" }
  const other = await api.make("dcim/power-feeds", { name: "B", power_panel, rack, ...three })
  const inlet = await api.make("dcim/power-ports", { device, name: "inlet" })
  const outlet = await api.make("dcim/power-outlets", { device, name: "outlet", power_port: inlet })
  const supply = await api.make("dcim/power-ports", { device, name: "psu1", allocated_draw: 300 })
  const direct = await api.make("dcim/power-ports", { device, name: "psu2", maximum_draw: 900, allocated_draw: 500 })
  const end = (object_type: string, object_id: number) => [{ object_type, object_id }]
  const connect = (a: ReturnType<typeof end>, b: ReturnType<typeof end>) =>
    api.make("dcim/cables", { a_terminations: a, b_terminations: b })
  await connect(end("dcim.powerfeed", feed), end("dcim.powerport", inlet))
  await connect(end("dcim.poweroutlet", outlet), end("dcim.powerport", supply))
  await connect(end("dcim.powerfeed", other), end("dcim.powerport", direct))
  const module_type = await api.make("dcim/module-types", { manufacturer, model: "L", weight: 1000, weight_unit: "g" })
  const module_bay = await api.make("dcim/module-bays", { device, name: "bay" })
  await api.make("dcim/modules", { device, module_bay, module_type })
  await api.make("dcim/rack-reservations", { rack, units: [9, 10], description: "For the router" })
  const grant = (types: ReadonlyArray<string>) => ({ types, actions: ["view", "add"] })
  await makeUser(
    api,
    "ann",
    grant(["dcim.rack", "dcim.site", "dcim.device", "dcim.devicetype", "dcim.rackreservation"])
  )
  await makeUser(api, "bob", { types: ["dcim.rack"], actions: ["view"] })
}, sharedApi)

describe.skipIf(!hasBrowser)("the page of a rack", () => {
  it("shows its faces and how much is used, and leads to devices, reservations and the form", async () => {
    const { page, problems, close } = await loggedInAs("ann")
    const path = `/dcim/racks/${rack}/`
    await page.goto(path)
    expect(await page.textContent("section[aria-labelledby=elevation]")).toContain("40\u00a0% of the units")
    const note = await page.textContent("section[aria-labelledby=elevation] .note")
    expect(note).toContain("It weighs 84.54\u00a0kg of at most 500\u00a0kg.")
    expect(note).not.toContain("power")
    expect(await page.locator("figure svg").count()).toBe(2)
    expect(await accessibility(page)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.locator("figure svg text", { hasText: "sw1" }).first().click()
    await page.waitForURL(at(`/dcim/devices/${device}/`))
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

  it("shows the part of the power of its feeds that is allocated, also behind a distribution unit", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/racks/${rack}/`)
    const note = await page.textContent("section[aria-labelledby=elevation] .note")
    expect(note).toContain("It weighs 85.54")
    expect(note).toContain("20.4\u00a0% of the power of its feeds is allocated.")
    await close()
  })

  it("has no faces for readers who may view no devices", async () => {
    const { page, close } = await loggedInAs("bob")
    await page.goto(`/dcim/racks/${rack}/`)
    expect(await page.locator("figure").count()).toBe(0)
    await close()
  })
})
