/** The console while the circuit breaker of a webhook is open, and the ways to a probe. */
import { afterAll, describe, expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { faultsOf, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { breakers, keepOpen } from "../transport/KeepOpen.ts"
import { startConsole } from "./Fixture.ts"

const tasks = "/system/background-tasks/"
const sentence = /held by the circuit breaker until \d\d:\d\d UTC, because the receiver answered 500\./i

let api: Api
let receiver: Receiver
let answer = 500
let webhook: number

const deliveries = async (query: string) =>
  (await api.call<{ count: number; results: ReadonlyArray<{ id: number }> }>("GET", `/api/extras/deliveries/?${query}`))
    .json

const { loggedIn } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver(() => answer)
  const fields = {
    ...{ name: "cmdb", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url },
    ...{ max_in_flight: 4, retry_schedule: { kind: "fixed", delay: 0.05, attempts: 100 } }
  }
  webhook = await api.make("extras/webhooks", fields)
  const tags = Array.from({ length: 20 }, (_, n) => ({ name: `Tag ${n}`, slug: `tag-${n}` }))
  await api.call("POST", "/api/extras/tags/", tags)
  await keepOpen(api, webhook)
})

afterAll(async () => {
  if (hasBrowser) await receiver.close()
})

describe.skipIf(!hasBrowser)("an open circuit breaker", () => {
  it("is named on the pages of the webhook, its deliveries and the background tasks, with the way to a probe", async () => {
    const { page, close } = await loggedIn()
    const { results } = await deliveries(`webhook_id=${webhook}&status=retrying`)
    const held = `/extras/deliveries/${results[0]!.id}/`
    for (const path of [`/extras/webhooks/${webhook}/`, held, tasks]) {
      // How much waits is counted every few seconds.
      const shown = async () => {
        await page.goto(path)
        return page.locator("main").textContent()
      }
      await expect.poll(shown).toMatch(sentence)
      expect(await page.getByRole("button", { name: /^Probe now/ }).count()).toBe(1)
      expect(await faultsOf(page)).toEqual([])
    }
    for (const path of ["/system/status/", "/"]) {
      await page.goto(path)
      expect(await page.locator("main").textContent()).toMatch(/cmdb/)
      expect(await page.locator("main").textContent()).not.toContain("there is no alarm")
      expect(await faultsOf(page)).toEqual([])
    }
    // On the page that the loop ended with, not only among the latest changes.
    expect(await page.locator("[aria-labelledby=attention]").textContent()).toMatch(
      /cmdb.*held by the circuit breaker/s
    )
    await page.goto(`${tasks}?state=scheduled`)
    expect(await page.locator("#failures tbody").textContent()).toContain("HTTP 500 Internal Server Error")
    await page.goto(tasks)
    // It is neither green nor hidden in the queues, although nothing has failed for good.
    expect(await page.locator("#queues tbody .dot.ok").count()).toBe(0)
    await close()
  })

  it("leaves every delivery in a list: tiles, tabs and lists agree, also while others come", async () => {
    const { page, close } = await loggedIn()
    const list = `/extras/deliveries/waiting/?webhook_id=${webhook}`
    const others = { content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/others` }
    await api.call("POST", "/api/extras/webhooks/", { name: "others", ...others })
    const more = Array.from({ length: 10 }, (_, n) => ({ name: `More ${n}`, slug: `more-${n}` }))
    const load = Promise.all(more.map((tag) => api.call("POST", "/api/extras/tags/", tag)))
    await eventually(
      "all agree",
      async () => {
        await page.goto(list)
        const listed = await page.locator("main tbody tr").count()
        const told = await page.locator("main, header").allTextContents()
        await page.goto(`/extras/webhooks/${webhook}/`)
        const [tab] = await page.locator(".tabs a", { hasText: "Waiting" }).allTextContents()
        const [number] = await page.locator("#numbers dd a").allTextContents()
        return listed === 30 && told.join().includes("30 wait") && tab === "Waiting30" && number === "30"
      },
      { everyMillis: 500 }
    )
    await load
    await page.goto(list)
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  it("does not hide the outcome and the cause of deliveries behind a long name", async () => {
    const { page, close } = await loggedIn()
    const name = "A webhook with a name of about eighty characters, as people give them to be found"
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { name })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto("/extras/deliveries/")
    // In one step: the list is live, and an element that it has replaced has no place.
    const ends = await page.evaluate(
      `Array.from(document.querySelectorAll("main th[scope=col]"), (it) => [it.textContent.trim(), it.getBoundingClientRect().right])`
    )
    const right = new Map(ends as ReadonlyArray<readonly [string, number]>)
    for (const title of ["Outcome", "Code or cause"]) {
      expect(right.get(title)).toBeGreaterThan(0)
      expect(right.get(title)).toBeLessThanOrEqual(1440)
    }
    await page.goto(`/extras/webhooks/${webhook}/deliveries/`)
    expect(await page.locator("main th[scope=col]").allTextContents()).not.toContain("Webhook")
    expect(await page.locator("main tbody tr").first().textContent()).toMatch(/Retrying.*Tag \d+/s)
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { name: "cmdb" })
    await keepOpen(api, webhook)
    await close()
  })

  it("is reported by a retry of many", async () => {
    const { page, close } = await loggedIn()
    const { count } = await deliveries(`webhook_id=${webhook}&status=retrying&limit=1`)
    await page.goto(`/extras/deliveries/retry/?webhook_id=${webhook}&status=retrying`)
    await page.getByRole("button", { name: /^Retry \d+ deliveries$/ }).click()
    await page.waitForURL(/operations\/\d+\/$/)
    // Its buttons follow its state, without a reload.
    await expect.poll(() => page.getByRole("button", { name: "Cancel the operation" }).count()).toBe(0)
    const shown = async () => {
      await page.reload()
      return (await page.locator("#operation-progress").textContent())!
    }
    await eventually("it has ended", async () => (await shown()).includes(`${count} of ${count} done`))
    expect(await shown()).toMatch(/\d+ held: the circuit breaker is open/)
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  it("is closed by a probe that succeeds", async () => {
    const { page, close } = await loggedIn()
    await keepOpen(api, webhook)
    answer = 200
    await page.goto(tasks)
    await page.getByRole("button", { name: "Probe now cmdb" }).click()
    expect(await page.locator(".flash").textContent()).toContain("The webhook is being probed")
    // The colour of success: more green than red, in both themes.
    for (const theme of ["light", "dark"]) {
      await page.evaluate(`document.documentElement.dataset.scheme = "${theme}"`)
      // The live page may replace the message: an element that has left the page has no colour.
      await expect
        .poll(async () => {
          const colour = await page.evaluate("getComputedStyle(document.querySelector('.flash')).backgroundColor")
          const [red = 0, green = 0] = Array.from(String(colour).matchAll(/[\d.]+/g), ([each]) => Number(each))
          return green - red
        })
        .toBeGreaterThan(0)
    }
    await breakers(api, webhook, 0)
    await eventually(
      "all are sent",
      async () => (await deliveries(`webhook_id=${webhook}&status=successful&limit=1`)).count === 30
    )
    await page.goto(`/extras/webhooks/${webhook}/`)
    expect(await page.getByRole("button", { name: "Probe now" }).count()).toBe(0)
    await close()
  })

  it("is no more: the page of a test follows its delivery without a reload", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/extras/webhooks/${webhook}/test/`)
    await page.getByRole("button", { name: "Send" }).click()
    await expect.poll(() => page.locator("#state").textContent()).toContain("Delivered")
    await expect.poll(() => page.locator("main").textContent()).not.toContain("It was not attempted yet")
    expect(await page.getByRole("link", { name: "Discard" }).count()).toBe(0)
    expect(await page.getByRole("link", { name: "Send again" }).count()).toBe(1)
    await close()
  })

  it("is no more: the page of a test says that its webhook did not fire, and how many others did", async () => {
    const { page, close } = await loggedIn()
    const fields = { name: "picky", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    const conditions = { attr: "name", value: "nobody" }
    const { json } = await api.call<{ id: number }>("POST", "/api/extras/webhooks/", { ...fields, conditions })
    await page.goto(`/extras/webhooks/${json.id}/test/`)
    await page.getByRole("button", { name: "Send" }).click()
    await page.waitForURL(/deliveries\/\d+\/$/)
    expect(await page.locator("#why").textContent()).toMatch(
      /The webhook did not fire for this change: the delivery is a test or a replay\. \d other webhooks? did\./
    )
    await page.goto("/extras/replays/")
    expect(await page.locator(".empty").textContent()).toContain("A replay is requested on the page of a webhook.")
    await close()
  })
})
