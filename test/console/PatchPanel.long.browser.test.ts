/** From files of the device type library to a cabled, traced path between two switches, in a real browser. */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { accessibility, hasBrowser, sideways } from "../support/Browser.ts"
import { startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let rack: number

const { loggedIn } = startConsole(async (started) => {
  api = started
  const site = await api.make("dcim/sites", named("Oslo"))
  await api.make("dcim/device-roles", { ...named("Network"), color: "ffeb3b" })
  rack = await api.make("dcim/racks", { name: "R1", site, u_height: 10 })
}, sharedApi)

const found = async (path: string) =>
  (await api.call<{ readonly results: ReadonlyArray<Json & { readonly id: number }> }>("GET", `/api/${path}`)).json
    .results

const pick = async (page: Page, field: string, text: string, option: string) => {
  await page.locator(`#f-${field}`).focus()
  await page.keyboard.type(text)
  await page.getByRole("option", { name: option }).first().waitFor()
  await page.getByRole("option", { name: option }).first().click()
}

/** The value of an attribute on the page of an object. */
const attribute = (page: Page, title: string) =>
  page.locator("dl.attrs dt", { hasText: new RegExp(`^${title}$`) }).locator("xpath=following-sibling::dd[1]")

describe.skipIf(!hasBrowser)("a patch panel", () => {
  it("joins two switches, from the library's files to a path that is traced and cut", async () => {
    const files = ["Acme/chassis-4.yaml", "Borg/panel-24.yaml"].map((name) =>
      readFileSync(new URL(`../command/library/device-types/${name}`, import.meta.url), "utf8")
    )
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    const { page, close } = await loggedIn()
    const authorization = `Token ${await api.newToken()}`
    for (const file of files) {
      const reply = await fetch(`${api.service.url}/api/dcim/device-types/import/`, {
        method: "POST",
        headers: { authorization, "content-type": "application/yaml" },
        body: file
      })
      expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ created: 1, errors: [] })])
    }
    for (const [position, name, model] of [
      [1, "sw1", "Chassis 4"],
      [5, "panel1", "Panel 24"],
      [6, "panel2", "Panel 24"],
      [7, "sw2", "Chassis 4"]
    ] as const) {
      await page.goto(`/dcim/racks/${rack}/`)
      await page.locator(`figure svg a[href$="position=${position}"]`).first().click()
      await page.waitForURL("**/dcim/devices/add/**")
      await page.fill("#f-name", name)
      await pick(page, "device_type", model, model)
      await pick(page, "device_role", "Net", "Network")
      await page.click(".form-end button")
      await page.waitForURL(/\/dcim\/devices\/\d+\/$/)
    }
    for (const [a, one, b, two] of [
      ["interface", "sw1 eth0", "frontport", "panel1 F1"],
      ["rearport", "panel1 R1", "rearport", "panel2 R1"],
      ["frontport", "panel2 F1", "interface", "sw2 eth0"]
    ] as const) {
      await page.goto("/dcim/cables/add/")
      await page.selectOption("#f-a_type", `dcim.${a}`)
      await pick(page, "a_terminations", one, one.split(" ")[1]!)
      await page.selectOption("#f-b_type", `dcim.${b}`)
      await pick(page, "b_terminations", two, two.split(" ")[1]!)
      await page.click(".form-end button")
      await page.waitForURL(/\/dcim\/cables\/\d+\/$/)
    }
    for (const end of ["sw1", "sw2"]) {
      await api.make("extras/webhooks", {
        ...{ name: `ends at ${end}`, content_types: ["dcim.interface"], type_update: true },
        ...{ conditions: { attr: "device.name", value: end }, payload_url: receiver.url }
      })
    }
    const [eth0, other] = await found("dcim/interfaces/?name=eth0&ordering=id")
    const [trunk] = await found("dcim/cables/?termination_a_type=dcim.rearport")
    await page.goto(`/dcim/interfaces/${eth0!.id}/`)
    expect(await attribute(page, "Connected to").locator("a").last().getAttribute("href")).toBe(
      `/dcim/interfaces/${other!.id}/`
    )
    expect(await accessibility(page)).toEqual([])
    expect(await sideways(page)).toEqual([])
    const picture = `/api/dcim/interfaces/${eth0!.id}/trace/?render=svg`
    await page.goto(picture)
    const [one, two, three] = (await found("dcim/cables/?ordering=id")).map(({ id }) => `#${id}`)
    const hops = ["sw1", "eth0", one, "F1", "panel1", "R1", two, "R1", "panel2", "F1", three, "eth0", "sw2"]
    expect(await page.locator("text").allTextContents()).toEqual(hops)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0)

    await page.goto(`/dcim/cables/${trunk!.id}/`)
    await page.getByRole("link", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(/\/dcim\/cables\/$/)
    await receiver.untilAll((received) => received.length >= 2)
    const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()) as Json)
    const told = bodies.map(({ event, data }) => {
      const { device, connected_endpoints: ends } = data as {
        readonly device: Json
        readonly connected_endpoints: null
      }
      return [event, device["name"], ends]
    })
    expect(told.toSorted()).toEqual([
      ["updated", "sw1", null],
      ["updated", "sw2", null]
    ])
    await page.goto(picture)
    expect(await page.locator("text").allTextContents()).toEqual(hops.slice(0, 6))
    await page.goto(`/dcim/interfaces/${other!.id}/`)
    expect(await attribute(page, "Peers").textContent()).toContain("F1")
    expect(await attribute(page, "Connected to").locator("a").count()).toBe(0)
    await close()
  })
})
