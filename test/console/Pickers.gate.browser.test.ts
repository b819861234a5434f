/** Pickers of references in a real browser: with the keyboard, for several objects, and without scripts. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { accessibility, faultsOf, hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

/** Objects that a picker has found, without the ways to add one. */
const found = "[role=listbox]:visible [role=option]:not(.picker-add)"

const ids = new Map<string, number>()

const make = async (collection: string, body: Json, as: string): Promise<number> => {
  const id = await api.make(collection, body)
  ids.set(as, id)
  return id
}

const { loggedIn } = startConsole(async (started) => {
  api = started
  await make("dcim/regions", named("Nordic"), "Nordic")
  await make("dcim/regions", named("Nordic Islands"), "Islands")
  for (const tag of ["Core", "Edge"]) await make("extras/tags", named(tag), tag)
  const site = await make("dcim/sites", { ...named("Oslo"), description: `<img src=x onerror=alert(1)>` }, "Oslo")
  const manufacturer = await make("dcim/manufacturers", named("Acme"), "Acme")
  const device_type = await make("dcim/device-types", { model: "A1", slug: "a1", manufacturer }, "A1")
  const device_role = await make("dcim/device-roles", named("Leaf"), "Leaf")
  for (const name of ["leaf-01", "leaf-02"]) {
    const device = await make("dcim/devices", { name, device_type, device_role, site }, name)
    await make("dcim/interfaces", { name: "eth0", device, type: "1000base-t" }, `${name} eth0`)
  }
}, sharedApi)

const siteNamed = async (slug: string) =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/dcim/sites/?slug=${slug}`)).json.results[0]!

describe.skipIf(!hasBrowser)("a picker", () => {
  it("finds an object by its name, and takes it with the keys", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Bergen")
    await page.fill("#f-slug", "bergen")
    const region = page.locator("#f-region")
    await region.focus()
    await page.keyboard.type("nordic")
    await page.getByRole("option", { name: "Nordic Islands" }).waitFor()
    expect(await region.getAttribute("aria-expanded")).toBe("true")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    expect(await page.locator("[role=option][aria-selected=true]").textContent()).toBe("Nordic Islands")
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press("Enter")
    expect(await region.inputValue()).toBe("Nordic Islands")
    expect(await region.getAttribute("aria-expanded")).toBe("false")
    await page.locator("#f-tags").focus()
    for (const tag of ["Core", "Edge"]) {
      await page.keyboard.type(tag)
      await page.getByRole("option", { name: tag }).waitFor()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
    }
    await page.getByRole("button", { name: "Remove Core" }).click()
    await page.click(".form-end button")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect(await siteNamed("bergen")).toMatchObject({
      region: { id: ids.get("Islands") },
      tags: [{ id: ids.get("Edge") }]
    })
    expect(problems).toEqual([])
    await close()
  })

  thorough("closes with Escape, takes a key that was typed, and searches the type that was chosen", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/ipam/ip-addresses/add/")
    await page.fill("#f-address", "192.0.2.1/24")
    await page.selectOption("#f-assigned_object_type", "dcim.interface")
    await page.locator("#f-assigned_object_id").focus()
    await page.keyboard.type("leaf-02 eth")
    const option = page.locator(found)
    await option.filter({ hasText: "leaf-02" }).waitFor()
    expect(await option.count()).toBe(1)
    await page.keyboard.press("Escape")
    expect(await option.count()).toBe(0)
    await page.keyboard.press("ArrowDown")
    await option.waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.locator("#f-tags").fill("edge")
    await page.click(".form-end button")
    await page.waitForURL(/\/ipam\/ip-addresses\/\d+\/$/)
    const made = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/ipam/ip-addresses/")
    expect(made.json.results[0]).toMatchObject({
      assigned_object_id: ids.get("leaf-02 eth0"),
      tags: [{ id: ids.get("Edge") }]
    })
    expect(problems).toEqual([])
    await close()
  })

  it("offers what is in the chosen place alone, and never sends the form on Enter", async () => {
    const bergen = await make("dcim/sites", named("Voss"), "Voss")
    for (const [name, at] of [
      ["rack-oslo", ids.get("Oslo")!],
      ["rack-voss", bergen]
    ] as const) {
      await make("dcim/racks", { name, site: at }, name)
    }
    const { page, problems, close } = await loggedIn()
    await page.goto(`/dcim/devices/add/?site=${bergen}`)
    const option = page.locator(found)
    await page.locator("#f-rack").focus()
    await page.keyboard.type("rack")
    await option.first().waitFor()
    expect(await option.allTextContents()).toEqual([expect.stringContaining("rack-voss")])
    await page.keyboard.press("Enter")
    expect(await page.inputValue("[name=rack]")).toBe(`${ids.get("rack-voss")}`)
    await page.locator("#f-platform").focus()
    await page.keyboard.type("no such platform")
    await page.locator(".picker-status", { hasText: "Nothing matches." }).waitFor()
    await page.keyboard.press("Enter")
    expect(new URL(page.url()).pathname).toBe("/dcim/devices/add/")
    expect(await page.locator(".form-row .field-error").count()).toBe(0)
    // Enter is pressed before the search has ended.
    await page.fill("#f-device_type", "")
    await page.locator("#f-device_type").focus()
    await page.keyboard.type("A1")
    await page.keyboard.press("Enter")
    await page.locator(`[name=device_type][value="${ids.get("A1")}"]`).waitFor({ state: "attached" })
    expect(problems).toEqual([])
    await close()
  })

  it("searches for the text that was typed, though an earlier search answers after its first letter", async () => {
    const { page, close } = await loggedIn()
    await page.clock.install()
    await page.goto("/dcim/sites/add/")
    let answer = () => {}
    const typed = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/[?&]q=$/, async (route) => {
      await typed
      await route.continue()
    })
    const requested = page.waitForRequest(/[?&]q=$/)
    await page.locator("#f-region").click()
    const earlier = await requested
    // The timer of the search does not fire before Enter is pressed.
    await page.clock.pauseAt(new Date(await page.evaluate(() => Date.now() + 1000)))
    await page.keyboard.type("nordic islands")
    answer()
    await (await earlier.response())?.finished()
    await page.keyboard.press("Enter")
    await page.clock.resume()
    await page.locator(`[name=region][value="${ids.get("Islands")}"]`).waitFor({ state: "attached" })
    expect(await page.inputValue("#f-region")).toBe("Nordic Islands")
    await close()
  })

  thorough("is a page to search without scripts, which loses nothing that was typed", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Narvik")
    await page.fill("#f-comments", "two\nlines")
    await page.click("button[name=_pick][value=region]")
    expect(await page.textContent("h1")).toBe("Choose Region")
    await page.fill("#pick-q", "islands")
    await page.press("#pick-q", "Enter")
    expect(await page.locator(".pick-list button").allTextContents()).toEqual([
      expect.stringContaining("Nordic Islands")
    ])
    const add = page.locator("a[href='/dcim/regions/add/?name=islands']")
    expect(await add.count()).toBe(1)
    expect(await sideways(page)).toEqual([])
    await page.click(".pick-list button")
    expect(await page.inputValue("#f-region")).toBe(String(ids.get("Islands")))
    expect(await page.textContent(".picked >> nth=0")).toBe("")
    expect(await page.locator(".picker", { has: page.locator("#f-region") }).textContent()).toContain("Nordic Islands")
    expect([await page.inputValue("#f-name"), await page.inputValue("#f-comments")]).toEqual(["Narvik", "two\nlines"])
    for (const tag of ["core", "edge"]) {
      await page.click("button[name=_pick][value=tags]")
      await page.fill("#pick-q", tag)
      await page.press("#pick-q", "Enter")
      await page.click(".pick-list button")
    }
    await page.fill("#f-slug", "narvik")
    // Enter saves, though a button for a search precedes the one that saves.
    await page.press("#f-slug", "Enter")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect(await siteNamed("narvik")).toMatchObject({
      region: { id: ids.get("Islands") },
      tags: [{ id: ids.get("Core") }, { id: ids.get("Edge") }]
    })
    await close()
  })

  thorough("says how many more there are, and finds words in any order, those of the parent too", async () => {
    const device_type = ids.get("A1")!
    const device_role = ids.get("Leaf")!
    const site = ids.get("Oslo")!
    const device = await make("dcim/devices", { name: "sw150", device_type, device_role, site }, "sw150")
    await api.makeAll(
      "dcim/interfaces",
      Array.from({ length: 57 }, (_, at) => ({ device, name: `Eth${at + 1}`, type: "1000base-t" }))
    )
    const { page, close } = await loggedIn()
    await page.goto(`/ipam/ip-addresses/add/?assigned_object_type=dcim.interface`)
    await page.locator("#f-assigned_object_id").focus()
    await page.keyboard.type("sw150 Eth")
    await page.locator(".picker-status", { hasText: "37 more: type more of the name." }).waitFor()
    await page.keyboard.type("57")
    await page.locator(found, { hasText: "Eth57" }).waitFor()
    expect(await page.locator(found).innerText()).toMatch(/Eth57\s+sw150/)
    await page.fill("#f-assigned_object_id", "Eth56 sw150")
    await page.locator(found, { hasText: "Eth56" }).waitFor()
    expect(await page.locator(found).count()).toBe(1)
    expect(await accessibility(page)).toEqual([])
    await close()
  })

  it("shows to users what the API shows them", async () => {
    const user = await makeUser(api, "picky", {
      types: ["dcim.region"],
      actions: ["view"],
      constraints: { slug: "nordic" }
    })
    const pick = async (path: string) => {
      const headers = { authorization: `Token ${user.token}` }
      const response = await fetch(`${api.service.url}${path}`, { headers })
      const { results = [] } = (await response.json()) as { readonly results?: ReadonlyArray<{ readonly id: number }> }
      return [response.status, results.map(({ id }) => id)]
    }
    expect(await pick("/dcim/regions/pick/?q=nordic")).toEqual([200, [ids.get("Nordic")]])
    expect(await pick(`/dcim/regions/pick/?q=${ids.get("Islands")}`)).toEqual([200, []])
    expect(await pick("/dcim/sites/pick/")).toEqual([403, []])
  })
})
