/** Everyday jobs of network engineers from the home page on, each within its budget of clicks and forms. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { at, hasBrowser } from "../support/Browser.ts"
import { type Json, named } from "../support/Client.ts"
import { personAt } from "./Clicks.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let rack: number
let switchId: number
let ports: ReadonlyArray<number>

const { loggedIn } = startConsole(async (started) => {
  api = started
  const yaml = readFileSync(new URL("../command/library/device-types/Acme/chassis-4.yaml", import.meta.url), "utf8")
  await fetch(`${api.service.url}/api/dcim/device-types/import/`, {
    method: "POST",
    headers: { authorization: `Token ${await api.newToken()}`, "content-type": "application/yaml" },
    body: yaml
  })
  const device_role = await api.make("dcim/device-roles", { ...named("Access"), color: "ffeb3b" })
  const site = await api.make("dcim/sites", named("Trondheim"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "S48", slug: "s48" })
  rack = await api.make("dcim/racks", { name: "T1", site, u_height: 12 })
  const device = { device_type, device_role, site }
  switchId = await api.make("dcim/devices", { ...device, name: "access-1", rack, position: 1, face: "front" })
  ports = await api.makeAll(
    "dcim/interfaces",
    Array.from({ length: 48 }, (_, at) => ({ device: switchId, name: `Gi${at + 1}`, type: "1000base-t" }))
  )
  const far = await api.make("dcim/devices", { ...device, name: "core-1" })
  const uplink = await api.make("dcim/interfaces", { device: far, name: "Te1", type: "10gbase-x-sfpp" })
  const end = (object_id: number) => [{ object_type: "dcim.interface", object_id }]
  await api.make("dcim/cables", { a_terminations: end(ports[47]!), b_terminations: end(uplink) })
  await api.make("ipam/vlans", { name: "Voice", vid: 200 })
  const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: ports[0] }
  await api.make("ipam/ip-addresses", { address: "192.0.2.77/24", ...assigned })
  await api.make("ipam/prefixes", { prefix: "192.0.2.0/24" })
  await api.make("ipam/prefixes", { prefix: "10.8.0.0/16", status: "container" })
}, sharedApi)

const all = async (path: string) =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/${path}`)).json.results

/** A page at home, and the person there. */
const atHome = async () => {
  const opened = await loggedIn()
  await opened.page.goto("/")
  const person = personAt(opened.page)
  const tile = (name: string) =>
    person.click(opened.page.locator("main .counts a", { hasText: new RegExp(`^${name}`) }))
  return { ...opened, person, tile }
}

const add = ".form-end .btn-primary"

describe.skipIf(!hasBrowser)("a network engineer", () => {
  thorough("builds a site with a rack, two cabled devices and a primary address in 20 clicks and 4 forms", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Devices")
    await person.click(page.locator("[data-key=a]"))
    await person.type("Name", "leaf-[1-2]")
    await person.pick("Device type*", "Chassis 4")
    await person.pick("Device role*", "Access")
    await person.addInPicker("Site*", "Oslo")
    await person.addInPicker("Rack", "R1")
    await person.send(page.locator(add))
    await page.waitForURL("**/dcim/devices/?ordering=-id")
    await person.click(page.locator("main tbody th a", { hasText: "leaf-1" }))
    await person.click(page.locator("tr[data-row]", { hasText: "eth0" }).locator(".connect"))
    await person.pick("B side*", "leaf-2 eth0", "eth0")
    await person.send(page.locator(add))
    await page.waitForURL(/\/dcim\/cables\/\d+\/$/)
    await person.click(page.locator("main .panels a", { hasText: /^eth0$/ }).first())
    await person.click(page.locator("a", { hasText: "Add address" }))
    await person.type("Address*", "10.9.0.1/24")
    await person.send(page.locator(add))
    await page.waitForURL(/\/ipam\/ip-addresses\/\d+\/$/)
    await person.click(page.getByRole("button", { name: "Make primary for its device" }))
    await page.waitForURL(/\/dcim\/devices\/\d+\/$/)
    person.stays(20, 4)
    const [one, two] = await all("dcim/devices/?name__isw=leaf-")
    expect(one).toMatchObject({ site: { name: "Oslo" }, rack: { name: "R1" } })
    expect([one, two].filter((each) => each!["primary_ip4"] !== null)).toMatchObject([
      { primary_ip4: { address: "10.9.0.1/24" } }
    ])
    await close()
  })

  it("takes a free prefix in 4 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Prefixes")
    await person.click(page.locator("main tbody a", { hasText: "10.8.0.0/16" }))
    await person.click(page.getByRole("button", { name: "Allocate the next free prefix" }))
    await page.waitForSelector(".flash")
    expect(await page.textContent("h1")).toBe("10.8.0.0/24")
    person.stays(4, 0)
    await close()
  })

  it("opens the form of a device in a free unit in 3 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Racks")
    await person.click(page.locator("main tbody a", { hasText: "T1" }))
    await person.click(page.locator(`figure svg a[href$="position=5"]`).first())
    await page.waitForURL("**/dcim/devices/add/**")
    expect(await page.inputValue("#f-position")).toBe("5")
    expect(await page.inputValue("#f-rack")).toBe("T1")
    person.stays(3, 0)
    await close()
  })

  it("traces a port in 2 clicks", async () => {
    const { page, person, close } = await atHome()
    await page.goto(`/dcim/devices/${switchId}/`)
    await person.click(page.locator("tr[data-row]", { hasText: "core-1" }).locator("th a"))
    await page.waitForURL(at(`/dcim/interfaces/${ports[47]}/`))
    expect(await page.innerText("section[aria-labelledby=trace]")).toContain("core-1")
    person.stays(2, 0)
    await close()
  })

  it("finds the device of an address in 3 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("IP addresses")
    await person.click(page.locator("#quick"))
    await page.keyboard.type("192.0.2.77")
    await page.waitForURL("**q=192.0.2.77")
    await person.click(page.locator("main tbody a", { hasText: "192.0.2.77" }).first())
    await page.waitForURL(/\/ipam\/ip-addresses\/\d+\/$/)
    expect(await page.innerText("main")).toContain("access-1")
    person.stays(3, 0)
    await close()
  })

  thorough("gives the next free address to an interface in 8 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Prefixes")
    await person.click(page.locator("main tbody a", { hasText: "192.0.2.0/24" }))
    await person.click(page.getByRole("button", { name: "Allocate the next free address" }))
    await page.waitForURL(/\/ipam\/ip-addresses\/\d+\/$/)
    await person.click(page.locator("[data-key=e]"))
    await person.choose("Assigned object type", "Interface")
    await person.pick("Assigned object", "access-1 Gi7", "Gi7")
    await person.send(page.locator(add))
    await page.waitForURL(/\/ipam\/ip-addresses\/\d+\/$/)
    person.stays(8, 2)
    expect(await all("ipam/ip-addresses/?address=192.0.2.1")).toMatchObject([{ assigned_object_id: ports[6] }])
    await close()
  })

  thorough("puts 48 ports into a VLAN in 9 clicks, and is back at the device", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Devices")
    await person.click(page.locator("main tbody th a", { hasText: "access-1" }))
    await person.click(page.locator("[data-select-page]").first())
    await person.click(page.locator("button[formaction^='/dcim/interfaces/edit/']"))
    await person.choose("Mode", "Access")
    await person.pick("Untagged VLAN", "Voice")
    await person.send(page.locator("button[value=preview]"))
    await person.click(page.locator("button[value=apply]"))
    await page.waitForURL(`**/dcim/devices/${switchId}/#ports`)
    person.stays(9, 2)
    expect(await all(`dcim/interfaces/?device_id=${switchId}&untagged_vlan__n=null&limit=100`)).toHaveLength(48)
    await close()
  })

  thorough("disables the ports that a search finds in 8 clicks", async () => {
    const { page, person, close } = await atHome()
    await page.goto(`/dcim/devices/${switchId}/`)
    await person.type("Filter ports", "Gi4")
    await person.click(page.locator("[data-select-page]").first())
    await person.click(page.locator("button[formaction^='/dcim/interfaces/edit/']"))
    await person.choose("Enabled", "No")
    await person.send(page.locator("button[value=preview]"))
    await person.click(page.locator("button[value=apply]"))
    await page.waitForURL(`**/dcim/devices/${switchId}/#ports`)
    person.stays(8, 1)
    expect(await all(`dcim/interfaces/?device_id=${switchId}&enabled=false&limit=100`)).toHaveLength(10)
    await close()
  })
})
