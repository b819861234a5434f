/** Previews: what a form would change and which webhooks would fire, before anything is saved. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const everyKind = { type_create: true, type_update: true, type_delete: true }
const payload_url = "https://receiver.example/"
const statusIs = (value: string) => ({ and: [{ attr: "status.value", value }] })

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const makeHook = (name: string, fields: Json) =>
    api.call("POST", "/api/extras/webhooks/", { name, payload_url, ...fields })
  await makeHook("Everything", { content_types: ["dcim.site"], ...everyKind })
  await makeHook("Retired", {
    content_types: ["dcim.site"],
    ...everyKind,
    conditions: statusIs("retired"),
    paused: true
  })
  await makeHook("Moved", {
    ...{ content_types: ["dcim.site"], type_update: true },
    conditions: { and: [{ attr: "region", op: "changed" }] }
  })
  // It fires only for what its user may view.
  const watcher = await makeUser(api, "watcher", {
    ...{ types: ["dcim.site"], actions: ["view"] },
    constraints: { status: "retired" }
  })
  await makeHook("Watched", { content_types: ["dcim.site"], type_update: true, scope_user: watcher.id })
  await makeHook("Off", { content_types: ["dcim.site"], ...everyKind, enabled: false })
  await makeHook("Locations", { content_types: ["dcim.location"], ...everyKind })
})

const siteIds = async () => (await api.call<List>("GET", "/api/dcim/sites/")).json.results.map(({ id }) => id)

const fires = ".preview .fires li"

describe.skipIf(!hasBrowser)("a preview", () => {
  it("shows the fields that would change and the webhooks that would fire, and saves nothing", async () => {
    const region = await api.make("dcim/regions", named("North"))
    const id = await api.make("dcim/sites", { ...named("Rana"), facility: "old" })
    const before = (await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json
    const { page, problems, close } = await loggedIn()
    await page.goto(`/dcim/sites/${id}/edit/`)
    await page.fill("#f-facility", "new")
    await page.selectOption("#f-status", "retired")
    await page.click("[name=_preview]")
    await page.waitForSelector(".preview")
    const rows = await page.locator(".preview tbody tr").allTextContents()
    expect(rows.map((row) => row.replaceAll(/\s+/g, " ").trim())).toEqual(["Status Active Retired", "Facility old new"])
    expect(await page.locator(fires).allTextContents()).toEqual([
      "Everything",
      expect.stringMatching(/^Retired\s+paused: the delivery waits/),
      "Watched"
    ])
    expect([...(await accessibility(page)), ...(await accessibility(page, "dark"))]).toEqual([])
    expect(await sideways(page)).toEqual([])
    expect((await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json).toEqual(before)
    // The form goes on as it was: with another value the preview is another one.
    await page.selectOption("#f-status", "active")
    await page.fill("#f-region", "north")
    await page.click("[name=_preview]")
    await page.locator(fires, { hasText: "Moved" }).waitFor()
    expect(await page.locator(fires).allTextContents()).toEqual(["Everything", "Moved"])
    await page.click(".form-end button")
    await page.waitForURL(at(`/dcim/sites/${id}/`))
    const saved = (await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json
    // The webhooks that fire are those that the preview showed.
    const deliveries = () =>
      api.call<{ readonly results: ReadonlyArray<Json> }>(
        "GET",
        `/api/extras/deliveries/?object_type=dcim.site&object_id=${id}&event=updated`
      )
    await expect
      .poll(async () => (await deliveries()).json.results.map(({ webhook }) => (webhook as Json)["name"]).toSorted())
      .toEqual(["Everything", "Moved"])
    expect(saved).toMatchObject({ facility: "new", region: { id: region }, status: { value: "active" } })
    expect(problems).toEqual([])
    await close()
  })

  it("tells of a new object and of a deletion, with what goes along", async () => {
    const id = await api.make("dcim/sites", { ...named("Senja"), status: "retired" })
    await api.make("dcim/locations", { ...named("Hall"), site: id })
    const before = await siteIds()
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/dcim/sites/add/?clone=${id}`)
    await page.fill("#f-name", "Andoy")
    await page.fill("#f-slug", "andoy")
    await page.click("[name=_preview]")
    expect(await page.locator(fires).count()).toBe(2)
    expect(await page.inputValue("#f-name")).toBe("Andoy")
    await page.goto(`/dcim/sites/${id}/delete/`)
    await page.click("[name=_preview]")
    expect(await page.locator(fires).count()).toBe(2)
    expect(await page.textContent(".preview")).toMatch(/Webhooks that may fire for them:\s+Locations/)
    expect(await siteIds()).toEqual(before)
    await close()
  })

  it("tells what is wrong as a save does, and names webhooks only to those who may view them", async () => {
    const user = await makeUser(api, "editor", { types: ["dcim.site"], actions: ["view", "change"] })
    const id = await api.make("dcim/sites", named("Vega"))
    const { page, close } = await loggedInAs(user.name)
    await page.goto(`/dcim/sites/${id}/edit/`)
    await page.fill("#f-slug", "no slug")
    await page.click("[name=_preview]")
    await page.waitForSelector("#e-slug")
    await page.fill("#f-slug", "vega-2")
    await page.click("[name=_preview]")
    const told = await page.locator(".preview").textContent()
    expect(told).toContain("1 webhook would fire")
    expect(told).toContain("1 webhook of them you may not view.")
    expect(told).not.toContain("Everything")
    await close()
  })
})
