/** Webhooks in a real browser: how they are, and what people do with them. */
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { at, faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let receiver: Receiver
let sound: number
let ailing: number
let resting: number

const hostile = `"><img src=x onerror=alert(1)>`

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  receiver = await startReceiver(({ path }) => (path === "/ailing" ? 500 : 200))
  const webhook = async (name: string, fields: Json = {}) => {
    return api.make("extras/webhooks", {
      ...{ name, content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/${name}` },
      ...fields
    })
  }
  sound = await webhook("sound", { description: hostile, secret: "an old secret" })
  ailing = await webhook("ailing", { retry_schedule: { kind: "list", delays: [0.1] } })
  resting = await webhook("resting", { paused: true })
  await api.call("POST", "/api/extras/tags/", ["red", "green", "blue"].map(named))
  await eventually("all are attempted", async () => {
    const { results } = (await api.call<{ results: ReadonlyArray<Json> }>("GET", "/api/extras/webhooks/health/")).json
    const of = (id: number) => results.find(({ webhook }) => webhook === id)
    return of(sound)?.["delivered"] === 3 && of(ailing)?.["failed"] === 3 && of(resting)?.["waiting"] === 3
  })
})

afterAll(async () => {
  if (hasBrowser) await receiver.close()
})

const list = "/extras/webhooks/"

describe.skipIf(!hasBrowser)("webhooks", () => {
  thorough("are listed with their state in words, their traffic and what waits", async () => {
    const { page } = await loggedIn()
    await page.goto(list)
    const rows = await page.locator("#objects tbody tr").allInnerTexts()
    const rowOf = (name: string) => rows.find((text) => text.includes(name))!
    expect(rowOf("sound")).toMatch(/healthy[\s\S]*3 attempts[\s\S]*100 %[\s\S]*200/)
    expect(rowOf("ailing")).toMatch(/healthy[\s\S]*6 attempts[\s\S]*0\.00 %[\s\S]*500/)
    expect(rowOf("resting")).toMatch(/paused[\s\S]*0 attempts[\s\S]*3/)
    expect(await page.locator("#webhook-numbers").innerText()).toMatch(/Need attention\s+1\s+none failing/)
    expect(await faultsOf(page)).toEqual([])
  })

  thorough("tell on their page how they are, what was sent, and how receivers answered", async () => {
    const { page } = await loggedIn()
    await page.goto(`${list}${ailing}/`)
    expect(await page.locator("#health").innerText()).toContain("Healthy, but 6 attempts of 6 in the last hour failed")
    expect(await page.locator("#answers").innerText()).toMatch(/500\s+failed\s+3/)
    expect(await page.locator("#latest tbody tr").count()).toBe(3)
    expect(await page.locator("#traffic svg").first().getAttribute("aria-label")).toContain("6 made, 6 not taken")
    // Beside the name of the page there is room for the name of the user.
    expect(await page.locator("[aria-labelledby=edited] th[scope=col]").allTextContents()).toEqual([
      ...["Time", "Action", "User"]
    ])
    expect(await faultsOfState(page)).toEqual([])
    await page.click("text=Configuration")
    await page.waitForURL(at(`${list}${ailing}/configuration/`))
    expect(await page.innerText("[aria-labelledby=attributes]")).toContain(`${receiver.url}/ailing`)
  })

  thorough("that are stored as failing are called so wherever their health stands", async () => {
    const turn = (health: string) =>
      api.database.sql.query("update extras_webhook set health = $1 where id = $2::bigint", [health, ailing])
    await turn("failing")
    const logged = `/api/extras/object-changes/?changed_object_id=${ailing}&changed_object_type=extras.webhook&action=update`
    await eventually("the turn is logged", async () => (await api.call<List>("GET", logged)).json.count === 1)
    const { page } = await loggedIn()
    await page.goto(list)
    await page.click("nav[aria-label=Views] >> text=Failing")
    await page.waitForURL("**?health=failing")
    expect(await page.locator("#objects tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^\s*ailing\s+failing\s/) as string
    ])
    expect(await page.locator("#webhook-numbers").innerText()).toMatch(/Need attention\s+1\s+1 failing/)
    await page.goto(`${list}${ailing}/`)
    expect(await page.locator("#health").innerText()).toMatch(
      /^Failing since [\d-]+ [\d:]+ UTC: 6 attempts.*\s+failing\s/
    )
    expect(await page.locator("[aria-labelledby=edited]").innerText()).not.toContain("Updated")
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`${list}${ailing}/configuration/`)
    expect(await page.innerText("[aria-labelledby=attributes]")).toMatch(/Health\s+Failing\s+Health since\s+\d/)
    await turn("healthy")
  })

  thorough("are paused from the list and resumed with the newest of each object, the rest discarded", async () => {
    const { page } = await loggedIn()
    await page.goto(list)
    await page.click(`[aria-label="Pause sound"]`)
    await page.waitForSelector(".flash")
    const [tag] = (await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/extras/tags/?name=red")).json
      .results
    await api.call("PATCH", `/api/extras/webhooks/${sound}/`, { type_update: true })
    for (const color of ["111111", "222222", "333333"])
      await api.call("PATCH", `/api/extras/tags/${tag!.id}/`, { color })
    await eventually("they wait", async () => {
      const path = `/api/extras/webhooks/${sound}/health/`
      const { sentence, waiting } = (await api.call<{ sentence: string; waiting: number }>("GET", path)).json
      return sentence.startsWith("Paused") && waiting === 3
    })
    await page.goto(list)
    await page.click(`[aria-label="Resume sound"]`)
    await page.waitForSelector("text=3 deliveries wait")
    expect(await faultsOfState(page)).toEqual([])
    await page.check("[value=latest]")
    await page.click("button:has-text('Resume')")
    await page.waitForSelector(".flash")
    const bodies = () => receiver.received.filter(({ path }) => path === "/sound").map(({ body }) => body.toString())
    await receiver.untilAll(() => bodies().some((body) => body.includes("333333")))
    expect(bodies().filter((body) => /111111|222222/.test(body.split('"snapshots"')[0]!))).toEqual([])
  })

  it("are tested with a real change, of which the delivery's page opens", async () => {
    const { page } = await loggedIn()
    await page.goto(`${list}${sound}/test/`)
    expect(await faultsOfState(page)).toEqual([])
    const before = receiver.received.length
    await page.click("button:has-text('Send')")
    await page.waitForURL("**/extras/deliveries/*/")
    await receiver.untilAll((all) => all.slice(before).some(({ path }) => path === "/sound"))
    await page.goto(`${list}${sound}/test/`)
    await page.fill("#change", "999999")
    await page.click("button:has-text('Send')")
    await page.waitForSelector("text=There is no change 999999 of its object types.")
    await page.goto(`${list}${resting}/test/`)
    await page.waitForSelector("text=The webhook is paused. Resume it first.")
  })

  it("are replayed after a dry run that sends nothing", async () => {
    const { page } = await loggedIn()
    await page.goto(`${list}${sound}/replay/`)
    await page.click("button:has-text('Replay')")
    await page.waitForSelector("[role=alert]")
    await page.fill("#since", "2026-01-01")
    expect(await faultsOf(page)).toEqual([])
    const before = receiver.received.length
    await page.click("button:has-text('Dry run')")
    await page.waitForURL("**/extras/replays/*/")
    expect(receiver.received.length).toBe(before)
  })

  it("get a new secret that is shown once, beside which the old one signs", async () => {
    const { page } = await loggedIn()
    await page.goto(`${list}${sound}/rotate/`)
    expect(await faultsOfState(page)).toEqual([])
    await page.click("button:has-text('Rotate')")
    const secret = await page.inputValue("#once-secret")
    expect(secret).toMatch(/^whsec_/)
    await page.reload()
    expect(await page.locator("#once-secret").count()).toBe(0)
    const before = receiver.received.length
    await api.call("POST", "/api/extras/tags/", named("signed"))
    await receiver.untilAll((all) => all.slice(before).some(({ path }) => path === "/sound"))
    const { headers } = receiver.received.slice(before).find(({ path }) => path === "/sound")!
    expect([headers["x-hook-signature"], headers["x-hook-signature-previous"]]).toEqual([
      expect.stringMatching(/^[0-9a-f]{128}$/),
      expect.stringMatching(/^[0-9a-f]{128}$/)
    ])
  })

  thorough("show beside their form what they would do with a real change, at each keystroke", async () => {
    await api.call("POST", "/api/extras/tags/", { name: hostile, slug: "hostile" })
    await eventually("the tag is in the change log", async () => {
      const path = "/api/extras/object-changes/?changed_object_type=extras.tag"
      return (await api.call<{ results: ReadonlyArray<Json> }>("GET", path)).text.includes("hostile")
    })
    const { page } = await loggedIn()
    await page.goto(`${list}${sound}/edit/`)
    await page.waitForSelector("#wb-fires:has-text('It fires')")
    expect(await page.locator("#workbench").innerText()).toContain("x-hook-delivery")
    await page.fill("[name=conditions]", `{"attr": "name", "value": "violet"}`)
    await page.waitForSelector("text=It does not fire")
    expect(await page.locator("#workbench .why").innerText()).toContain("violet")
    await page.click("button[name=_history]")
    await page.waitForSelector("text=It would have fired 0 times in the last 24 hours")
    await page.fill("[name=conditions]", "{")
    await page.waitForSelector("#workbench [role=alert]:has-text('Conditions')")
    await page.fill("[name=conditions]", "")
    await page.fill("[name=body_template]", `{"text": "{{ data.name }}"}`)
    await page.waitForSelector("#workbench pre:has-text('onerror')")
    await page.fill("[name=body_template]", "{{ data.name }}\n{% if %}")
    await page.waitForSelector("#workbench [role=alert]:has-text('Line 2')")
    await page.fill("[name=body_template]", "{{ data.name }}!")
    await page.click("summary:has-text('Paste an event')")
    await page.fill("[name=_event]", `{"event": "created"`)
    await page.waitForSelector("#workbench [role=alert]:has-text('An event is a JSON object')")
    await page.fill("[name=_event]", `{"event": "created", "model": "tag", "data": {"name": "pasted"}}`)
    await page.waitForSelector("#workbench pre:has-text('pasted!')")
    await page.fill("[name=_event]", "")
    await page.waitForSelector("#workbench pre:has-text('onerror')")
    expect(await faultsOfState(page)).toEqual([])
  })

  it("offer their readers nothing to do, and refuse it", async () => {
    await makeUser(api, "reader", { types: ["extras.webhook"], actions: ["view"] })
    const { page } = await loggedInAs("reader")
    await page.goto(list)
    expect(await page.locator("[aria-label^=Pause]").count()).toBe(0)
    await page.goto(`${list}${sound}/`)
    expect(await page.locator(".ph-act a").allInnerTexts()).toEqual(["API"])
    for (const step of ["pause", "resume", "test", "replay", "rotate"]) {
      const reply = await page.request.post(`${list}${sound}/${step}/`, { form: { keep: "all" } })
      expect([step, reply.status()]).toEqual([step, 403])
    }
  })
})
