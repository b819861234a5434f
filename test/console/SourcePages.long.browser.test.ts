/** Pages about the events of a source, and the form of its webhooks, in a real browser. */
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { type Attached, attach } from "../source/Attached.ts"
import { faultsOf, hasBrowser } from "../support/Browser.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"

const netbox = "https://netbox.example.com"
const name = "headquarters"

let attached: Attached
let receiver: Receiver
let site: number
let zone: number

const { loggedIn } = startConsole(
  async (api) => {
    receiver = await startReceiver(() => 200)
    const { source, writer } = attached
    const hook = (title: string, fields: Json) =>
      api.make("extras/webhooks", {
        ...{ name: title, source, content_types: ["dcim.site", "netbox_dns.zone"], payload_url: receiver.url },
        ...{ type_create: true, type_update: true, type_delete: true, ...fields }
      })
    await hook("to the ticket system", {})
    await hook("paused for now", { paused: true })
    await hook("of status changes", { conditions: { attr: "status", value: "never" } })
    await writer.request(async (request) => {
      site = await request.create("dcim.site", { name: "AMS1", slug: "ams1", status: "active" })
      zone = await request.create("netbox_dns.zone", { name: "example.com" })
    })
    const count = async (path: string) => Number((await api.call<Json>("GET", path)).json["count"])
    const logged = (deliveries: number) =>
      eventually("deliveries are logged", async () => (await count("/api/extras/deliveries/")) === deliveries)
    // Two requests that are read together would be one journey.
    await logged(2)
    await writer.request((request) => request.update("dcim.site", site, { status: "planned" }))
    await logged(3)
    await eventually("others wait", async () => (await count("/api/extras/deliveries/waiting/")) === 3)
  },
  async () => {
    attached = await attach("4.6", { name, api_url: netbox })
    return { ...attached.api, stop: attached.stop }
  }
)

afterAll(async () => {
  if (hasBrowser) await receiver.close()
})

/** The attributes of the links that lead to an object in NetBox. */
const leaving = (page: Page) =>
  page
    .locator("main a.leaves")
    .evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.getAttribute("rel")].join(" ")))

const toSite = () => `${netbox}/dcim/sites/${site}/ noopener noreferrer`

/** Opens a page; checks that it names no type of a source by its id, fits, and is accessible. */
const shown = async (page: Page, path: string): Promise<string> => {
  await page.goto(path)
  const text = await page.locator("main").innerText()
  expect(text).not.toMatch(/\b\d+:[a-z_]+\.[a-z]/)
  expect(await faultsOf(page)).toEqual([])
  return text
}

const firstId = async (path: string): Promise<number> =>
  (await attached.api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", path)).json.results[0]!
    .id

describe.skipIf(!hasBrowser)("pages of the events of a source", () => {
  it("lead to the objects in NetBox, and name their source", async () => {
    const { page, close } = await loggedIn()
    const change = await firstId("/api/extras/object-changes/?action=update")
    const delivery = await firstId("/api/extras/deliveries/?event=updated")
    expect(await shown(page, `/extras/object-changes/${change}/`)).toMatch(/dcim\.site\s+Source\s+headquarters/)
    expect(await leaving(page)).toEqual([toSite()])
    const [of] = await attached.api.database.sql.query<{ readonly position: string }>(
      "select position::text as position from extras_objectchange where id = $1",
      [change]
    )
    expect(await shown(page, `/extras/deliveries/${delivery}/`)).toContain(`from ${name}`)
    expect(await leaving(page)).toEqual([toSite()])
    expect(await shown(page, `/logging/journeys/${of!.position}/`)).toMatch(
      /headquarters\s+recorded in NetBox, by admin/
    )
    expect(await leaving(page)).toEqual([toSite()])
    for (const path of ["/extras/deliveries/", "/extras/deliveries/waiting/", "/extras/object-changes/"]) {
      expect(await shown(page, path)).toMatch(/site\s+AMS1\s.*· headquarters/s)
      // NetBox writes no address of a plugin's object into its changes.
      expect(await leaving(page)).toEqual([toSite(), toSite()])
    }
    for (const path of ["/", "/logging/journeys/"]) expect(await shown(page, path)).toMatch(/· headquarters/)
    expect(await shown(page, "/extras/webhooks/")).toMatch(/site and 1 more · headquarters/)
    await close()
  })

  it("filter by types of the source, by name", async () => {
    const { page, close } = await loggedIn()
    const type = `${attached.source}:dcim.site`
    await shown(page, "/extras/deliveries/")
    await page.locator(".facets summary", { hasText: "Object type" }).click()
    await page.locator(".facets a", { hasText: "Site · headquarters" }).click()
    await page.waitForSelector(".chip-f")
    expect(new URL(page.url()).searchParams.get("object_type")).toBe(type)
    for (const [path, field] of [
      ["/extras/deliveries/", "object_type"],
      ["/extras/object-changes/", "changed_object_type"]
    ] as const) {
      const text = await shown(page, `${path}?${field}=${type}&columns=${field}`)
      expect(text).toMatch(/Object type: Site · headquarters/)
      expect(await page.locator("#objects tbody tr").first().innerText()).toContain("Site · headquarters")
      const select = page.locator(`.filters select[name=${field}]`)
      expect(await select.inputValue()).toBe(type)
      expect(await select.locator(`optgroup[label=${name}] option:checked`).textContent()).toBe("Site")
    }
    await close()
  })

  it("name the source of a webhook, and list the deliveries to its webhooks", async () => {
    const { api, source } = attached
    const { page, close } = await loggedIn()
    const webhook = await firstId("/api/extras/webhooks/?name=to+the+ticket+system")
    expect(await shown(page, `/extras/webhooks/${webhook}/`)).toContain(`changes of ${name}`)
    expect(await page.locator("#health a", { hasText: name }).getAttribute("href")).toBe(`/extras/sources/${source}/`)
    const listed = await shown(page, `/extras/sources/${source}/deliveries/`)
    expect(listed).toMatch(/Deliveries\s*3/)
    expect(listed).toMatch(/site\s+AMS1.*to the ticket system/s)
    expect(listed).toContain("zone (netbox_dns)")
    expect(await leaving(page)).toEqual([toSite(), toSite()])
    const empty = await api.make("extras/sources", { name: "branch", database_url: "postgresql://a:b@127.0.0.1:1/c" })
    expect(await shown(page, `/extras/sources/${empty}/deliveries/`)).toContain(
      "no delivery to a webhook of this source"
    )
    await api.call("DELETE", `/api/extras/sources/${empty}/`)
    await close()
  })

  it("name the filters of a list that is empty", async () => {
    const { page, close } = await loggedIn()
    for (const path of ["/extras/deliveries/?object_type=", "/extras/object-changes/?changed_object_type="]) {
      const text = await shown(page, `${path}${attached.source}:dcim.rack`)
      expect(text).toMatch(/No [a-z ]+ matches\.\s+The filters? (?:is|are) .*Object type: Rack · headquarters/)
    }
    await close()
  })

  it("are no business of the inventory's objects, and name the types in bulk actions", async () => {
    const { api, source } = attached
    const own = await api.make("dcim/sites", { name: "AMS1", slug: "ams1" })
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/sites/${own}/deliveries/`)
    expect(await page.locator("section:has(#covering)").textContent()).toContain("No webhook covers Sites")
    const text = await shown(page, `/extras/deliveries/retry/?status=successful&object_type=${source}:dcim.site`)
    expect(text).toContain("Object type: Site · headquarters")
    await close()
  })

  it("show an object without an address as text, and link to the address for people", async () => {
    const { api, source } = attached
    const { page, close } = await loggedIn()
    await api.call("PATCH", `/api/extras/sources/${source}/`, { api_url: "" })
    await page.goto("/extras/deliveries/")
    expect(await leaving(page)).toEqual([])
    expect(await page.locator("#objects").textContent()).toContain("AMS1")
    const people = "https://netbox.example.org"
    await api.call("PATCH", `/api/extras/sources/${source}/`, { api_url: netbox, web_url: people })
    await page.goto("/extras/deliveries/")
    expect(await leaving(page)).toEqual(Array.from({ length: 2 }, () => toSite().replace(netbox, people)))
    await api.call("PATCH", `/api/extras/sources/${source}/`, { api_url: netbox, web_url: "" })
    await close()
  })

  it("take no address from an event but one of the source, of its object", async () => {
    const { api, source } = attached
    const { page, close } = await loggedIn()
    const change = async (data: Json) => {
      const [row] = await api.database.sql.query<{ readonly id: string }>(
        `update extras_objectchange set data = $1::text::json
          where changed_object_type = $2 and action = 'create' returning id::text as id`,
        [JSON.stringify(data), `${source}:netbox_dns.zone`]
      )
      await page.goto(`/extras/object-changes/${row!.id}/`)
      return leaving(page)
    }
    const own = `${netbox}/plugins/netbox-dns/zones/${zone}/`
    expect(await change({ id: zone, display_url: own })).toEqual([`${own} noopener noreferrer`])
    for (const hostile of [`javascript:alert(1)//${zone}/`, `https://evil.example.com/${zone}/`, `${netbox}/logout/`])
      expect(await change({ id: zone, display_url: hostile, url: hostile })).toEqual([])
    await close()
  })
})

describe.skipIf(!hasBrowser)("the form of a webhook of a source", () => {
  const offered = (page: Page) => page.locator(".picker-list:not([hidden]) li").allInnerTexts()

  it("offers the types of the source, plugins included, and tries its changes", async () => {
    const { page, close } = await loggedIn()
    await shown(page, "/extras/webhooks/add/")
    await page.fill("#f-content_types", "zone")
    await eventually("nothing is found", async () => (await page.locator(".picker-status").count()) > 0)
    await page.fill("#f-content_types", "")
    await page.fill("#f-source", name)
    await page.locator(".picker-list li", { hasText: name }).first().click()
    await page.fill("#f-content_types", "zone")
    await eventually("the type of the plugin is offered", async () =>
      (await offered(page)).join().includes("netbox_dns.zone")
    )
    await page.locator(".picker-list:not([hidden]) li").first().click()
    await page.fill("#f-content_types", "site")
    await page.locator(".picker-list:not([hidden]) li", { hasText: "dcim.site" }).last().click()
    // The workbench keeps the change that it tried first, which is of either kind.
    for (const kind of ["create", "update"]) await page.selectOption(`#f-type_${kind}`, "true")
    await page.fill("#f-name", "made here")
    await page.fill("#f-payload_url", receiver.url)
    await page.waitForSelector("#wb-fires:text-is('It fires')")
    await page.waitForSelector("#workbench option:has-text('site AMS1 updated')", { state: "attached" })
    const tried = (await page.locator("#workbench option").allInnerTexts()).join()
    for (const each of ["zone (netbox_dns) example.com created", "site AMS1 created"]) expect(tried).toContain(each)
    expect(await faultsOf(page)).toEqual([])
    await page.click(".form-end button")
    await page.waitForURL(/\/extras\/webhooks\/\d+\/$/)
    const made = await attached.api.call<{ readonly results: ReadonlyArray<Json> }>(
      "GET",
      "/api/extras/webhooks/?name=made here"
    )
    const types = made.json.results[0]!["content_types"] as ReadonlyArray<string>
    expect(types.toSorted()).toEqual(["dcim.site", "netbox_dns.zone"])
    await close()
  })

  it("says that the source has no change to try", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/extras/webhooks/add/?source=${attached.source}&content_types=ipam.vlan`)
    await page.waitForSelector("#workbench :text('The source has recorded no change')")
    expect(await page.locator("#workbench [role=alert]").count()).toBe(0)
    await close()
  })

  it("lists the types without scripts", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/extras/webhooks/add/")
    expect(await page.locator("details", { hasText: "Object types of" }).count()).toBe(0)
    await page.fill("#f-source", `${attached.source}`)
    await page.fill("#f-content_types", "dcim.nothing")
    await page.getByRole("button", { name: "Preview" }).click()
    expect(await page.locator("#e-content_types").textContent()).toContain(
      "The source has no object type dcim.nothing."
    )
    await page.locator("summary", { hasText: `Object types of ${name}` }).click()
    expect(await page.locator("details", { hasText: "Object types of" }).textContent()).toContain("netbox_dns.zone")
    await close()
  })

  it("offers the types of the inventory for a source that was not read yet", async () => {
    const { api } = attached
    const unread = await api.make("extras/sources", {
      ...{ name: "branch", enabled: false, database_url: "postgresql://reader@127.0.0.1/nothing", slot: "branch" }
    })
    const { page, close } = await loggedIn()
    await page.goto(`/extras/webhooks/add/?source=${unread}`)
    await page.fill("#f-content_types", "dcim.site")
    await eventually("types are offered", async () => (await offered(page)).length > 0)
    expect((await offered(page)).join()).toContain("dcim.site")
    await close()
  })
})
