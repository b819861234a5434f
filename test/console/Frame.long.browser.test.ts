/** The head of every page and the keys, in a real browser. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { at, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { eventually } from "../support/Eventually.ts"
import { startReceiver } from "../support/Receiver.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  await api.call("POST", "/api/dcim/sites/", [named("Aachen"), named("Bonn")])
})

describe.skipIf(!hasBrowser)("the keys", () => {
  it("lead through lists and pages, and rest while somebody types", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/")
    await page.keyboard.press("?")
    await page.waitForURL(at("/help/keys/"))
    await page.goto("/dcim/sites/")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("k")
    await page.keyboard.press("j")
    await page.keyboard.press("o")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect(await page.textContent("h1")).toContain("Bonn")
    await page.keyboard.press("/")
    await page.keyboard.type("gw?x")
    expect(await page.inputValue("#search")).toBe("gw?x")
    await page.locator("main").focus()
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    await page.waitForURL(at("/extras/webhooks/"))
    await page.keyboard.press("a")
    await page.waitForURL(at("/extras/webhooks/add/"))
    expect(problems).toEqual([])
    await close()
  })
})

describe.skipIf(!hasBrowser)("the gauges", () => {
  it("say how far capture is, and follow the failed deliveries", async () => {
    const { page, problems, close } = await loggedIn()
    const shown = () => page.textContent("[data-gauges]")
    await eventually("capture is told", async () => {
      await page.goto("/")
      return /WAL\s+\d+ ms/.test((await shown()) ?? "")
    })
    expect(await shown()).toMatch(/0 waiting\s*0\s+failed/)
    await page.clock.install()
    await page.reload()
    await api.database.sql.query(
      `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time, position, idx,
         attempts, first_attempt, last_attempt, next_attempt)
       values ('1-2-3', 1, 'failed', 'created', 'dcim.site', 1, gen_random_uuid(), now(), 2, 3, 1, now(), now(), now())`
    )
    await page.clock.runFor(11_000)
    await page.getByText(/^1\s+failed$/).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("are not shown to readers who may view no deliveries", async () => {
    await makeUser(api, "regions", { types: ["dcim.region"], actions: ["view"] })
    const { page, close } = await loggedInAs("regions")
    await page.goto("/")
    expect(await page.locator("[data-gauges]").count()).toBe(0)
    await close()
  })
})

describe.skipIf(!hasBrowser)("the first steps", () => {
  it("tick themselves, and leave when the first delivery has arrived", async () => {
    const { page, problems, close } = await loggedIn()
    const done = () => page.locator(".first-steps .done a").allTextContents()
    await page.goto("/")
    expect(await done()).toEqual(["Create an API token", "Make a change"])
    const receiver = await startReceiver()
    await api.call("POST", "/api/extras/webhooks/", {
      ...{ name: "first", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
    })
    await page.reload()
    expect(await done()).toContain("Add a webhook")
    await api.call("POST", "/api/dcim/sites/", named("Celle"))
    await eventually("the delivery is logged", async () => {
      await page.reload()
      return (await page.locator(".first-steps").count()) === 0
    })
    expect(await page.textContent("main")).toContain("site Celle")
    expect(problems).toEqual([])
    await close()
    await receiver.close()
  })
})
