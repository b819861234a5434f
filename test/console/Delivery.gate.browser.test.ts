/** The page of one delivery in a real browser: from the commit to the answer, how it is verified, and retry by hand. */
import { spawnSync } from "node:child_process"
import { type Server, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

const hostile = `"><img src=x onerror=alert(1)><hx-partial hx-target="body">x</hx-partial></script>'\`$(id)\``

let api: Api
let receiver: Receiver
let odd: Server
/** Status by path; 200 for others. */
const answers = new Map<string, number>()
const secret = "a secret of the test"

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver(({ path }) => answers.get(path) ?? 200)
  odd = createServer((request, response) => {
    request.resume()
    response.writeHead(500, hostile.replaceAll(/[^ -~]/g, ""), {
      "content-type": "application/json",
      "x-hostile": hostile
    })
    response.end(JSON.stringify({ [hostile]: hostile }))
  })
  await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve))
})

afterAll(async () => {
  if (!hasBrowser) return
  await receiver.close()
  odd.close()
})

const webhook = (name: string, fields: Json = {}) =>
  api.make("extras/webhooks", {
    ...{ name, content_types: ["dcim.site"], type_create: true, type_update: true },
    ...{ payload_url: `${receiver.url}/${name}`, conditions: { attr: "name", value: name }, secret },
    ...fields
  })

/** The newest delivery of a webhook, once it has this status. */
const delivery = (hook: number, status: string): Promise<number> =>
  eventually(`webhook ${hook} has a delivery that is ${status}`, async () => {
    const path = `/api/extras/deliveries/?webhook_id=${hook}&status=${status}&limit=1`
    return (await api.call<List>("GET", path)).json.results[0]?.id
  })

const address = (id: number) => `/extras/deliveries/${id}/`

const stages = (page: Page) => page.locator("#journey b").allInnerTexts()

const later = { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } }

describe.skipIf(!hasBrowser)("the page of a delivery", () => {
  it("shows every stage of a change by the API, the body that the receiver got, and a program that verifies it", async () => {
    const hook = await webhook("promise", { signature: "standard" })
    await api.make("dcim/sites", { ...named("promise"), comments: hostile })
    const id = await delivery(hook, "successful")
    const got = receiver.received.find(({ path }) => path === "/promise")!
    const { page } = await loggedIn()
    await page.goto(address(id))
    expect((await page.locator("h1").innerText()).replaceAll(/\s+/g, " ")).toBe("site promise created Delivered")
    expect(await stages(page)).toEqual(["Committed", "Captured from WAL", "Matched", "Queued", "Attempt 1"])
    const journey = await page.locator("#journey").innerText()
    expect(journey).toMatch(/LSN [0-9A-F]+\/[0-9A-F]+/)
    expect(journey).toMatch(/1 change in its transaction[^]*1 webhook[^]*\+\d+/)
    expect(JSON.parse(await page.locator("pre[aria-label='Request body']").innerText())).toEqual(
      JSON.parse(got.body.toString())
    )
    expect(await page.locator(".okt").innerText()).toContain("its signature holds with the current secret")
    const headers = await page.locator(".hd").first().innerText()
    expect(headers).toContain(String(got.headers["webhook-signature"]))
    await page.click("text=Verify")
    await page.click(".seg >> text=Shell")
    const program = await page.locator("#program").innerText()
    expect(program).not.toContain(secret)
    const verified = (SECRET: string) =>
      spawnSync("sh", ["-c", program], { env: { ...process.env, SECRET }, encoding: "utf8" })
    expect([verified(secret).stdout, verified(secret).status]).toEqual(["valid\n", 0])
    expect([verified("another").stdout, verified("another").status]).toEqual(["invalid\n", 1])
    await page.click(".seg >> text=X-Hook-Signature")
    expect(await page.locator(".vf").innerText()).toContain(String(got.headers["x-hook-signature"]))
    expect(await faultsOf(page)).toEqual([])
  })

  thorough("shows the same of a change by plain SQL, whose request nobody sent", async () => {
    const hook = await webhook("by-sql")
    const site = await api.make("dcim/sites", named("by-sql"))
    await delivery(hook, "successful")
    await api.database.sql.query("update dcim_site set status = 'planned' where id = $1::bigint", [`${site}`])
    const path = `/api/extras/deliveries/?webhook_id=${hook}&status=successful&event=updated`
    const id = await eventually("the change by SQL is delivered", async () => {
      return (await api.call<List>("GET", path)).json.results[0]?.id
    })
    const { page } = await loggedIn()
    await page.goto(address(id))
    expect(await stages(page)).toEqual(["Committed", "Captured from WAL", "Matched", "Queued", "Attempt 1"])
    const changed = page.getByRole("region", { name: "What changed" })
    expect((await changed.locator("tbody tr").first().innerText()).replaceAll(/\s+/g, " ")).toBe(
      "Status Active Planned"
    )
    const got = receiver.received.findLast((each) => each.path === "/by-sql")!
    const download = await page.request.get(`${address(id)}body/`)
    expect((await download.body()).equals(got.body)).toBe(true)
    expect(download.headers()["content-disposition"]).toContain("attachment")
    await page.click("text=Previous >> nth=0")
    await page.waitForSelector("h1:has-text('created')")
    expect(await faultsOfState(page)).toEqual([])
  })

  it("retries at once in place of the scheduled attempt: the receiver gets one more request, asked for by two", async () => {
    answers.set("/recovers", 500)
    const hook = await webhook("recovers", later)
    await api.make("dcim/sites", named("recovers"))
    const id = await delivery(hook, "retrying")
    const { page } = await loggedIn()
    // A session of its own: the message about a retry is shown by the next page of its session.
    const { page: other } = await loggedInAs("admin")
    await page.goto(address(id))
    await other.goto(address(id))
    expect(await stages(page)).toEqual(expect.arrayContaining(["Attempt 1", "Next attempt"]))
    expect(await page.locator("#attempts").innerText()).toMatch(/next[^]*in (59 min|1 h)/)
    expect(await page.locator(".hint").innerText()).toBe("Retry now replaces the attempt that is scheduled.")
    expect(await faultsOfState(page)).toEqual([])
    answers.delete("/recovers")
    await Promise.all([page.click("text=Retry now"), other.click("text=Retry now")])
    const [done, refused] = [
      /in place of the one that was scheduled/,
      /requested already|attempted (now|meanwhile)|accepted/
    ]
    const told = await eventually("both have an answer", async () => {
      const texts = await Promise.all([page, other].map((each) => each.locator("main").innerText()))
      return texts.every((text) => done.test(text) || refused.test(text)) && texts
    })
    expect([done, refused].map((each) => told.filter((text) => each.test(text)).length)).toEqual([1, 1])
    await delivery(hook, "successful")
    await page.goto(address(id))
    expect(await page.locator("h1").innerText()).toContain("Delivered")
    expect(await page.locator("#attempts .ac").count()).toBe(2)
    expect(receiver.received.filter(({ path }) => path === "/recovers")).toHaveLength(2)
    await page.click("#attempts .ac >> nth=1")
    await page.waitForURL(/attempt=1/)
    expect(await page.locator("#h-attempt").innerText()).toBe("Attempt 1")
    expect(await page.locator("#attempt .xh.res").innerText()).toContain("500")
  })

  thorough("sends again what has succeeded only when that is confirmed", async () => {
    const hook = await webhook("confirmed")
    await api.make("dcim/sites", named("confirmed"))
    const id = await delivery(hook, "successful")
    const { page } = await loggedIn()
    await page.goto(address(id))
    expect(await page.locator("text=Retry now").count()).toBe(0)
    expect(await page.locator(".ph-act >> text=Discard").count()).toBe(0)
    await page.click("text=Send again")
    expect(await page.locator("main").innerText()).toContain("The receiver has accepted this delivery already.")
    // Without the token of a form of ours.
    expect((await page.request.post(`${address(id)}retry/`, { form: { again: "1" } })).status()).toBe(403)
    expect(receiver.received.filter(({ path }) => path === "/confirmed")).toHaveLength(1)
    await page.click("text=Send it again")
    await page.waitForSelector("text=Delivery queued for another attempt.")
    await receiver.untilAll((all) => all.filter(({ path }) => path === "/confirmed").length === 2)
  })

  thorough("discards after a question, pauses the webhook, and refuses in words what makes no sense then", async () => {
    answers.set("/dropped", 500)
    const hook = await webhook("dropped", later)
    await api.make("dcim/sites", named("dropped"))
    const id = await delivery(hook, "retrying")
    const { page } = await loggedIn()
    await page.goto(address(id))
    await page.click("text=Pause webhook")
    await page.waitForSelector("text=Webhook paused.")
    expect(await page.locator(".hint").innerText()).toContain("The webhook is paused")
    const { page: stale } = await loggedIn()
    await stale.goto(address(id))
    await page.click(".ph-act >> text=Discard")
    await page.click("button:has-text('Discard')")
    await page.waitForSelector("text=Delivery discarded.")
    expect(await page.locator("h1").innerText()).toContain("Discarded")
    await stale.click("text=Retry now")
    expect(await stale.locator("[role=alert]").innerText()).toContain("The delivery was discarded.")
    await stale.goto(`${address(id)}discard/`)
    expect(await stale.locator("[role=alert]").innerText()).toBe("The delivery was discarded already.")
    await api.call("DELETE", `/api/extras/webhooks/${hook}/`)
    await stale.goto(`${address(id)}retry/`)
    expect(await stale.locator("[role=alert]").innerText()).toBe("The webhook of this delivery was deleted.")
    await stale.goto(address(id))
    expect(await stale.locator("h1 + p").innerText()).toContain("to a deleted webhook")
  })

  thorough("runs nothing of what a receiver answers, and shows it to the letter", async () => {
    const { port } = odd.address() as AddressInfo
    const hook = await webhook("odd", { payload_url: `http://127.0.0.1:${port}/?<img>`, ...later })
    await api.make("dcim/sites", { ...named("odd"), description: hostile.slice(0, 100) })
    const id = await delivery(hook, "retrying")
    const { page } = await loggedIn()
    for (const view of ["verify", "now", "curl", "raw", "exchange"]) {
      await page.goto(`${address(id)}?view=${view}`)
      expect(await page.locator("main :is(img, hx-partial, script)").count()).toBe(0)
      expect(await page.locator("#attempt").innerText()).toContain("500")
    }
    const answer = await page.locator("pre[aria-label='Response body']").innerText()
    expect(JSON.parse(answer)).toEqual({ [hostile]: hostile })
    expect(await page.locator(".hd").last().innerText()).toContain(hostile)
    const broken = await webhook("broken", {
      ...{ body_template: `{{ ("${hostile.replaceAll('"', "'").replaceAll("'", "")}").nothing.more }}` },
      ...{ retry_schedule: { kind: "list", delays: [] } }
    })
    await api.make("dcim/sites", named("broken"))
    await page.goto(address(await delivery(broken, "failed")))
    expect(await page.locator("#attempt").innerText()).toContain("No request was sent.")
    expect(await faultsOfState(page)).toEqual([])
  })

  thorough("compares what was sent with what the webhook as it is now would send", async () => {
    const hook = await webhook("renewed", { body_template: `{"name": {{ data.name | tojson }}, "kind": "old"}` })
    await api.make("dcim/sites", named("renewed"))
    const id = await delivery(hook, "successful")
    const { page } = await loggedIn()
    await page.goto(`${address(id)}?view=now`)
    expect(await page.locator("#attempt").innerText()).toContain("would send the same body, byte for byte")
    const body_template = `{"name": {{ data.name | tojson }}, "kind": "${hostile.replaceAll('"', "")}"}`
    await api.call("PATCH", `/api/extras/webhooks/${hook}/`, { body_template })
    const row = page.locator("#attempt .diff tbody tr")
    await expect
      .poll(async () => {
        await page.reload()
        return row.allInnerTexts()
      })
      .toEqual([expect.stringContaining("body.kind")])
    expect(await row.locator("del").innerText()).toBe("old")
    expect(await row.locator("ins").innerText()).toBe(hostile.replaceAll('"', ""))
    expect(await page.locator("main :is(img, hx-partial, script)").count()).toBe(0)
    expect(await faultsOfState(page)).toEqual([])
  })

  thorough("cuts a body of a megabyte and offers it whole", async () => {
    const hook = await webhook("large", { conditions: { attr: "slug", value: "large" } })
    await api.make("dcim/sites", { ...named("large"), comments: `${hostile}\n`.repeat(3000) })
    const id = await delivery(hook, "successful")
    const { page } = await loggedIn()
    const response = await page.goto(address(id))
    expect((await response!.body()).length).toBeLessThan(300_000)
    await page.locator("text=Download the whole body").waitFor()
    const body = await (await page.request.get(`${address(id)}body/?attempt=1`)).body()
    expect(body.equals(receiver.received.find(({ path }) => path === "/large")!.body)).toBe(true)
    await page.goto(`${address(id)}?view=verify&language=python&scheme=netbox`)
    expect(await page.locator("#program").innerText()).toContain(`open("body.bin", "rb")`)
  })

  it("offers no action to a reader who may only view, and refuses the forms; without scripts it works as well", async () => {
    const hook = await webhook("viewed")
    await api.make("dcim/sites", named("viewed"))
    const id = await delivery(hook, "successful")
    await makeUser(api, "viewer", { types: ["dcim.site", "extras.delivery", "extras.webhook"], actions: ["view"] })
    const { page } = await loggedInAs("viewer", { javaScriptEnabled: false })
    await page.goto(`${address(id)}?attempt=1`)
    expect(await page.locator(".ph-act form, .ph-act >> text=Send again").count()).toBe(0)
    expect(await page.locator("#attempt").innerText()).toContain("its signature holds")
    expect(await stages(page)).toHaveLength(5)
    const statuses = ["retry", "discard", "pause-webhook"].map(async (name) =>
      (await page.request.post(`${address(id)}${name}/`)).status()
    )
    expect(await Promise.all(statuses)).toEqual([403, 403, 403])
    expect(receiver.received.filter(({ path }) => path === "/viewed")).toHaveLength(1)
    await page.goto(`${address(id)}?attempt=7`)
    expect(await page.locator("main").innerText()).toContain("The log has no attempt 7.")
  })
})
