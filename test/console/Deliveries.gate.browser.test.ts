/** The list of deliveries: bars, facets and a search narrow it; many are retried after a dry run, and an operation is cancelled. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let receiver: Receiver
let answer = 500
const ids: Record<"failing" | "well", number> = { failing: 0, well: 0 }

const listed = "/extras/deliveries/"

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === "/failing" ? answer : 200))
})
afterAll(() => receiver.close())

const browser = startConsole(async (started) => {
  api = started
  const webhook = async (name: "failing" | "well", fields: Json = {}) => {
    const { json } = await api.call<{ id: number }>("POST", "/api/extras/webhooks/", {
      ...{ name, content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/${name}` },
      ...{ retry_schedule: { kind: "list", delays: [] }, ...fields }
    })
    ids[name] = json.id
  }
  await webhook("failing", { ordering: "object", body_template: "{{ data.name }}" })
  await webhook("well")
  const tags = Array.from({ length: 30 }, (_, n) => ({ name: `Tag ${n}`, slug: `tag-${n}` }))
  await api.call("POST", "/api/extras/tags/", tags)
  await attempted(30, "failed")
  await attempted(30, "successful")
})

const attempted = (count: number, status: string) =>
  eventually(`${count} deliveries are ${status}`, async () => {
    const { json } = await api.call<{ count: number }>("GET", `/api/extras/deliveries/?status=${status}&limit=1`)
    return json.count === count
  })

const rows = (page: Page) => page.locator("#objects tbody tr")
const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name })
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name })

describe.skipIf(!hasBrowser)("the list of deliveries", () => {
  thorough("is narrowed by a bar, a facet and a search, and its address says so", async () => {
    const { page } = await browser.loggedIn()
    await page.goto(listed)
    expect(await page.getByText("60 deliveries, 30 failed").count()).toBe(1)
    expect(await faultsOf(page)).toEqual([])
    await page.locator(".hist-chart a:has(.h-bad)").first().click()
    await page.waitForURL(/time__gte=.*time__lt=/)
    expect(await page.getByText("60 deliveries, 30 failed").count()).toBe(1)
    await page.locator(".facets").getByRole("link", { name: "Status" }).click()
    await page.waitForURL(/reason=Status/)
    await expect.poll(() => rows(page).count()).toBe(30)
    expect(await rows(page).first().textContent()).toMatch(/tag.*Tag \d+.*Failed.*500.*failing/s)
    await page.fill("#quick", "tag-no-answer-has")
    await page.press("#quick", "Enter")
    await page.waitForURL(/contains=tag-no-answer-has/)
    expect(await page.getByText("No delivery matches.").count()).toBe(1)
  })

  it("tells a filter that it does not understand", async () => {
    const { page } = await browser.loggedIn()
    await page.goto(`${listed}?statuss=failed`)
    expect(await page.getByRole("alert").textContent()).toContain("statuss")
    await page.goto(`${listed}retry/?contains=x`)
    expect(await page.getByRole("alert").textContent()).toContain("(contains)")
    await page.goto(`${listed}retry/`)
    expect(await page.getByRole("alert").textContent()).toContain("Name at least one filter")
  })

  it("offers nothing to those who may only look, and refuses them", async () => {
    const types = ["extras.delivery", "extras.webhook", "extras.tag"]
    await makeUser(api, "looker", { types, actions: ["view"] })
    const { page } = await browser.loggedInAs("looker")
    await page.goto(listed)
    await expect.poll(() => rows(page).count()).toBeGreaterThan(10)
    expect(await page.locator("[name=id]").count()).toBe(0)
    expect(await link(page, "Retry all…").count()).toBe(0)
    expect((await page.goto(`${listed}retry/?status=failed`))!.status()).toBe(403)
  })

  it("retries all that match after a dry run, once, however many ask", async () => {
    const { page } = await browser.loggedIn()
    await page.goto(`${listed}?status=failed`)
    await link(page, "Retry all…").click()
    await heading(page, "Retry deliveries").waitFor()
    expect(await page.locator("main").textContent()).toMatch(
      /Retry\s+30 deliveries\s*\?.*failing.*It orders by object/s
    )
    await link(page, "Dry run").click()
    await page.locator("#dry-run").waitFor()
    expect(await page.locator("#dry-run").textContent()).toContain("30 identical.")
    await api.call("PATCH", `/api/extras/webhooks/${ids.failing}/`, { body_template: "{{ data.slug }}" })
    await eventually("the change of the webhook is in the log", async () => {
      await page.reload()
      return (await page.locator("#dry-run").textContent())?.includes("30 would render differently.")
    })
    expect(await faultsOfState(page)).toEqual([])
    const other = await browser.loggedIn()
    await other.page.goto(page.url())
    answer = 200
    const button = (each: Page) => each.getByRole("button", { name: "Retry 30 deliveries" })
    await Promise.all([button(page).click(), button(other.page).click()])
    await heading(page, "Retry").first().waitFor()
    await attempted(60, "successful")
    expect(receiver.received.filter(({ path }) => path === "/failing")).toHaveLength(60)
    await page.goto(`${listed}retry/?webhook_id=${ids.failing}`)
    expect(await page.locator("main").textContent()).toMatch(/There is nothing to retry.*Left out:\s+30 successful/s)
  })

  thorough("cancels an operation on its page", async () => {
    const { page } = await browser.loggedIn()
    // Holds the row that the operation is about to change.
    const { sql } = api.database
    await sql.query("create table gate (open boolean)")
    const [one] = await sql.query<{ readonly id: string }>("select id::text as id from extras_delivery limit 1")
    await sql.query("update extras_delivery set status = 'failed' where id = $1::bigint", [one!.id])
    const holding = sql.transaction(
      `select id from extras_delivery where id = ${one!.id} for update`,
      "do $$ begin while not exists (select from gate) loop perform pg_sleep(0.05); end loop; end $$"
    )
    await page.goto(`${listed}?id=${one!.id}`)
    await page.locator("#objects tbody [name=id]").check()
    await page.getByRole("button", { name: "Discard" }).click()
    await page.getByRole("button", { name: "Discard 1 delivery" }).click()
    await page.locator("#operation-progress").waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Cancel the operation" }).click()
    await page.getByText("Deliveries that were processed before the cancellation keep their state.").waitFor()
    await sql.query("insert into gate values (true)")
    await holding
    expect((await api.call<Json>("GET", `/api/extras/deliveries/${one!.id}/`)).json["status"]).toMatchObject({
      value: "failed"
    })
  })
})
