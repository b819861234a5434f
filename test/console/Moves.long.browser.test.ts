/** Racks side by side, and devices that are moved in their pictures: with the pointer, with keys, and by a form. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { drawnRacks } from "../../src/console/rack/RackFigure.ts"
import { makeUser } from "../auth/Users.ts"
import { accessibility, at, faultsOf, hasBrowser } from "../support/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { statementsOf } from "../support/Statements.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let ids: Readonly<Record<"site" | "tall" | "low" | "sw" | "secret" | "other", number>>

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const site = await api.make("dcim/sites", named("Hall"))
  const location = await api.make("dcim/locations", { ...named("Room"), site })
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m", u_height: 2 })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "ffeb3b" })
  const rack = (name: string, u_height: number, fields: Json = {}) =>
    api.make("dcim/racks", { name, site, u_height, ...fields })
  const device = (name: string, rack: number, position: number, face = "front") =>
    api.make("dcim/devices", { name, site, rack, position, face, device_type, device_role })
  const [tall, low] = [await rack("Tall", 12), await rack("Low", 8, { location, desc_units: true })]
  ids = {
    ...{ site, tall, low },
    sw: await device("sw1", tall, 3),
    secret: await device("secret", tall, 9),
    other: await device("sw2", low, 1)
  }
  const grant = (actions: ReadonlyArray<string>, ...types: ReadonlyArray<string>) => ({ types, actions })
  const places = ["dcim.rack", "dcim.site", "dcim.devicerole", "dcim.devicetype", "dcim.location"]
  await makeUser(api, "reader", grant(["view"], ...places, "dcim.device"))
  const some = { ...grant(["view", "change"], "dcim.device"), constraints: { name__startswith: "sw" } }
  await makeUser(api, "mover", grant(["view"], ...places), some)
}, sharedApi)

const placeOf = async (id: number): Promise<Json> => {
  const { json } = await api.call<Json>("GET", `/api/dcim/devices/${id}/`)
  const { rack, position, face } = json as Readonly<Record<string, { id: number; value: string } | null | number>>
  return { rack: (rack as { id: number }).id, position, face: (face as { value: string } | null)?.value ?? null }
}

const said = (page: Page) => page.locator("[data-moves-said]")
const device = (page: Page, id: number) => page.locator(`a[data-move="${id}"]`)

/** Drags a device, from its upper left corner to a unit of a picture. */
const drag = async (page: Page, id: number, rack: number, unitsFromAbove: number) => {
  const from = (await device(page, id).locator("rect").first().boundingBox())!
  const to = (await page.locator(`svg[data-rack="${rack}"]`).boundingBox())!
  const unit = from.height / 2
  await page.mouse.move(from.x + 20, from.y + 4)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 20, { steps: 3 })
  await page.mouse.move(to.x + 60, to.y + 6 + unit * unitsFromAbove, { steps: 3 })
}

describe.skipIf(!hasBrowser)("racks side by side", () => {
  it("are those of the filters, on one floor, scrolled in a part of the page, and readable in every theme", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/racks/?name=Tall")
    await page.click("main .ph-act >> text=Elevations")
    await page.waitForURL(/rack-elevations\/\?name=Tall/)
    expect(await page.locator(".racks figure").count()).toBe(1)
    await page.goto(`/dcim/sites/${ids.site}/`)
    await page.click("main .ph-act >> text=Elevations")
    await page.waitForURL(/rack-elevations\/\?site_id=/)
    const boxes = await page
      .locator(".racks svg")
      .evaluateAll((all: ReadonlyArray<{ getBoundingClientRect: () => { bottom: number; height: number } }>) =>
        all.map((each) => each.getBoundingClientRect())
      )
    expect(new Set(boxes.map(({ bottom }) => Math.round(bottom))).size).toBe(1)
    expect(new Set(boxes.map(({ height }) => height)).size).toBe(2)
    expect(await faultsOf(page)).toEqual([])
    await page.click(".spans >> text=Rear")
    await page.waitForURL(/rack_face=rear/)
    expect(await page.locator('.racks svg[aria-label^="Rear"]').count()).toBe(2)
    await page.goto("/dcim/rack-elevations/?face=rear&name=Low")
    expect(new URL(page.url()).searchParams.toString()).toBe("name=Low&rack_face=rear")
    await page.goto("/dcim/rack-elevations/?nothing=1")
    expect(await page.textContent("[role=alert]")).toContain("nothing")
    await close()
  })

  it("have no handles for readers, and nothing of hidden devices but their units", async () => {
    const reader = await loggedInAs("reader")
    await reader.page.goto("/dcim/rack-elevations/")
    expect(await reader.page.locator(".racks svg a[href*=devices]").count()).toBe(3)
    expect(await reader.page.locator(".movable, [data-rack-moves], [data-taken]").count()).toBe(0)
    await reader.page.goto(`/dcim/devices/${ids.sw}/`)
    expect(await reader.page.locator("a[href$='/move/']").count()).toBe(0)
    expect((await reader.page.goto(`/dcim/devices/${ids.sw}/move/`))?.status()).toBe(403)
    await reader.close()
    const mover = await loggedInAs("mover")
    await mover.page.goto("/dcim/rack-elevations/")
    expect(await mover.page.locator(".movable").count()).toBe(2)
    expect(await mover.page.locator("main").innerHTML()).not.toMatch(new RegExp(`secret|devices/${ids.secret}/`))
    expect(await mover.page.locator(`svg[data-rack="${ids.tall}"]`).getAttribute("data-taken")).toBe(
      "3 3.5 4 4.5 9 9.5 10 10.5"
    )
    await mover.close()
  })

  it("cost one statement, for two racks as for one", async () => {
    const drawn = (racks: ReadonlyArray<number>) =>
      drawnRacks(racks, { base: "" }, { faces: ["front"], isWorkplace: true })
    const sent = async (...racks: ReadonlyArray<number>) =>
      (await statementsOf(api.database.databaseUrl, drawn(racks))).length
    expect([await sent(ids.tall), await sent(ids.tall, ids.low)]).toEqual([1, 1])
  })
})

describe.skipIf(!hasBrowser)("a device", () => {
  it("is dragged to a free unit of another rack, and stays where the service refuses it", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/rack-elevations/")
    await drag(page, ids.sw, ids.low, 4)
    expect(await page.locator(".move-free").count()).toBeGreaterThan(0)
    await page.mouse.up()
    await expect.poll(() => said(page).textContent()).toContain("sw1 was moved to unit 5, front of rack Low")
    expect(await placeOf(ids.sw)).toEqual({ rack: ids.low, position: 5, face: "front" })
    expect(await page.textContent(".flash")).toContain("Device moved.")
    // Somebody else changes the device meanwhile.
    await api.call("PATCH", `/api/dcim/devices/${ids.sw}/`, { description: "changed" })
    const before = await page.locator(".racks").innerHTML()
    await drag(page, ids.sw, ids.tall, 6)
    await page.mouse.up()
    await expect.poll(() => said(page).textContent()).toContain("Somebody else has changed this device")
    expect(await page.locator(".racks").innerHTML()).toBe(
      before.replaceAll(' class="moving movable"', ' class="movable"')
    )
    expect(await placeOf(ids.sw)).toMatchObject({ rack: ids.low, position: 5 })
    await page.goto("/dcim/rack-elevations/")
    await drag(page, ids.sw, ids.tall, 6)
    await page.keyboard.press("Escape")
    await page.mouse.up()
    expect([await page.locator(".move-free").count(), new URL(page.url()).pathname]).toEqual([
      0,
      "/dcim/rack-elevations/"
    ])
    await page.goto(`/dcim/devices/${ids.sw}/`)
    expect(await placeOf(ids.sw)).toMatchObject({ rack: ids.low, position: 5 })
    await close()
  })

  it("is moved with keys, which a status says, also to another rack", async () => {
    await api.call("PATCH", `/api/dcim/devices/${ids.sw}/`, {
      rack: ids.tall,
      location: null,
      position: 3,
      face: "front"
    })
    const { page, close } = await loggedIn()
    await page.goto("/dcim/rack-elevations/?ordering=-name")
    await device(page, ids.sw).focus()
    await page.keyboard.press("m")
    expect(await said(page).textContent()).toContain("Moving sw1, now at Front of rack Tall, unit 3.")
    await page.keyboard.press("ArrowUp")
    expect(await said(page).textContent()).toBe("Front of rack Tall, unit 4")
    expect(await accessibility(page)).toEqual([])
    await page.keyboard.press("Escape")
    expect([await said(page).textContent(), await page.locator(".move-ghost").count()]).toEqual([
      "Nothing was moved.",
      0
    ])
    await page.keyboard.press("m")
    await page.keyboard.press("ArrowRight")
    expect(await said(page).textContent()).toMatch(/^Front of rack Low, unit \d$/)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect.poll(() => said(page).textContent()).toMatch(/^sw1 was moved to unit 7, front of rack Low/)
    expect(await page.evaluate("document.activeElement.dataset.move")).toBe(`${ids.sw}`)
    expect(await placeOf(ids.sw)).toEqual({ rack: ids.low, position: 7, face: "front" })
    await close()
  })

  it("is moved by forms without scripts, with the reason of the API where it is refused", async () => {
    await api.call("PATCH", `/api/dcim/devices/${ids.sw}/`, {
      rack: ids.tall,
      location: null,
      position: 3,
      face: "front"
    })
    const { page, close } = await loggedInAs("mover", { javaScriptEnabled: false })
    await page.goto(`/dcim/devices/${ids.sw}/`)
    await page.click("a[href$='/move/']")
    await page.waitForURL(/\/move\/$/)
    const options = await page.locator("#place optgroup[label=Front] option").allTextContents()
    expect(options.map((text) => text.trim())).toEqual([11, 7, 6, 5, 4, 3, 2, 1].map((unit) => `Front, unit ${unit}`))
    expect(await page.inputValue("#place")).toBe("front 3")
    await page.selectOption("#place", "rear 6")
    // The units are taken before the form is sent.
    const { json } = await api.call<Json>("GET", `/api/dcim/devices/${ids.other}/`)
    const taker = await api.make("dcim/devices", {
      ...{ name: "sw9", site: ids.site, rack: ids.tall, position: 6, face: "front" },
      device_type: (json["device_type"] as { id: number }).id,
      device_role: (json["device_role"] as { id: number }).id
    })
    await page.click("form[method=post] .btn-primary")
    expect(await page.textContent("[role=alert]")).toContain(
      "U6 is already occupied or does not have sufficient space to accommodate this device type: M (2U)"
    )
    expect(await sidewaysWithoutScripts(page)).toBe(0)
    await page.selectOption("#rack", { label: "Low" })
    await page.click("text=Show its free units")
    await page.selectOption("#place", "rear 5")
    await page.click("form[method=post] button.btn-primary")
    await page.waitForURL(at(`/dcim/devices/${ids.sw}/`))
    expect(await page.textContent(".flash")).toContain("Device moved.")
    expect(await placeOf(ids.sw)).toEqual({ rack: ids.low, position: 5, face: "rear" })
    await api.call("DELETE", `/api/dcim/devices/${taker}/`)
    await close()
    const checked = await loggedIn()
    await checked.page.goto(`/dcim/devices/${ids.sw}/move/`)
    expect(await faultsOf(checked.page)).toEqual([])
    await checked.close()
  })
})

/** Pixels by which the page is wider than a small window. */
const sidewaysWithoutScripts = async (page: Page): Promise<number> => {
  await page.setViewportSize({ width: 390, height: 844 })
  const box = await page.locator("main").boundingBox()
  return Math.max(0, Math.round(box!.width) - 390)
}
