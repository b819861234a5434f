/** The change log and the tabs of an object in a real browser: what differs, the way back, the journal, deliveries. */
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { at, faultsOf, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { thorough } from "../support/Seed.ts"

const hostile = `"><img src=x onerror=alert(1)><hx-partial hx-target="body">x</hx-partial>`
const [before, after] = [
  "The building has two rooms. Ring the bell at the gate before you enter the yard, and ask for the keys.",
  "The building has three rooms. Ring the bell at the gate before you enter the yard, and ask for the keys."
]

let api: Api
let receiver: Receiver
let oslo: number

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver()
  const [nordic, baltic] = [
    await api.make("dcim/regions", named("Nordic")),
    await api.make("dcim/regions", named("Baltic"))
  ]
  await api.call("POST", "/api/extras/tags/", [named("Core"), named("Edge"), named("Lab")])
  await api.make("extras/custom-fields", { name: "contract", type: "json", content_types: ["dcim.site"] })
  await api.make("extras/webhooks", {
    ...{ name: "inventory", content_types: ["dcim.site"], type_update: true, payload_url: receiver.url }
  })
  oslo = await api.make("dcim/sites", {
    ...{ ...named("Oslo"), status: "planned", region: nordic, comments: before, description: hostile },
    tags: [{ name: "Core" }, { name: "Lab" }],
    custom_fields: { contract: { term: 12, parties: ["a", "b"] } }
  })
  await api.call("PATCH", `/api/dcim/sites/${oslo}/`, {
    ...{ status: "active", region: baltic, comments: after, description: `${hostile}!` },
    tags: [{ name: "Core" }, { name: "Edge" }],
    custom_fields: { contract: { term: 24, parties: ["a", "b"] } }
  })
})

afterAll(async () => {
  if (!hasBrowser) return
  await receiver.close()
})

/** The newest change of a site with this action, as soon as it is captured. */
const changeOf = (site: number, action: string) =>
  eventually(`the site is ${action}d`, async () => {
    const query = `?changed_object_type=dcim.site&changed_object_id=${site}&action=${action}`
    return (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json.results[0]?.id
  })

const site = async (name: string, fields: Json = {}) => await api.make("dcim/sites", { ...named(name), ...fields })

const now = async (id: number) => (await api.call<Json>("GET", `/api/dcim/sites/${id}/`)).json

describe.skipIf(!hasBrowser)("the change log", () => {
  it("tells what differs: choices and references by name, nested values by path, texts by word", async () => {
    const change = await changeOf(oslo, "update")
    const { page, problems, close } = await loggedIn()
    await page.goto(`/extras/object-changes/${change}/`)
    expect(await page.textContent("h1")).toBe("Site Oslo updated")
    const rows = await page.locator(".diff tbody tr").allInnerTexts()
    const texts = rows.map((row) => row.replaceAll(/\s+/g, " ").trim())
    expect(texts).toEqual(
      expect.arrayContaining([
        "Status Planned Active",
        "Region Nordic Baltic",
        "Tags Core Lab Edge",
        "custom_fields.contract.term 12 24"
      ])
    )
    expect(texts.some((row) => row.startsWith("Name"))).toBe(false)
    const words = page.locator(".diff tr", { hasText: "Comments" })
    expect(await words.locator("del").allTextContents()).toEqual(["two"])
    expect(await words.locator("ins").allTextContents()).toEqual(["three"])
    expect(await page.locator("main img, hx-partial").count()).toBe(0)
    expect(await page.getByRole("region", { name: "Change", exact: true }).innerText()).toMatch(
      /LSN [0-9A-F]+\/[0-9A-F]+ /
    )
    await page.click("text=Previous change")
    await page.waitForSelector("h1:has-text('Site Oslo created')")
    expect(await page.locator(".diff thead th").allTextContents()).toEqual(["Field", "Value"])
    expect(await page.locator("text=Previous change").count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it("lists what else the request changed", async () => {
    await api.call("POST", "/api/dcim/sites/", [named("Hamar"), named("Moss")])
    const [hamar] = (await api.call<List>("GET", "/api/dcim/sites/?name=Hamar")).json.results
    const change = await changeOf(hamar!.id, "create")
    const { page, close } = await loggedIn()
    await page.goto(`/extras/object-changes/${change}/`)
    const same = page.getByRole("region", { name: "The same request" })
    expect(await same.locator("tbody tr").count()).toBe(2)
    expect(await same.locator("tr", { hasText: "site Moss" }).getByText("Created").count()).toBe(1)
    await close()
  })

  thorough("shows the beginning of a value of 16 MiB, and says so", async () => {
    const change = await changeOf(await site("Bodo"), "create")
    await api.database.sql.query(
      "update extras_objectchange set action = 'update', prechange_data = json_build_object('comments', repeat('a b ', 4194304)) where id = $1::bigint",
      [`${change}`]
    )
    const { page, close } = await loggedIn()
    const response = await page.goto(`/extras/object-changes/${change}/`)
    expect(response?.status()).toBe(200)
    expect((await response!.body()).length).toBeLessThan(200_000)
    expect(await page.locator(".diff").textContent()).toContain("16,777,216 characters")
    await close()
  })

  it("restores the chosen fields, and writes nothing before that", async () => {
    const id = await site("Alta", { status: "planned", facility: "A1" })
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { status: "active" })
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { facility: "A2" })
    const [, change] = await eventually("both changes", async () => {
      const query = `?changed_object_id=${id}&changed_object_type=dcim.site&action=update`
      const { results } = (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json
      return results.length === 2 ? results.map((each) => each.id) : undefined
    })
    const { page, problems, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/extras/object-changes/${change}/`)
    await page.click("text=Restore these values")
    await page.waitForURL(/\/restore\/$/)
    expect(await now(id)).toMatchObject({ status: { value: "active" } })
    expect([await page.isChecked("[value=status]"), await page.isChecked("[value=facility]")]).toEqual([true, false])
    await page.click("main form button")
    await page.waitForURL(at(`/dcim/sites/${id}/`))
    expect(await now(id)).toMatchObject({ status: { value: "planned" }, facility: "A2" })
    expect(problems).toEqual([])
    await close()
  })

  thorough("does not restore over a change that somebody made meanwhile", async () => {
    const id = await site("Tana", { status: "planned" })
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { status: "active" })
    const change = await changeOf(id, "update")
    const { page, close } = await loggedIn()
    await page.goto(`/extras/object-changes/${change}/restore/`)
    await api.call("PATCH", `/api/dcim/sites/${id}/`, { status: "retired" })
    await page.click("main form button")
    expect(await page.getByRole("alert").textContent()).toContain("Somebody else has changed this object")
    expect(await now(id)).toMatchObject({ status: { value: "retired" } })
    await page.click("main form button")
    await page.waitForURL(at(`/dcim/sites/${id}/`))
    expect(await now(id)).toMatchObject({ status: { value: "planned" } })
    await close()
  })

  thorough("leads from the page of a deleted object to its end, and makes it anew", async () => {
    const id = await site("Narvik", { facility: "N1", tags: [{ name: "Edge" }] })
    await api.call("DELETE", `/api/dcim/sites/${id}/`)
    await changeOf(id, "delete")
    const { page, close } = await loggedIn()
    const response = await page.goto(`/dcim/sites/${id}/`)
    expect(response?.status()).toBe(404)
    expect(await page.textContent("main")).toMatch(/Site Narvik was deleted on\s+[\d: -]+ UTC by admin\./)
    await page.click("main .links a")
    await page.click("text=Restore these values")
    await page.click("main form button")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    const made = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/dcim/sites/?name=Narvik")
    expect(made.json.results[0]).toMatchObject({ facility: "N1", tags: [{ name: "Edge" }] })
    await close()
  })
})

describe.skipIf(!hasBrowser)("the tabs of an object", () => {
  it("take an entry for the journal, and give back what was typed where it is refused", async () => {
    const { page, problems, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/dcim/sites/${oslo}/journal/`)
    await page.selectOption("#kind", "warning")
    await page.fill("#comments", "  ")
    await page.click("main form button")
    expect(await page.locator(".field-error").textContent()).toContain("Fill in this field")
    expect(await page.inputValue("#kind")).toBe("warning")
    await page.fill("#comments", hostile)
    await page.click("main form button")
    await page.waitForSelector(".journal li")
    expect(await page.textContent(".journal li")).toContain(hostile)
    expect(await page.textContent(".tabs [aria-current]")).toMatch(/Journal\s*1/)
    expect(problems).toEqual([])
    await close()
  })

  thorough("tell which webhooks heard of the object, with what outcome, and that none covers a type", async () => {
    await eventually("a delivery", async () => {
      const query = `?object_type=dcim.site&object_id=${oslo}&status=successful`
      return (await api.call<List>("GET", `/api/extras/deliveries/${query}`)).json.results[0]
    })
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${oslo}/deliveries/`)
    const row = (await page.locator("tbody tr").first().innerText()).replaceAll(/\s+/g, " ")
    expect(row).toMatch(/UTC Successful inventory Updated 1 200/)
    await page.goto(`/extras/object-changes/${await changeOf(oslo, "update")}/`)
    const told = await page.getByRole("region", { name: "Deliveries" }).locator("tbody").innerText()
    expect(told.replaceAll(/\s+/g, " ")).toMatch(/^Successful inventory 1 200/)
    const [region] = (await api.call<List>("GET", "/api/dcim/regions/")).json.results
    await page.goto(`/dcim/regions/${region!.id}/deliveries/`)
    expect(await page.textContent("main")).toContain("No webhook covers Regions")
    await page.click("text=Add a webhook")
    expect(await page.inputValue("[name=content_types]")).toBe("dcim.region")
    await close()
  })

  thorough("have no fault, also on a small screen", async () => {
    const change = await changeOf(oslo, "update")
    const { page, problems, close } = await loggedIn()
    const found: Array<string> = []
    for (const path of [
      ...["", "journal/", "changelog/", "deliveries/"].map((tab) => `/dcim/sites/${oslo}/${tab}`),
      ...[`/extras/object-changes/${change}/`, `/extras/object-changes/${change}/restore/`]
    ]) {
      expect([path, (await page.goto(path))?.status(), await page.locator("h1").count()]).toEqual([path, 200, 1])
      found.push(...(await faultsOf(page)))
      expect(await page.locator("main img, hx-partial").count()).toBe(0)
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })

  it("show and do no more than the reader may", async () => {
    const { name } = await makeUser(
      api,
      "reader",
      { types: ["dcim.site"], actions: ["view"], constraints: { status: "active" } },
      { types: ["extras.objectchange"], actions: ["view"] }
    )
    const hidden = await site("Hidden", { status: "planned" })
    await api.call("PATCH", `/api/dcim/sites/${hidden}/`, { facility: "H" })
    const [secret, open] = [await changeOf(hidden, "update"), await changeOf(oslo, "update")]
    const { page, close } = await loggedInAs(name)
    const status = async (path: string) => (await page.goto(path))!.status()
    expect(await status(`/extras/object-changes/${open}/`)).toBe(200)
    expect(await page.locator("text=Restore these values").count()).toBe(0)
    await page.goto(`/dcim/sites/${oslo}/`)
    const tabs = await page.locator(".tabs a").allInnerTexts()
    expect(tabs.map((each) => each.replaceAll(/[\s\d]+$/g, ""))).toEqual(["Site", "Change log"])
    for (const [path, wanted] of [
      [`/extras/object-changes/${secret}/`, 404],
      [`/extras/object-changes/${secret}/restore/`, 404],
      [`/extras/object-changes/${open}/restore/`, 403],
      [`/dcim/sites/${hidden}/changelog/`, 404],
      [`/dcim/sites/${oslo}/journal/`, 403],
      [`/dcim/sites/${oslo}/deliveries/`, 403]
    ] as const) {
      expect([path, await status(path)]).toEqual([path, wanted])
    }
    for (const path of [`/extras/object-changes/${open}/restore/`, `/dcim/sites/${oslo}/journal/`]) {
      expect([path, (await page.request.post(path, { form: { comments: "x" } })).status()]).toEqual([path, 403])
    }
    await close()
  })
})
