/** The builders of conditions and constraints in a real browser: in sync with their JSON, in both directions. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { operators } from "../../src/match/Operator.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { faultsOf, hasBrowser } from "../support/Browser.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let site: number

const { loggedIn } = startConsole(async (started) => {
  api = started
  site = await api.make("dcim/sites", named("Oslo"))
  await api.make("tenancy/tenants", named("Acme"))
}, sharedApi)

const json = async (page: Page, id: string): Promise<unknown> => {
  const text = await page.inputValue(id)
  return text === "" ? null : JSON.parse(text)
}

const becomes = (page: Page, id: string, wanted: unknown) =>
  eventually(`${id} is ${JSON.stringify(wanted)}`, async () => {
    return JSON.stringify(await json(page, id)) === JSON.stringify(wanted)
  })

const rows = (page: Page) => page.locator(".b-row")

/** The rows as people read them. */
const read = async (page: Page): Promise<ReadonlyArray<string>> =>
  Promise.all(
    (await rows(page).all()).map(async (row) => {
      const chosen = await row.locator("select option:checked").allInnerTexts()
      const typed = await row.locator("input:not([type=checkbox], [type=hidden], [hidden])").all()
      return [...chosen, ...(await Promise.all(typed.map((each) => each.inputValue())))].join(" | ")
    })
  )

describe.skipIf(!hasBrowser)("the builder of conditions", () => {
  const text = "#f-conditions"

  thorough("writes the JSON of rows and groups, and has the operators that the service has", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/extras/webhooks/add/?content_types=dcim.site")
    const builder = page.locator("[data-builder=f-conditions]")
    await builder.getByRole("button", { name: "Add condition" }).click()
    await rows(page).getByLabel("Field").selectOption({ label: "Status" })
    await rows(page).getByLabel("Value").selectOption({ label: "Planned" })
    await becomes(page, text, { attr: "status.value", value: "planned" })
    const offered = await rows(page).getByLabel("Operator").locator("option").all()
    expect(await Promise.all(offered.map((each) => each.getAttribute("value")))).toEqual(Object.keys(operators))
    await rows(page).getByLabel("Operator").selectOption("changed")
    await becomes(page, text, { attr: "status", op: "changed" })
    await rows(page).getByLabel("Not").check()
    await builder.getByRole("button", { name: "Add group" }).click()
    const inner = builder.getByRole("group", { name: "Group" })
    await inner.getByLabel("Field").selectOption({ label: "Name" })
    await inner.getByLabel("Value").fill("Oslo")
    await inner.getByRole("button", { name: "Add condition" }).click()
    const last = inner.locator(".b-row").last()
    await last.getByLabel("Field").selectOption({ label: "Region" })
    await last.getByLabel("Operator").selectOption("eq")
    await becomes(page, text, {
      and: [
        { attr: "status", op: "changed", negate: true },
        {
          or: [
            { attr: "name", value: "Oslo" },
            { attr: "region.id", value: "" }
          ]
        }
      ]
    })
    expect(await faultsOf(page)).toEqual([])
    await last.getByRole("button", { name: "Remove the condition" }).press("Enter")
    await becomes(page, text, {
      and: [{ attr: "status", op: "changed", negate: true }, { or: [{ attr: "name", value: "Oslo" }] }]
    })
    expect(problems).toEqual([])
    await close()
  })

  thorough("follows the JSON, leaves rows while it is broken, and JSON that says more alone", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/extras/webhooks/add/?content_types=dcim.site")
    await page.fill(
      text,
      '{"and": [{"attr": "status.value", "op": "in", "value": ["active", "planned"]}, {"attr": "x.y", "value": 1}]}'
    )
    await eventually("two rows", async () => (await rows(page).count()) === 2)
    expect(await read(page)).toEqual(["Status | one of | ", "x.y | equal to | 1"])
    expect(await page.locator(".b-row .chip-v").allInnerTexts()).toEqual(["Active", "Planned"])
    await page.fill(text, '{"and": [{"attr" "status"}]}')
    await page.locator(".builder [role=status]", { hasText: "Line 1, column 18" }).waitFor()
    expect(await rows(page).count()).toBe(2)
    const more = '{"and": [{"attr": "name", "value": 1.0}]}'
    await page.fill(text, more)
    await page.locator(".builder [role=status]", { hasText: "It stays as it is" }).waitFor()
    expect(await page.locator(".b-area").isVisible()).toBe(false)
    expect(await page.inputValue(text)).toBe(more)
    await page.fill(text, "")
    await page.getByRole("button", { name: "Add condition" }).waitFor()
    expect(await rows(page).count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it("has the fields of the object types that are chosen, and picks objects", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/extras/webhooks/add/?content_types=dcim.site")
    await page.locator("#f-content_types").focus()
    await page.keyboard.type("dcim.device")
    await page.getByRole("option", { name: /^Device ?dcim\.device$/ }).click()
    await page.fill(text, JSON.stringify({ attr: "site.id", value: site }))
    const picker = rows(page).getByRole("combobox", { name: "Value" })
    await eventually("the site is named", async () => (await picker.inputValue()) === "Oslo")
    expect(await rows(page).getByLabel("Field").inputValue()).toBe("site.id")
    await close()
  })

  it("takes no late answer about a text that has changed, or about an earlier choice of types", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/extras/webhooks/add/?content_types=dcim.site")
    /** Delays the answer to the first request that `first` leads to until `then` has ended. */
    const answersLate = async (first: () => Promise<void>, then: () => Promise<void>) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/\/help\/builders\//, (route) => promise.then(() => route.continue()), { times: 1 })
      const requested = page.waitForRequest(/\/help\/builders\//)
      await first()
      const request = await requested
      await then()
      resolve()
      await (await request.response())!.finished()
      await page.evaluate("fetch(location.href)")
    }
    const type = async (word: string) => {
      await page.locator("#f-content_types").focus()
      await page.keyboard.type(word)
      await page.getByRole("option", { name: word }).first().click()
    }
    const fieldIs = (title: string) =>
      eventually(`the field is ${title}`, async () => (await read(page)).join().startsWith(title))
    await page.fill(text, '{"attr": "vid", "value": 5}')
    await fieldIs("vid |")
    await answersLate(
      () => type("dcim.device"),
      async () => {
        await type("ipam.vlan")
        await fieldIs("VLAN ID |")
      }
    )
    expect(await read(page)).toEqual(["VLAN ID | equal to | 5"])
    const status = page.locator(".builder [role=status]")
    await answersLate(
      () => page.fill(text, "{"),
      async () => {
        await page.fill(text, '{"attr": "vid", "value": 6}')
        await eventually("the row follows", async () => (await read(page)).join().endsWith("6"))
      }
    )
    expect(await status.innerText()).toBe("")
    await close()
  })

  it("is not there without scripts", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/extras/webhooks/add/")
    expect(await page.locator(text).isVisible()).toBe(true)
    expect(await page.locator(".builder").isVisible()).toBe(false)
    await close()
  })
})

describe.skipIf(!hasBrowser)("the builder of constraints", () => {
  const text = "#f-constraints"

  thorough("makes alternatives of rows from the fields that all chosen types have", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/users/permissions/add/?object_types=dcim.site,dcim.device")
    const builder = page.locator("[data-builder=f-constraints]")
    await builder.getByRole("button", { name: "Add group" }).click()
    const field = rows(page).getByLabel("Field")
    const fields = await field.locator("option").allInnerTexts()
    expect(fields).toEqual(expect.arrayContaining(["Name", "Status", "Tenant"]))
    expect(fields).not.toContain("Rack")
    await field.selectOption({ label: "Tenant" })
    await rows(page).getByRole("combobox", { name: "Value" }).last().click()
    await page.getByRole("option", { name: "Acme" }).click()
    const tenant = (
      await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", "/api/tenancy/tenants/")
    ).json.results[0]!.id
    await becomes(page, text, { tenant })
    await builder.getByRole("button", { name: "Add condition" }).click()
    await rows(page).last().getByLabel("Field").selectOption({ label: "Name" })
    await rows(page).last().getByLabel("Operator").selectOption({ label: "begins with" })
    await rows(page).last().getByLabel("Value").fill("osl")
    await becomes(page, text, { tenant, name__startswith: "osl" })
    await builder.getByRole("button", { name: "Add group" }).click()
    await rows(page).last().getByLabel("Field").selectOption({ label: "Name" })
    await rows(page).last().getByLabel("Operator").selectOption({ label: "is one of" })
    await rows(page).last().getByLabel("Value").fill("a, b")
    await becomes(page, text, [{ tenant, name__startswith: "osl" }, { name__in: ["a", "b"] }])
    expect(await faultsOf(page)).toEqual([])
    await page.fill(text, '{"name": "x", "site__region__slug": "emea"}')
    await eventually("two rows", async () => (await rows(page).count()) === 2)
    expect(await read(page)).toEqual(["Name | is | x", "site__region__slug | is | emea"])
    expect(problems).toEqual([])
    await close()
  })

  it("stays as bright as it is while the objects are counted", async () => {
    const { page, close } = await loggedIn()
    const answer = Promise.withResolvers<void>()
    await page.route("**/users/permissions/matches/", async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.goto("/users/permissions/add/?object_types=dcim.site")
    await page.locator("#matches.htmx-request").waitFor()
    // A transition that has begun is an animation, however long its delay is.
    const main = `document.querySelector("main")`
    const look = `[getComputedStyle(${main}).opacity, ${main}.getAnimations().length]`
    expect(await page.evaluate(look)).toEqual(["1", 0])
    answer.resolve()
    await close()
  })

  thorough("has beside it how many objects of each chosen type the constraints match, as they are typed", async () => {
    await api.makeAll("dcim/sites", [named("Bergen"), named("Bodo")])
    const { page, problems, close } = await loggedIn()
    await page.goto("/users/permissions/add/")
    const matches = page.locator("#matches")
    const shows = (wanted: string) =>
      eventually(`the preview shows ${wanted}`, async () =>
        (await matches.innerText()).replaceAll(/\s+/g, " ").includes(wanted)
      )
    await shows("Choose object types first.")
    await page.goto("/users/permissions/add/?object_types=dcim.site,tenancy.tenant")
    await shows("Sites 3 Tenants 1 Objects that you may view.")
    await page.fill(text, '{"name__startswith": "B"}')
    await shows("Sites 2 Tenants 0")
    expect(await faultsOf(page)).toEqual([])
    await page.fill(text, '{"name__startswith"}')
    await shows("Line 1, column 20")
    await page.fill(text, '{"name__regex": "("}')
    await shows("regular expression")
    expect(problems).toEqual([])
    await close()
    const plain = await loggedIn({ javaScriptEnabled: false })
    await plain.page.goto("/users/permissions/add/?object_types=dcim.site")
    const opened = plain.page.context().waitForEvent("page")
    await plain.page.click("#matches button")
    const tab = await opened
    await tab.waitForLoadState()
    expect((await tab.innerText("main")).replaceAll(/\s+/g, " ")).toContain("Sites 3")
    await plain.close()
    const types = ["users.objectpermission", "dcim.site"]
    const reader = await makeUser(api, "reader", { types, actions: ["view"] })
    const body = new URLSearchParams({ object_types: "dcim.site", constraints: '{"tenant__name": "Acme"}' })
    const headers = { authorization: `Token ${reader.token}` }
    expect(
      (await fetch(`${api.service.url}/users/permissions/matches/`, { method: "POST", headers, body })).status
    ).toBe(403)
  })
})
