/** Adding, changing and deleting objects in a real browser. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { at, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole((started) => {
  api = started
}, sharedApi)

const site = async (name: string) =>
  (await api.call<Json & { readonly id: number }>("POST", "/api/dcim/sites/", named(name))).json

describe.skipIf(!hasBrowser)("the forms of the console", () => {
  it("add an object, and give back what was typed where a field is wrong", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Oslo")
    await page.fill("#f-slug", "not a slug")
    await page.fill("#f-comments", "\nfirst line\nsecond line")
    await page.click(".form-end button")
    await page.waitForSelector(".field-error")
    expect(await page.getByRole("alert").textContent()).toContain("Nothing was saved.")
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("f-slug")
    expect(await page.inputValue("#f-comments")).toBe("\nfirst line\nsecond line")
    await page.fill("#f-slug", "oslo")
    await page.selectOption("#f-status", "planned")
    await page.click(".form-end button")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    const made = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/dcim/sites/?slug=oslo")
    expect(made.json.results[0]).toMatchObject({ name: "Oslo", status: { value: "planned" }, region: null })
    await close()
  })

  thorough("empty a field, and keep the others as they were", async () => {
    const region = await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Nordic"))
    const { id } = await site("Bergen")
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { region: region.json.id, latitude: 60.39, facility: "F1" })
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${id}/edit/`)
    expect(await page.inputValue("#f-region")).toBe("Nordic")
    expect(await page.inputValue("[name=region]")).toBe(`${region.json.id}`)
    for (const name of ["region", "latitude"]) await page.fill(`#f-${name}`, "")
    await page.fill("#f-tenant", "")
    await page.click(".form-end button")
    await page.waitForURL(at(`/dcim/sites/${id}/`))
    const now = await api.call<Json>("GET", `/api/dcim/sites/${id}/`)
    expect(now.json).toMatchObject({ region: null, latitude: null, facility: "F1", name: "Bergen" })
    await close()
  })

  thorough(
    "keep line breaks of a text that others wrote in one line, and texts that are too long for a form",
    async () => {
      const { id } = await site("Kirkenes")
      const long = "ø".repeat(40_000)
      await api.call("PATCH", `/api/dcim/sites/${id}/`, { description: "a\r\nb", comments: long })
      const { page, close } = await loggedIn()
      await page.goto(`/dcim/sites/${id}/edit/`)
      expect(await page.locator("#f-comments").count()).toBe(0)
      expect(await page.textContent(".form-group >> nth=-1")).toContain("The text is too long for a form")
      await page.fill("#f-facility", "F2")
      await page.click(".form-end button")
      await page.waitForURL(at(`/dcim/sites/${id}/`))
      const now = await api.call<Json>("GET", `/api/dcim/sites/${id}/`)
      expect(now.json).toMatchObject({ description: "a\r\nb", comments: long, facility: "F2" })
      await close()
    }
  )

  thorough("have an input for each custom field, and tell beside it what is wrong", async () => {
    const content_types = ["dcim.location"]
    await api.call("POST", "/api/extras/custom-fields/", [
      { name: "floor", type: "integer", validation_maximum: 9, content_types },
      { name: "sides", type: "multiselect", choices: ["north", "east, west"], content_types },
      { name: "twin", type: "object", object_type: "dcim.site", content_types },
      { name: "secret_plan", type: "text", ui_visibility: "hidden", content_types }
    ])
    const { id } = await site("Harstad")
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/locations/add/?name=Hall&slug=hall&site=${id}`)
    expect(await page.locator("[name=cf_secret_plan]").count()).toBe(0)
    await page.fill("#f-cf_floor", "12")
    await page.check("text=east, west")
    await page.fill("#f-cf_twin", String(id))
    await page.click(".form-end button")
    expect(await page.textContent("#e-cf_floor")).toContain("The number must be 9 or less.")
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("f-cf_floor")
    expect(await page.inputValue("#f-cf_twin")).toBe("Harstad")
    await page.fill("#f-cf_floor", "3")
    await page.click(".form-end button")
    await page.waitForURL(/\/dcim\/locations\/\d+\/$/)
    const made = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/dcim/locations/?slug=hall")
    expect(made.json.results[0]!["custom_fields"]).toMatchObject({ floor: 3, sides: ["east, west"], twin: { id } })
    await close()
  })

  it("copy an object but for what must differ, go on to another one, and tell once what was done", async () => {
    const { id } = await site("Molde")
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { facility: "F3", status: "planned" })
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${id}/`)
    await page.getByRole("link", { name: "Clone" }).click()
    const copied = async () => [await page.inputValue("#f-name"), await page.inputValue("#f-facility")]
    expect([...(await copied()), await page.inputValue("#f-status")]).toEqual(["", "F3", "planned"])
    await page.fill("#f-name", "Molde 2")
    await page.fill("#f-slug", "molde-2")
    await page.click("[name=_another]")
    await page.waitForURL(/\/dcim\/sites\/add\/\?clone=\d+$/)
    await page.locator(".flash", { hasText: "Site added." }).waitFor()
    expect(await copied()).toEqual(["", "F3"])
    await page.reload()
    expect(await page.locator(".flash").count()).toBe(0)
    await close()
  })

  thorough("take the day of a point in time, and boxes for the actions of a permission", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/user/api-tokens/")
    await page.fill("#description", "until then")
    expect(await page.getAttribute("#expires", "type")).toBe("date")
    await page.fill("#expires", "2099-12-31")
    await page.click(".object-form .form-end button")
    await page.locator("table", { hasText: "until then" }).waitFor()
    const tokens = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/users/tokens/?limit=0")
    expect(tokens.json.results.map(({ expires }) => expires)).toContain("2099-12-31T00:00:00Z")
    await page.goto("/users/permissions/add/")
    await page.fill("#f-name", "sees and changes")
    for (const action of ["View", "Change"]) await page.getByLabel(action, { exact: true }).check()
    await page.locator("#f-object_types").fill("dcim.site")
    await page.click(".form-end button")
    await page.waitForURL(/\/users\/permissions\/\d+\/$/)
    const [made] = (
      await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/users/permissions/?name=sees and changes")
    ).json.results
    expect(made).toMatchObject({ actions: ["view", "change"], object_types: ["dcim.site"] })
    // Actions of others stay.
    await api.call("PATCH", `/api/users/permissions/${made!["id"]}/`, { actions: ["view", "launch"] })
    await page.goto(`/users/permissions/${made!["id"]}/edit/`)
    await page.getByLabel("Delete", { exact: true }).check()
    await page.click(".form-end button")
    await page.waitForURL(/\/users\/permissions\/\d+\/$/)
    const now = await api.call<Json>("GET", `/api/users/permissions/${made!["id"]}/`)
    expect(now.json["actions"]).toEqual(["view", "delete", "launch"])
    await close()
  })

  thorough("make the slug of the name while it is typed, until somebody types another one", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/add/")
    await page.locator("#f-name").pressSequentially("Årdal, North")
    expect(await page.inputValue("#f-slug")).toBe("ardal-north")
    await page.fill("#f-slug", "ardal")
    await page.locator("#f-name").pressSequentially(" 2")
    expect(await page.inputValue("#f-slug")).toBe("ardal")
    await page.fill("#f-name", "")
    await page.fill("#f-slug", "")
    // An object that exists keeps its slug.
    const { id } = await site("Svelvik")
    await page.goto(`/dcim/sites/${id}/edit/`)
    await page.locator("#f-name").pressSequentially(" 3")
    expect(await page.inputValue("#f-slug")).toBe("svelvik")
    await close()
  })

  thorough("add an object for each name of a range, without scripts too, and none if one is refused", async () => {
    const { id } = await site("Hvaler")
    const manufacturer = await api.make("dcim/manufacturers", named("Range"))
    const device_type = await api.make("dcim/device-types", { model: "R1", slug: "r1", manufacturer })
    const device_role = await api.make("dcim/device-roles", named("Ranged"))
    const device = await api.make("dcim/devices", { name: "ranged", site: id, device_type, device_role })
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    const names = async () => {
      const path = `/api/dcim/interfaces/?device_id=${device}&limit=0`
      const { json } = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", path)
      return json.results.map(({ name, label }) => `${name} ${label}`)
    }
    await page.goto(`/dcim/interfaces/add/?device=${device}&type=1000base-t`)
    await page.fill("#f-name", "Ethernet1/[1-3]")
    await page.fill("#f-label", "[a-c]")
    await page.click("[name=_preview]")
    expect(await page.textContent("main")).toContain("Ethernet1/1, Ethernet1/2, Ethernet1/3")
    expect(await names()).toEqual([])
    await page.click(".form-end button")
    await page.locator(".flash", { hasText: "3 interfaces added." }).waitFor()
    const three = ["Ethernet1/1 a", "Ethernet1/2 b", "Ethernet1/3 c"]
    expect(await names()).toEqual(three)
    await page.goto(`/dcim/interfaces/add/?device=${device}&type=1000base-t`)
    await page.fill("#f-name", "Ethernet1/[3-9]")
    await page.click(".form-end button")
    expect(await page.getByRole("alert").textContent()).toContain("The first wrong one is Ethernet1/3.")
    expect(await page.inputValue("#f-name")).toBe("Ethernet1/[3-9]")
    expect(await names()).toEqual(three)
    // The slug of a name is made by the service as well.
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Rørvik")
    await page.click(".form-end button")
    const made = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/dcim/sites/?name=Rørvik")
    expect(made.json.results[0]).toMatchObject({ slug: "rrvik" })
    await close()
  })

  it("tell of a change that somebody else made meanwhile, field by field, and lose nothing", async () => {
    const { id } = await site("Tromso")
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${id}/edit/`)
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { facility: "theirs" })
    await page.fill("#f-facility", "mine")
    await page.click(".form-end button")
    expect(await page.getByRole("alert").textContent()).toContain("Somebody else has changed this object")
    expect(await page.locator(".form-row", { has: page.locator("#f-facility") }).textContent()).toContain("Now: theirs")
    expect(await page.inputValue("#f-facility")).toBe("mine")
    expect((await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json["facility"]).toBe("theirs")
    await page.click(".form-end button")
    await page.waitForURL(at(`/dcim/sites/${id}/`))
    expect((await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json["facility"]).toBe("mine")
    await close()
  })

  it("ask before they delete, and tell what forbids it", async () => {
    const { id } = await site("Narvik")
    await api.call("POST", "/api/dcim/racks/", { name: "R1", site: id })
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${id}/delete/`)
    await page.click(".form-end button")
    expect(await page.getByRole("alert").textContent()).toContain("1 dependent objects were found: R1")
    const racks = await api.call<{ readonly results: ReadonlyArray<{ id: number }> }>(
      "GET",
      `/api/dcim/racks/?site_id=${id}`
    )
    await api.call("DELETE", `/api/dcim/racks/${racks.json.results[0]!.id}/`)
    await page.goto(`/dcim/sites/${id}/`)
    await page.click("text=Delete")
    await page.click(".form-end button")
    await page.waitForURL(at("/dcim/sites/"))
    expect((await api.call("GET", `/api/dcim/sites/${id}/`)).status).toBe(404)
    await close()
  })

  it("work without scripts", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/extras/tags/add/")
    await page.fill("#f-name", "Plain")
    await page.fill("#f-slug", "plain")
    await page.click(".form-end button")
    await page.waitForURL(/\/extras\/tags\/\d+\/$/)
    expect(await page.textContent("h1")).toContain("Plain")
    await close()
  })

  it("write nothing without the token of the form, nor without the permission", async () => {
    const user = await makeUser(api, "reader", { types: ["dcim.site"], actions: ["view"] })
    const { id } = await site("Alta")
    const { page, close } = await loggedInAs(user.name)
    await page.goto(`/dcim/sites/${id}/`)
    expect(await page.locator("text=Edit").count()).toBe(0)
    for (const path of ["/dcim/sites/add/", `/dcim/sites/${id}/edit/`, `/dcim/sites/${id}/delete/`]) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, 403])
      const forged = await page.request.post(path, { form: { name: "x", slug: "x" } })
      expect([path, forged.status()]).toEqual([path, 403])
    }
    await close()
    // A form shows the object, so the right to change it does not do without the one to view it.
    const blind = await makeUser(api, "blind", { types: ["dcim.site"], actions: ["change", "delete"] })
    const changer = await loggedInAs(blind.name)
    for (const path of [`/dcim/sites/${id}/edit/`, `/dcim/sites/${id}/delete/`]) {
      expect([path, (await changer.page.goto(path))?.status()]).toEqual([path, 403])
    }
    await changer.close()
    const admin = await loggedIn()
    const forged = await admin.page.request.post(`/dcim/sites/${id}/delete/`, {
      form: { csrfmiddlewaretoken: "x".repeat(64) }
    })
    expect(forged.status()).toBe(403)
    expect((await api.call("GET", `/api/dcim/sites/${id}/`)).status).toBe(200)
    await admin.close()
  })
})
