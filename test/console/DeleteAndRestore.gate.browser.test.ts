/** Deleting a device and restoring it in a real browser: what the pages say before, and how they look. */
import { describe, expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { at, faultsOf, hasBrowser } from "../support/Browser.ts"
import { captured } from "../support/CaughtUp.ts"
import { eventually } from "../support/Eventually.ts"
import { startConsole } from "./Fixture.ts"
import { thoroughly } from "../support/Seed.ts"

let api: Api
let device: number
let site: number
let webhook: number

const { loggedIn } = startConsole(async (started) => {
  api = started
  webhook = await api.make("extras/webhooks", {
    ...{ name: "inventory", content_types: ["dcim.site", "dcim.interface"], type_create: true, type_delete: true },
    ...{ paused: true, payload_url: "https://receiver.example/" }
  })
  site = await api.make("dcim/sites", named("Oslo"))
  const manufacturer = await api.make("dcim/manufacturers", named("Usual"))
  const device_type = await api.make("dcim/device-types", { model: "M", slug: "m", manufacturer })
  device = await api.make("dcim/devices", {
    ...{ name: "core-1", site, device_type, device_role: await api.make("dcim/device-roles", named("Core")) }
  })
  const ports = Array.from({ length: 24 }, (_, at) => ({ device, name: `eth${at}`, type: "1000base-t" }))
  const made = (await api.call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/interfaces/", ports)).json
  const address = await api.make("ipam/ip-addresses", {
    ...{ address: "192.0.2.1/24", assigned_object_type: "dcim.interface", assigned_object_id: made[0]!.id }
  })
  await api.call("PATCH", `/api/dcim/devices/${device}/`, { primary_ip4: address })
  await api.make("ipam/ip-addresses", { address: "198.51.100.1/24", nat_inside: address })
  const board = await api.make("dcim/inventory-items", { device, name: "Supervisor", asset_tag: "T-1" })
  await api.make("dcim/inventory-items", { device, name: "Optic", parent: board })
})

describe.skipIf(!hasBrowser)("a device", () => {
  it("is deleted after its consequences were shown, and restored with what was deleted with it", async () => {
    const { page } = await loggedIn()
    await page.goto(`/dcim/devices/${device}/delete/`)
    expect(await page.innerText("[aria-labelledby=effect-delete]")).toContain("24 interfaces")
    expect(await faultsOf(page)).toEqual([])
    await page.click(".form-end button")
    await page.waitForURL(at("/dcim/devices/"))
    await captured(api.database)
    const query = `?changed_object_type=dcim.device&changed_object_id=${device}&action=delete`
    const change = (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json.results[0]!.id
    // Another item has the asset tag of the deleted one by now.
    const spare = await api.make("dcim/devices", {
      ...{ name: "spare", site, device_type: 1, device_role: 1 }
    })
    await api.make("dcim/inventory-items", { device: spare, name: "Thief", asset_tag: "T-1" })
    await page.goto(`/extras/object-changes/${change}/restore/`)
    expect(await page.locator("#restored-with-it").count()).toBe(1)
    expect(await page.locator(".omitted li").allInnerTexts()).toEqual([
      "inventory item Supervisor: Asset tag: There is another inventory item with this asset tag. Choose another one.",
      "inventory item Optic: Its parent is not restored."
    ])
    expect(await faultsOf(page)).toEqual([])
    await page.uncheck("[name=field][value=primary_ip4]")
    await page.click("[name=_preview]")
    expect(await page.isChecked("[name=field][value=primary_ip4]")).toBe(false)
    await page.click("main form .btn-primary")
    await page.waitForSelector("h1:has-text('Device core-1 restored')")
    expect(await faultsOf(page)).toEqual([])
    await page.click("main >> text=Open it")
    await page.waitForURL(/\/dcim\/devices\/\d+\/$/)
    const { json } = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/dcim/devices/?name=core-1")
    expect(json.results).toMatchObject([{ primary_ip4: null }])
  })
})

thoroughly.skipIf(!hasBrowser)("pages that delete", () => {
  it("say what forbids it, and how many deliveries wait", async () => {
    const { page } = await loggedIn()
    await page.goto(`/dcim/sites/${site}/delete/`)
    expect(await page.innerText("main form")).toContain("It cannot be deleted")
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`/extras/webhooks/${webhook}/delete/`)
    await eventually("they wait", async () => {
      await page.reload()
      return /\d+ deliveries wait\s+for it/.test(await page.innerText("main form")) || undefined
    })
    expect(await faultsOf(page)).toEqual([])
  })
})
