/** The pages of a device, of its interfaces and cables in a real browser. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"
import { thorough, thoroughly } from "../support/Seed.ts"

let api: Api
let device: number
let far: number
let cable: number
let role: number
let ports: ReadonlyArray<number>
/** An address of the interface `j` of the device `i`. */
let narrow: number

const { loggedInAs } = startConsole(async (started) => {
  api = started
  const site = await api.make("dcim/sites", named("Site"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "ffeb3b" })
  const place = { site, device_type, device_role }
  const comments =
    "# Access\n\nSee **[the runbook](https://example.com/)**.\n\n<img src=x onerror=alert(1)><p hx-get=/x>a</p>"
  await api.make("extras/custom-fields", {
    ...{ content_types: ["dcim.device"], type: "boolean", name: "in_dr", label: "Part of the recovery plan" },
    group_name: "Recovery"
  })
  role = device_role
  device = await api.make("dcim/devices", { name: "sw1", ...place, comments, custom_fields: { in_dr: true } })
  far = await api.make("dcim/devices", { name: "secret2", ...place })
  const vlan = await api.make("ipam/vlans", { name: "Servers", vid: 100 })
  ports = await api.makeAll(
    "dcim/interfaces",
    Array.from({ length: 24 }, (_, at) => ({
      ...{ device, name: `Ethernet${at + 1}`, type: "1000base-t" },
      ...(at === 0 && { mode: "access", untagged_vlan: vlan, description: "Uplink" }),
      ...(at === 1 && { enabled: false })
    }))
  )
  await api.make("dcim/console-ports", { device, name: "Con1" })
  await api.make("dcim/inventory-items", { device, name: "Fan tray", part_id: "FT-1" })
  const peer = await api.make("dcim/interfaces", { device: far, name: "Gi9", type: "1000base-t" })
  const end = (object_id: number) => [{ object_type: "dcim.interface", object_id }]
  cable = await api.make("dcim/cables", {
    ...{ a_terminations: end(ports[0]!), b_terminations: end(peer), status: "planned" },
    ...{ color: "00ff00", length: 3, length_unit: "m", type: "cat6" }
  })
  const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: ports[0] }
  await api.make("ipam/ip-addresses", { address: "192.0.2.1/24", ...assigned })
  const letter = await api.make("dcim/devices", { name: "i", ...place })
  narrow = await api.make("ipam/ip-addresses", {
    ...{ address: "192.0.2.2/24", assigned_object_type: "dcim.interface" },
    assigned_object_id: await api.make("dcim/interfaces", { device: letter, name: "j", type: "virtual" })
  })
  const all = [
    "dcim.inventoryitem",
    "dcim.modulebay",
    "dcim.module",
    "dcim.devicerole",
    "dcim.device",
    "dcim.interface",
    "dcim.consoleport",
    "dcim.cable",
    "ipam.ipaddress",
    "ipam.vlan"
  ]
  await makeUser(api, "ann", { types: all, actions: ["view", "add", "change", "delete"] })
  await makeUser(api, "bob", {
    ...{ types: ["dcim.device", "dcim.interface", "dcim.cable"], actions: ["view"] },
    constraints: { id__lt: far }
  })
}, sharedApi)

describe.skipIf(!hasBrowser)("the page of a device", () => {
  it("lists its ports by kind, with VLANs, addresses, peers and cables, and filters them", async () => {
    const { page, close } = await loggedInAs("ann")
    await page.goto(`/dcim/devices/${device}/`)
    const row = page.locator("tr[data-row]", { hasText: "Uplink" })
    const text = (await row.innerText()).replaceAll(/\s+/g, " ")
    expect(text).toMatch(/Ethernet1 Uplink 1000BASE-T \(1GE\) Yes Access Servers \(100\) 192\.0\.2\.1\/24 secret2 ?Gi9/)
    expect(text).toContain("Planned")
    expect(await page.locator("tr[data-row]").count()).toBe(25)
    expect(await page.innerText("section[aria-labelledby=panel-inventory]")).toContain("FT-1")
    expect(await page.locator("section[aria-labelledby=panel-modules]").count()).toBe(0)
    expect(await page.locator("section[aria-labelledby=related]").count()).toBe(0)
    expect(await accessibility(page)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.fill("#filter-ports", "gi9 ETHERNET1")
    expect(await page.locator("tr[data-row]:visible").count()).toBe(1)
    expect(await page.locator("[data-count]").first().innerText()).toBe("1 of 24")
    await close()
  })

  thorough("changes ports in bulk, and filters without scripts", async () => {
    const { page, close } = await loggedInAs("ann", { javaScriptEnabled: false })
    await page.goto(`/dcim/devices/${device}/`)
    await page.fill("#filter-ports", "ethernet2")
    await page.click("[aria-label='Filter ports'] button")
    expect(await page.locator("tr[data-row]").count()).toBe(6)
    await page.check("[aria-label='Select Ethernet2']")
    await page.click("button[formaction^='/dcim/interfaces/edit/']")
    expect(await page.textContent("main")).toContain("Ethernet2")
    await close()
  })

  it("names no peer that its reader may not view", async () => {
    const { page, close } = await loggedInAs("bob")
    for (const path of [`/dcim/devices/${device}/`, `/dcim/interfaces/${ports[0]}/`, `/dcim/cables/${cable}/`]) {
      await page.goto(path)
      const text = await page.content()
      expect(text).not.toContain("secret2")
      expect(text).not.toContain("192.0.2.1")
    }
    await close()
  })
})

describe.skipIf(!hasBrowser)("values", () => {
  it("lead to the device and the port of an address by links that a finger hits, even to names of a letter", async () => {
    const { page, close } = await loggedInAs("ann")
    await page.goto(`/ipam/ip-addresses/${narrow}/`)
    expect(await page.locator("main a", { hasText: /^[ij]$/ }).count()).toBe(2)
    expect(await accessibility(page)).toEqual([])
    await close()
  })

  it("are shown as people wrote them: Markdown without markup of its own, labels, Yes", async () => {
    const { page, close } = await loggedInAs("ann")
    await page.goto(`/dcim/devices/${device}/`)
    const comments = page.locator("section[aria-labelledby=comments]")
    expect(await comments.locator("h3").innerText()).toBe("Access")
    expect(await comments.locator("strong a").getAttribute("rel")).toContain("noopener")
    expect(await comments.locator("img, [hx-get]").count()).toBe(0)
    const custom = (await page.innerText("section[aria-labelledby=custom-fields]")).replaceAll(/\s+/g, " ")
    expect(custom).toContain("Recovery Part of the recovery plan Yes")
    expect(await page.innerText("section[aria-labelledby=attributes]")).toMatch(/\d+ empty/)
    await close()
  })

  it("of a colour are shown as one, and picked with the mouse or typed", async () => {
    const { page, close } = await loggedInAs("ann")
    await page.goto(`/dcim/device-roles/${role}/`)
    expect(await page.getAttribute("dd .swatch rect", "fill")).toBe("#ffeb3b")
    await page.goto(`/dcim/device-roles/${role}/edit/`)
    await page.fill("[aria-label='Pick color']", "#102030")
    expect(await page.inputValue("#f-color")).toBe("102030")
    await page.fill("#f-color", "405060")
    expect(await page.inputValue("[aria-label='Pick color']")).toBe("#405060")
    expect(await accessibility(page)).toEqual([])
    await page.click(".form-end .btn-primary")
    await page.waitForURL(at(`/dcim/device-roles/${role}/`))
    expect(await page.innerText("section[aria-labelledby=attributes]")).toContain("405060")
    await close()
  })
})

thoroughly.skipIf(!hasBrowser)("the page of an interface", () => {
  it("shows its addresses, and the path of its cable with what is not in use", async () => {
    const { page, close } = await loggedInAs("ann")
    await page.goto(`/dcim/interfaces/${ports[0]}/`)
    expect(await page.innerText("section[aria-labelledby=addresses]")).toContain("192.0.2.1/24")
    const hops = await page.locator(".hops > li").allInnerTexts()
    expect(hops.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
      "sw1 Ethernet1",
      `Cable #${cable} Planned CAT6, 3 m`,
      "secret2 Gi9"
    ])
    expect(await page.innerText(".path .note")).toContain("1 of its cables is not in use")
    expect(await accessibility(page)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.click("text=Add address")
    expect(await page.inputValue("[name=assigned_object_id]")).toBe(`${ports[0]}`)
    await close()
  })
})

thoroughly.skipIf(!hasBrowser)("the page of a cable", () => {
  it("names both ends, as its list does", async () => {
    const { page, close } = await loggedInAs("ann")
    for (const path of [`/dcim/cables/${cable}/`, "/dcim/cables/"]) {
      await page.goto(path)
      const text = (await page.innerText("main")).replaceAll(/\s+/g, " ")
      expect(text).toMatch(/sw1 ?Ethernet1/)
      expect(text).toMatch(/secret2 ?Gi9/)
      expect(text).toContain("3 m")
      expect(text).not.toContain("object_type")
      expect(await accessibility(page)).toEqual([])
    }
    await close()
  })
})
