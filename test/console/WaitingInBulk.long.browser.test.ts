/** The list of deliveries that wait, and the way from it to a discard of all of them. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { at, faultsOf, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let webhook: number

const list = () => `/extras/deliveries/waiting/?webhook_id=${webhook}`

const waits = async () => (await api.call<{ count: number }>("GET", `/api${list()}`)).json.count

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const fields = { content_types: ["extras.tag"], type_create: true, payload_url: "http://127.0.0.1:1/", paused: true }
  webhook = await api.make("extras/webhooks", { name: "cmdb", ...fields })
  const tags = Array.from({ length: 12 }, (_, n) => ({ name: `Tag ${n}`, slug: `tag-${n}` }))
  await api.call("POST", "/api/extras/tags/", tags)
  await eventually("they wait", async () => (await waits()) === 12)
})

describe.skipIf(!hasBrowser)("deliveries that wait without an attempt", () => {
  it("are reached from the gauge of every page, and from the page of their object", async () => {
    const { page, close } = await loggedIn()
    await eventually("they are counted", async () => {
      await page.goto("/")
      return (await page.locator(".gauge").allTextContents()).some((text) => /^\s*12 waiting/.test(text))
    })
    await page.getByRole("link", { name: "12 waiting" }).click()
    await page.waitForURL(at("/extras/deliveries/waiting/"))
    expect(await page.locator("tbody tr").count()).toBe(12)
    expect(await page.locator("main, header").allTextContents()).toContainEqual(
      expect.stringContaining("12 wait or are under way")
    )
    const { json } = await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/extras/tags/?name=Tag+3")
    await page.goto(`/extras/tags/${json.results[0]!.id}/deliveries/`)
    await page.getByRole("link", { name: "Deliveries that wait" }).click()
    await page.waitForURL(/deliveries\/waiting\/\?object_type=extras\.tag/)
    expect(await page.locator("tbody tr").allTextContents()).toEqual([expect.stringContaining("Tag 3")])
    const of = `changed_object_type=extras.tag&changed_object_id=${json.results[0]!.id}`
    const { json: changes } = await api.call<typeof json>("GET", `/api/extras/object-changes/?${of}`)
    await page.goto(`/extras/object-changes/${changes.results[0]!.id}/`)
    expect(await page.locator("[aria-labelledby=told]").textContent()).toContain("No delivery of it was attempted yet.")
    await close()
  })

  it("are among the faults of the home page, behind alarms, for readers who may view them", async () => {
    // The watch makes the alarm of it; it ends alarms without a problem.
    await api.database.sql.query(
      "insert into rackwire_gap (cause, reason, since, until, from_position) values ('slot', 'a gap of the test', now(), now(), 0)"
    )
    await makeUser(api, "reader", { types: ["extras.tag"], actions: ["view"] })
    const { page, close } = await loggedIn()
    const faults = await eventually("the gap is an alarm", async () => {
      await page.goto("/")
      const links = await page.getByRole("region", { name: "Needs attention" }).getByRole("link").allTextContents()
      return links.length > 1 && links.map((each) => each.replaceAll(/\s+/g, " ").trim())
    })
    expect(faults).toEqual([expect.stringMatching(/^Gap: .*a gap of the test/), "cmdb: paused: 12 deliveries wait"])
    expect(await page.textContent("main .ph")).toContain("sends every committed change of it to your webhooks")
    expect(await faultsOf(page)).toEqual([])
    await close()
    const reader = await loggedInAs("reader")
    await reader.page.goto("/")
    expect(await reader.page.locator(".attention, .calm").count()).toBe(0)
    await reader.close()
  })

  it("are retried all together, and the operation says that they are held", async () => {
    const { page, close } = await loggedIn()
    await page.goto(list())
    expect(await page.locator(".bulk-bar").textContent()).toMatch(/All 12:\s*Retry all…\s*Discard all…/)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("link", { name: "Retry all…" }).click()
    await page.waitForURL(/deliveries\/retry\//)
    expect(await page.locator("main").textContent()).toMatch(
      /Retry\s+12 deliveries\?.*None of them was ever attempted\./s
    )
    await page.getByRole("button", { name: "Retry 12 deliveries" }).click()
    await page.waitForURL(/operations\/\d+\/$/)
    await expect.poll(() => page.locator("#operation-progress").textContent()).toMatch(/12 of 12 done.*12 held/s)
    await close()
  })

  it("are discarded all together, and nothing waits any more", async () => {
    const { page, close } = await loggedIn()
    await page.goto(list())
    await page.getByRole("link", { name: "Discard all…" }).click()
    await page.waitForURL(/deliveries\/discard\//)
    await page.getByRole("button", { name: "Discard 12 deliveries" }).click()
    await page.waitForURL(/operations\/\d+\/$/)
    await expect.poll(() => page.locator("#operation-progress").textContent()).toContain("12 of 12 done")
    await eventually("nothing waits", async () => (await waits()) === 0)
    await page.goto(list())
    expect(await page.locator("main").textContent()).toContain("Nothing waits.")
    await close()
  })
})
