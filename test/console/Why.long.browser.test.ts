/** Why webhooks fired and why not, what a webhook skipped, and the journey of a transaction, in a real browser. */
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { accessibility, faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"

const hostile = `"><img src=x onerror=alert(1)>`

let api: Api
let receiver: Receiver
let picky: number
let held: number

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver()
  const hook = (name: string, fields: Json) =>
    api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.site"], type_create: true, type_update: true, payload_url: receiver.url },
      ...fields
    })
  await hook("mirror", {})
  picky = await hook("picky", { conditions: { attr: "status.value", value: "active" } })
  held = await hook("held", { paused: true, conditions: { attr: "name", value: "Oslo" } })
  await hook("racks", { content_types: ["dcim.rack"] })
})

afterAll(async () => {
  if (!hasBrowser) return
  await receiver.close()
})

const changesOf = async (query: string) =>
  (
    await api.call<{ readonly results: ReadonlyArray<{ readonly id: number; readonly request_id: string }> }>(
      "GET",
      `/api/extras/object-changes/?changed_object_type=dcim.site&${query}`
    )
  ).json.results

/** The change of a new site, as soon as what has to be sent was sent. */
const created = async (site: number) => {
  const change = await eventually("the site is captured", async () => (await changesOf(`changed_object_id=${site}`))[0])
  await eventually("it is delivered", async () => {
    const { json } = await api.call<List>("GET", `/api/extras/deliveries/?object_id=${site}&status=successful`)
    return json.count > 0
  })
  return change
}

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true })

describe.skipIf(!hasBrowser)("why, and why not", () => {
  it("a change that fails one clause is told on its page and under Skipped; a paused webhook holds until it resumes", async () => {
    const site = await api.make("dcim/sites", { ...named("Oslo"), status: "planned", description: hostile })
    const { id } = await created(site)
    const { page, close } = await loggedIn()
    await page.goto(`/extras/object-changes/${id}/`)
    const fired = card(page, "Why it fired")
    expect(await fired.locator("h3").allInnerTexts()).toEqual(["held\nHeld", "mirror\nSuccessful"])
    const not = card(page, "Did not fire for this change")
    expect(await not.locator("li").allInnerTexts()).toEqual([
      expect.stringContaining('status.value is "planned", needs "active"')
    ])
    expect(await not.locator("summary").innerText()).toBe("1 webhook does not listen to any site")
    expect(await accessibility(page)).toEqual([])
    await page.goto(`/extras/webhooks/${picky}/skipped/`)
    expect(await page.locator(".lead-line").innerText()).toMatch(
      /^Enabled .*; no matching change yet\. 1 change seen, closest miss: status\.value is "planned", needs "active"\.$/
    )
    const group = card(page, "By what failed").locator(".skips > li")
    expect(await group.locator(".skip-head").innerText()).toMatch(
      /1\s+Condition\s+needs status.value equal to "active"/
    )
    await group.locator("summary").click()
    expect(await group.locator("details a").getAttribute("href")).toBe(`/extras/object-changes/${id}/`)
    expect(await faultsOf(page)).toEqual([])
    await api.call("POST", `/api/extras/webhooks/${held}/resume/`, {})
    await eventually("the delivery was sent", async () => {
      await page.goto(`/extras/object-changes/${id}/`)
      return (await card(page, "Why it fired").locator("h3").allInnerTexts())[0] === "held\nSuccessful"
    })
    await close()
  })

  it("the journey of a request shows its changes, the webhooks, and the attempts on one time axis", async () => {
    const made = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/sites/", [
      { ...named("Bergen"), status: "active" },
      { ...named("Hamar"), status: "planned" }
    ])
    const { request_id: request } = await created(made.json[1]!.id)
    await created(made.json[0]!.id)
    const { page, close } = await loggedIn()
    await page.goto("/logging/journeys/")
    expect(await accessibility(page)).toEqual([])
    await page.getByLabel("LSN, request id, change id, delivery id, or xid and its number").fill(request)
    await page.getByRole("button", { name: "Find" }).click()
    await page.waitForSelector("h1:has-text('Journey of LSN')")
    expect(await page.locator("#trail").innerText()).toMatch(
      /Request of admin[^]*POST \/api\/[^]*2 objects[^]*LSN 0\/.*xid \d/
    )
    const rows = await page.locator(".matrix tbody tr").allInnerTexts()
    expect(rows.map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringMatching(
        /^Site Bergen Created (Successful The receiver answered 200\. ){2}Condition name is "Bergen", needs "Oslo"$/
      ),
      expect.stringMatching(
        /^Site Hamar Created Successful .*200\. Condition status\.value is "planned", needs "active" Condition/
      )
    ])
    const lines = page.locator("#axis li")
    await eventually("all are on the axis", async () => {
      await page.reload()
      return (await lines.count()) === 3
    })
    expect(await lines.locator("svg").first().getAttribute("aria-label")).toMatch(
      /site .+: successful; attempt 1 after/
    )
    await page.getByText("Show as table").click()
    expect(await page.locator("caption:has-text('Attempts') ~ tbody tr").count()).toBe(3)
    expect(await faultsOfState(page)).toEqual([])
    await page.goto(`/search/?q=${request}`)
    await page.getByRole("link", { name: "The journey of its transaction" }).click()
    await page.waitForSelector("h1:has-text('Journey of LSN')")
    await page.goto("/logging/journeys/?q=nonsense")
    expect(await page.locator(".empty").innerText()).toContain("This is not an LSN or an id.")
    await close()
  })

  it("a reader sees neither objects nor webhooks that the reader may not view", async () => {
    const made = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/sites/", [
      named("Shown"),
      named("Concealed")
    ])
    const { id } = await created(made.json[1]!.id)
    const other = await created(await api.make("dcim/sites", named("Concealed too")))
    await makeUser(
      api,
      "reader",
      { types: ["dcim.site"], actions: ["view"], constraints: { name: "Shown" } },
      { types: ["extras.webhook"], actions: ["view"], constraints: { name: "picky" } },
      { types: ["extras.objectchange"], actions: ["view"] }
    )
    const [shown] = await changesOf(`changed_object_id=${made.json[0]!.id}`)
    const { page, close } = await loggedInAs("reader")
    await page.goto(`/logging/journeys/?q=${shown!.request_id}`)
    expect(await page.locator(".matrix tbody tr").count()).toBe(1)
    expect(await page.locator(".matrix thead th").allInnerTexts()).toEqual(["Change", "picky"])
    await page.goto(`/extras/object-changes/${shown!.id}/`)
    const text = await page.locator("main").innerText()
    expect(text).toContain("picky")
    expect(text).not.toMatch(/Concealed|mirror|held/)
    await page.goto(`/logging/journeys/?q=${other.id}`)
    expect(await page.locator(".empty").innerText()).toContain("No transaction is found.")
    expect((await page.goto(`/extras/object-changes/${id}/`))?.status()).toBe(404)
    expect((await page.goto(`/extras/webhooks/${held}/skipped/`))?.status()).toBe(404)
    await close()
  })
})
