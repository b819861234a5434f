/** System > Background Tasks in a real browser: repair by cause, pause all sending, tell a process to stop. */
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

const path = "/system/background-tasks/"
const hostile = `"><img src=x onerror=alert(1)>`

let api: Api
let receiver: Receiver
let answer = 503
let failing: number
let refused: number

const counted = async (query: string) =>
  (await api.call<{ readonly count: number }>("GET", `/api/extras/deliveries/?limit=1&${query}`)).json.count

const hook = async (name: string, fields: Json) => {
  const common = { content_types: ["extras.tag"], type_create: true, retry_schedule: { kind: "list", delays: [] } }
  return await api.make("extras/webhooks", { name, ...common, ...fields })
}

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver(() => answer)
  failing = await hook(`cmdb ${hostile}`, { payload_url: `${receiver.url}/ok` })
  refused = await hook("ipam", { payload_url: "http://127.0.0.1:1/" })
  await api.call("PATCH", `/api/extras/webhooks/${failing}/`, { payload_url: `${receiver.url}/cmdb` })
  const tags = Array.from({ length: 15 }, (_, n) => named(`Tag ${n}`))
  await api.call("POST", "/api/extras/tags/", tags)
  await eventually("30 have failed", async () => (await counted("status=failed")) === 30)
  await makeUser(api, "watcher", { types: ["extras.webhook", "extras.delivery", "extras.tag"], actions: ["view"] })
})

afterAll(async () => {
  if (hasBrowser) await receiver.close()
})

describe.skipIf(!hasBrowser)("failed deliveries", () => {
  it("of two causes are two rows; one cause is retried after its count, and the counts move", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path)
    const rows = page.locator("#failures tbody tr")
    expect(await rows.count()).toBe(2)
    const cause = rows.filter({ hasText: "HTTP 503 Service Unavailable" })
    const text = (await cause.textContent())!
    for (const part of [hostile, new URL(receiver.url).host, "Payload URL changed by admin", "15"])
      expect(text).toContain(part)
    expect(await page.locator("#pipeline").textContent()).toMatch(/Failed\s*30/)
    expect(await faultsOf(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    // The page is live: an element that it has replaced has no place.
    const right = async () => {
      const box = await cause.getByRole("link", { name: "Retry 15" }).boundingBox()
      return box === null ? Number.POSITIVE_INFINITY : box.x + box.width
    }
    await expect.poll(right).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1280, height: 720 })
    await cause.getByRole("link", { name: "Retry 15" }).click()
    expect(await page.locator("main").textContent()).toMatch(/Retry\s+15 deliveries\?/)
    expect(await page.locator("tbody tr").allTextContents()).toEqual([expect.stringContaining(hostile)])
    expect(await faultsOfState(page)).toEqual([])
    // Nothing has happened yet.
    expect(await counted(`webhook_id=${failing}&status=failed`)).toBe(15)
    answer = 200
    await page.getByRole("button", { name: "Retry 15 deliveries" }).click()
    await page.waitForURL(/operations\/\d+\/$/)
    await expect
      .poll(async () => {
        await page.reload()
        return page.locator("#operation-progress").textContent()
      })
      .toContain("15 of 15 done")
    expect(await faultsOfState(page)).toEqual([])
    await eventually("they are sent", async () => (await counted(`webhook_id=${failing}&status=successful`)) === 15)
    await page.goto(path)
    expect([await rows.count(), await rows.textContent()]).toEqual([1, expect.stringContaining("Connection refused")])
    // A second operator has the old page open.
    await page.goto(`/extras/deliveries/retry/?webhook_id=${failing}&status=failed`)
    expect(await page.locator("main").textContent()).toContain("There is nothing to retry.")
    await close()
  })

  it("are discarded by their cause", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path)
    await page.getByRole("link", { name: "Discard 15" }).click()
    await page.getByRole("button", { name: "Discard 15 deliveries" }).click()
    await eventually("they are discarded", async () => (await counted(`webhook_id=${refused}&status=discarded`)) === 15)
    await page.goto(path)
    expect(await page.locator("main").textContent()).toContain("No delivery has used up its retries.")
    await close()
  })
})

describe.skipIf(!hasBrowser)("actions", () => {
  it("are not done by a GET, nor by a form without the token", async () => {
    const { page, close } = await loggedIn()
    const [worker] = (await api.call<{ results: ReadonlyArray<Json> }>("GET", "/api/core/background-workers/")).json
      .results
    const process = `processes/${encodeURIComponent(String(worker!["name"]))}`
    const paths = [
      ...["pause/", "resume/", `queues/${failing}/pause/`, `queues/${failing}/resume/`],
      ...[`${process}/quiet/`, `${process}/resume/`]
    ]
    await page.goto(path)
    const send = (method: "get" | "post", to: string) => page.request[method](path + to, { maxRedirects: 0 })
    for (const to of paths) {
      expect([to, (await send("get", to)).status()]).toEqual([to, 405])
      expect([to, (await send("post", to)).status()]).toEqual([to, 403])
    }
    expect((await api.call("GET", "/api/core/sending/")).json).toMatchObject({ paused: false })
    expect((await api.call("GET", `/api/extras/webhooks/${failing}/`)).json["paused"]).toBe(false)
    expect(await counted("status=discarded")).toBe(15)
    await close()
  })

  it("are not offered to a reader who may not do them, who is refused as well", async () => {
    const { page, close } = await loggedInAs("watcher")
    await page.goto(path)
    expect(await page.locator("main form, main .btn-primary").count()).toBe(0)
    expect((await page.request.post(`${path}pause/`)).status()).toBe(403)
    await close()
  })
})

describe.skipIf(!hasBrowser)("all sending", () => {
  it("is paused with a banner that resumes it", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path)
    await page.getByRole("button", { name: "Pause all sending" }).click()
    const banner = page.locator("#sending-paused")
    expect(await banner.textContent()).toMatch(/All sending is paused.*by admin/s)
    expect(await faultsOf(page)).toEqual([])
    await banner.getByRole("button", { name: "Resume sending" }).click()
    expect(await page.locator(".flash").textContent()).toContain("Sending continues.")
    expect(await banner.count()).toBe(0)
    await close()
  })
})

describe.skipIf(!hasBrowser)("a process", () => {
  thorough("is told to stop taking work, and to take work again", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path)
    await page.getByRole("button", { name: /Stop taking work/ }).click()
    expect(await page.locator("#no-senders").textContent()).toContain("No process takes new work.")
    expect(await page.locator("#processes").textContent()).toContain("takes no new work")
    await page.getByRole("button", { name: /Take work again/ }).click()
    expect(await page.locator("#no-senders").count()).toBe(0)
    await close()
  })

  it("that was killed is shown as lost, and what cannot be read leaves its own place empty", async () => {
    const { page, close } = await loggedIn()
    const { sql } = api.database
    await sql.query(
      "insert into rackwire_process (name, began, seen, parts) values ('host-b 7', now(), now() - interval '42 s', '{\"deliver\": {}}')"
    )
    await page.goto(path)
    expect(await page.locator("#processes tr", { hasText: "host-b 7" }).textContent()).toMatch(
      /lost.*no heartbeat for 4\d/s
    )
    await sql.query("alter table rackwire_backlog rename to rackwire_backlog_away")
    try {
      expect((await page.goto(path))!.status()).toBe(200)
      expect(await page.locator("#pipeline").textContent()).toMatch(/Queued\s*unavailable/)
      expect(await page.locator("#processes").count()).toBe(1)
    } finally {
      await sql.query("alter table rackwire_backlog_away rename to rackwire_backlog")
    }
    await close()
  })
})
