/** Pages that follow what changes, in a real browser. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { hasBrowser } from "../support/Browser.ts"
import { startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let webhook: number

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const { url } = await startReceiver()
  const made = await api.call<{ readonly id: number }>("POST", "/api/extras/webhooks/", {
    ...{ name: "lively", content_types: ["extras.tag"], type_create: true, payload_url: url }
  })
  webhook = made.json.id
})

let tags = 0
const tag = () => api.call("POST", "/api/extras/tags/", named(`tag ${++tags}`))

describe.skipIf(!hasBrowser)("a live page", () => {
  it("shows new numbers without a reload, and rests while it is paused or hidden", async () => {
    const { page } = await loggedIn()
    await page.goto(`/extras/webhooks/${webhook}/`)
    await page.waitForSelector("[data-live-state]:has-text('Live')")
    await tag()
    await page.waitForSelector("#numbers dd:has-text('100 % of attempts')")
    await page.click("[data-live-pause]")
    await page.waitForSelector("[data-live-state]:has-text('Paused')")
    const before = await page.locator("#numbers").innerText()
    await tag()
    const health = `/api/extras/webhooks/${webhook}/health/`
    await expect.poll(async () => (await api.call<{ attempts: number }>("GET", health)).json.attempts).toBe(2)
    expect(await page.locator("#numbers").innerText()).toBe(before)
    await page.click("[data-live-pause]")
    await page.waitForSelector("#latest tbody tr:nth-child(2)")
    await page.evaluate(`Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`)
    await page.waitForSelector("[data-live-state]:has-text('Paused while hidden')")
  })

  thorough("keeps a list in place and offers what is new", async () => {
    const { page } = await loggedIn()
    await page.goto("/extras/deliveries/?limit=50")
    const rows = await page.locator("#objects tbody tr").count()
    await page.waitForSelector("[data-live-state]:has-text('Live,')")
    await tag()
    await page.waitForSelector("[data-live-show]:has-text('1 new')")
    expect(await page.locator("#objects tbody tr").count()).toBe(rows)
    await page.click("[data-live-show]")
    await expect.poll(() => page.locator("#objects tbody tr").count()).toBe(rows + 1)
    expect(await page.isVisible("[data-select-page]")).toBe(true)
  })

  thorough("follows in two tabs at once, which leave connections to a third", async () => {
    const { page } = await loggedIn()
    const tabs = [page, await page.context().newPage()]
    for (const tab of tabs) {
      await tab.goto("/extras/deliveries/?limit=50")
      await tab.waitForSelector("[data-live-state]:has-text('Live,')")
    }
    await tag()
    for (const tab of tabs) await tab.waitForSelector("[data-live-show]:has-text('1 new')")
    const third = await page.context().newPage()
    await third.goto("/dcim/sites/", { waitUntil: "load" })
    expect(await third.title()).toContain("Sites")
  })

  it("says so where a proxy keeps its events back", async () => {
    const { page } = await loggedIn()
    await page.clock.install()
    // The request of the stream gets no answer.
    const isStream = (accept: string | undefined) => accept === "text/event-stream"
    await page.route(`**/extras/webhooks/${webhook}/`, (route) =>
      isStream(route.request().headers()["accept"]) ? new Promise<void>(() => {}) : route.continue()
    )
    await page.goto(`/extras/webhooks/${webhook}/`)
    await page.waitForSelector("[data-live-state]:text-is('Connecting')")
    await page.clock.fastForward(11_000)
    await expect.poll(() => page.locator("[data-live-state]").innerText()).toContain("nothing arrives")
  })

  it("streams to a reader what the reader may view, and nothing to others", async () => {
    await makeUser(api, "watcher", { types: ["extras.webhook"], actions: ["view"] })
    await makeUser(api, "stranger")
    const events = async (name: string, path: string) => {
      const { page } = await loggedInAs(name)
      await page.goto("/user/")
      return page.evaluate(async (address) => {
        const reply = await fetch(address, { headers: { accept: "text/event-stream" } })
        const type = reply.headers.get("content-type")
        const first = reply.status === 200 ? await reply.body!.getReader().read() : undefined
        return [reply.status, type, first && new TextDecoder().decode(first.value)]
      }, path)
    }
    const seen = await events("watcher", `/extras/webhooks/${webhook}/`)
    expect(seen).toEqual([200, "text/event-stream", expect.stringMatching(/^retry: 3000\ndata: \{"health":/)])
    expect((await events("watcher", "/extras/deliveries/"))[0]).toBe(403)
    expect((await events("stranger", `/extras/webhooks/${webhook}/`))[0]).not.toBe(200)
  })

  thorough("says that it is over when the session has ended", async () => {
    const { id } = await makeUser(api, "idler", { types: ["extras.webhook"], actions: ["view"] })
    const { page } = await loggedInAs("idler")
    await page.goto(`/extras/webhooks/${webhook}/`)
    await page.waitForSelector("[data-live-state]:has-text('Live,')")
    await api.database.sql.query("delete from rackwire_session where user_id = $1", [id])
    await expect.poll(() => page.locator("[data-live-state]").innerText()).toBe("Not live: load this page again")
  })

  thorough("ends the stream of a reader who is deactivated", async () => {
    const { id } = await makeUser(api, "leaver", { types: ["extras.webhook"], actions: ["view"] })
    const { page } = await loggedInAs("leaver")
    await page.goto("/user/")
    const address = `/extras/webhooks/${webhook}/`
    await page.evaluate(`fetch("${address}", { headers: { accept: "text/event-stream" } }).then((reply) => {
      globalThis.reply = reply
    })`)
    await api.call("PATCH", `/api/users/users/${id}/`, { is_active: false })
    const events = (await page.evaluate<string>("reply.text()")).trim().split("\n\n")
    expect(events.at(-1)).toBe("event: again\ndata: {}")
    // A stream that lasts for a minute has an event for each pause.
    expect(events.length).toBeLessThan(10)
  })
})
