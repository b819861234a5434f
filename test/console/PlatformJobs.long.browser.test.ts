/** Everyday jobs of platform engineers from the home page on, each within its budget of clicks and forms. */
import { afterAll, describe, expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { at, hasBrowser } from "../support/Browser.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { personAt } from "./Clicks.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let receiver: Receiver
let answer = 500
let failed: number
let rack: number

const { loggedIn } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver(({ path }) => (path === "/down" ? answer : 200))
  const hook = (name: string, fields: Json) =>
    api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: `${receiver.url}/${name}` },
      ...{ retry_schedule: { kind: "list", delays: [] }, ...fields }
    })
  await hook("down", {})
  await hook("picky", { conditions: { attr: "status.value", value: "retired" } })
  const site = await api.make("dcim/sites", named("Oslo"))
  await api.make("dcim/sites", named("Bergen"))
  const tenant = await api.make("tenancy/tenants", named("Acme"))
  await api.make("dcim/sites", { ...named("Acme HQ"), tenant })
  const group = await api.make("users/groups", { name: "Acme readers" })
  await api.make("users/groups", { name: "NOC" })
  await api.make("users/permissions", {
    ...{ name: "Acme", object_types: ["dcim.site"], actions: ["view"], groups: [group], constraints: { tenant } }
  })
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "S1", slug: "s1" })
  const device_role = await api.make("dcim/device-roles", named("Access"))
  rack = await api.make("dcim/racks", { name: "R1", site, u_height: 12 })
  const device = { device_type, device_role, site, rack }
  failed = await api.make("dcim/devices", { ...device, name: "sw-1", status: "failed", serial: "OLD" })
  await api.make("dcim/devices", { ...device, name: "sw-2" })
  await attempted("failed")
})

afterAll(() => receiver?.close())

const all = async (path: string) =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/${path}`)).json.results

const attempted = (status: string) =>
  eventually(`deliveries are ${status}`, async () => (await all(`extras/deliveries/?status=${status}`)).length === 3)

/** A page at home, and the person there. */
const atHome = async () => {
  const opened = await loggedIn()
  const { page } = opened
  await page.goto("/")
  const person = personAt(page)
  const tile = (name: string) => person.click(page.locator("main .counts a", { hasText: new RegExp(`^${name}`) }))
  /** A list of the menu: a click opens its group. */
  const menu = async (group: string, name: string) => {
    await person.click(page.locator(".side-nav summary", { hasText: group }))
    await person.click(page.locator(".side-nav a", { hasText: new RegExp(`^${name}$`) }))
  }
  return { ...opened, person, tile, menu }
}

const save = ".form-end .btn-primary"

describe.skipIf(!hasBrowser)("a platform engineer", () => {
  it("gives a user of a tenant an expiring token that reads, in 12 clicks", async () => {
    const { page, person, menu, close } = await atHome()
    await menu("Admin", "Users")
    await person.click(page.locator("[data-key=a]"))
    await person.type("Username*", "acme-bot")
    await person.type("Password*", "correct horse battery 7")
    await person.pick("Groups", "Acme readers")
    await person.send(page.locator(save))
    await page.waitForURL(/\/users\/users\/\d+\/$/)
    await person.click(page.locator("a[href^='/users/users/'][href$='/tokens/']"))
    await person.type("Expires", "2030-12-31")
    await person.click(page.locator("[name=write_enabled]"))
    await person.send(page.locator(save))
    const key = await page.inputValue("#once-token")
    person.stays(12, 2)
    const headers = { authorization: `Token ${key}` }
    const sites = await fetch(`${api.service.url}/api/dcim/sites/`, { headers })
    expect(((await sites.json()) as { readonly results: unknown }).results).toMatchObject([{ name: "Acme HQ" }])
    const write = await fetch(`${api.service.url}/api/dcim/sites/`, { method: "POST", headers, body: "{}" })
    expect(write.status).toBe(403)
    await close()
  })

  it("lets a team read one site, built without JSON, in 16 clicks", async () => {
    const { page, person, menu, close } = await atHome()
    await menu("Admin", "Permissions")
    await person.click(page.locator("[data-key=a]"))
    await person.type("Name*", "NOC reads Oslo")
    await person.pick("Object types*", "dcim.site", "Site")
    await person.pick("Groups", "NOC")
    await person.click(page.locator("main label", { hasText: /^View$/ }))
    await person.click(page.getByRole("button", { name: "Add group" }))
    await person.choose("Field", "Name")
    await person.type("Value", "Oslo")
    await person.send(page.locator(save))
    await page.waitForURL(/\/users\/permissions\/\d+\/$/)
    person.stays(16, 1)
    expect(await all("users/permissions/?name=NOC reads Oslo")).toMatchObject([
      { object_types: ["dcim.site"], actions: ["view"], constraints: { name: "Oslo" }, groups: [{ name: "NOC" }] }
    ])
    await close()
  })

  it("finds which webhooks fire for a change, and why one did not, in 4 clicks", async () => {
    const { page, person, menu, close } = await atHome()
    await menu("Logging", "Change log")
    await person.click(page.locator("main tbody tr", { hasText: "Bergen" }).locator("th a").first())
    await page.waitForURL(/\/extras\/object-changes\/\d+\/$/)
    const text = await page.locator("main").innerText()
    expect(text).toContain("down")
    expect(text).toContain('status.value is "active", needs "retired"')
    person.stays(4, 0)
    await close()
  })

  it("retries failed deliveries in 5 clicks", async () => {
    const { page, person, menu, close } = await atHome()
    answer = 200
    await menu("Logging", "Deliveries")
    await person.click(page.locator(".facets a", { hasText: "Failed" }).first())
    await person.click(page.locator("a", { hasText: "Retry all…" }))
    await person.click(page.locator("button[name=confirmed]"))
    person.stays(5, 0)
    await attempted("successful")
    expect(await all("extras/deliveries/?status=failed")).toEqual([])
    await close()
  })

  it("sees what changed since a day in 6 clicks", async () => {
    const { page, person, menu, close } = await atHome()
    await menu("Logging", "Change log")
    await person.click(page.locator(".filters > summary"))
    await person.type("From", "2026-01-01")
    await person.send(page.locator(".filters .btn-primary"))
    await page.waitForURL("**time__gte=2026-01-01**")
    expect(await page.locator("main tbody tr").count()).toBeGreaterThan(5)
    person.stays(6, 1)
    await close()
  })

  it("replaces a failed device by a spare in 7 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Devices")
    await person.click(page.locator("main tbody th a", { hasText: "sw-1" }))
    await person.click(page.locator("[data-key=e]"))
    await person.type("Serial", "NEW")
    await person.choose("Status", "Active")
    await person.send(page.locator(save))
    await page.waitForURL(at(`/dcim/devices/${failed}/`))
    person.stays(7, 1)
    expect(await all("dcim/devices/?name=sw-1")).toMatchObject([{ serial: "NEW", status: { value: "active" } }])
    await close()
  })

  it("decommissions the devices of a rack in 9 clicks", async () => {
    const { page, person, tile, close } = await atHome()
    await tile("Racks")
    await person.click(page.locator("main tbody th a", { hasText: "R1" }))
    await person.click(page.locator("main a[href*='/dcim/devices/?rack_id=']").first())
    await person.click(page.locator("[data-select-page]"))
    await person.click(page.locator("button[formaction^='/dcim/devices/edit/']"))
    await person.choose("Status", "Decommissioning")
    await person.send(page.locator("button[value=preview]"))
    await person.click(page.locator("button[value=apply]"))
    await page.waitForURL("**/dcim/devices/?rack_id=*")
    person.stays(9, 1)
    expect(await all(`dcim/devices/?rack_id=${rack}&status=decommissioning`)).toHaveLength(2)
    await close()
  })
})
