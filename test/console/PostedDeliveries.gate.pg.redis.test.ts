/** Pages of deliveries, queues and webhooks answer the forms that a reader sends, without a browser. */
import { beforeAll, describe, expect, it } from "vitest"
import { startDelivering } from "../deliver/Delivering.ts"
import { eventually } from "../support/Eventually.ts"
import { request } from "./Posting.ts"

const hooks = startDelivering()

let token: string
beforeAll(async () => {
  token = await hooks.api.newToken()
})

const visit = (path: string, form?: Readonly<Record<string, string>>) =>
  request(hooks.api, token, path, form && Object.entries(form))

const list = "/extras/deliveries/"

const webhookOf = async (id: number) =>
  (await hooks.api.call<{ readonly paused: boolean }>("GET", `/api/extras/webhooks/${id}/`)).json

const waiting = (id: number) =>
  hooks.api.call<{ readonly results: ReadonlyArray<{ readonly delivery_id: string }> }>(
    "GET",
    `/api${list}waiting/?webhook_id=${id}`
  )

describe("a delivery that succeeded", () => {
  let webhook: number
  let path: string
  beforeAll(async () => {
    webhook = await hooks.webhook("fine", { secret: "a secret" })
    await hooks.tag("fine one")
    path = `${list}${(await hooks.delivery(webhook, "successful")).id}/`
  })

  it("is sent again after a question alone", async () => {
    expect((await visit(`${path}retry/`)).page).toContain("Send it again")
    expect((await visit(`${path}retry/`, {})).status).toBe(409)
    expect(hooks.at("fine")).toHaveLength(1)
    const { status, location } = await visit(`${path}retry/`, { again: "1", attempts: "1" })
    expect([status, location?.split("?")[0]]).toEqual([302, path])
    await hooks.arrived("fine", 2)
    await eventually("both are logged", async () => (await hooks.delivery(webhook, "successful")).attempts === 2)
  })

  it("is not discarded", async () => {
    expect((await visit(`${path}discard/`)).status).toBe(409)
    expect((await visit(`${path}discard/`, {})).status).toBe(409)
  })

  it("shows its exchange as it was on the wire, and as a command", async () => {
    expect((await visit(`${path}?attempt=1&view=raw`)).page).toContain("POST /fine HTTP/1.1")
    expect((await visit(`${path}?attempt=1&view=curl`)).page).toContain("curl")
    expect((await visit(`${path}?attempt=1&view=verify`)).page).toMatch(/signature \w+ with the current secret/)
    const body = await visit(`${path}body/?attempt=1`)
    expect([body.status, JSON.parse(body.page)]).toMatchObject([200, { event: "created" }])
    expect((await visit(`${path}body/?attempt=99`)).status).toBe(404)
  })

  it("shows whether the webhook would send the same body now", async () => {
    expect((await visit(`${path}?view=now`)).page).toContain("byte for byte")
    const change = (fields: object) => hooks.api.call("PATCH", `/api/extras/webhooks/${webhook}/`, fields)
    await change({ body_template: `{"name": "{{ data.name }}"}`, http_content_type: "application/json" })
    expect((await visit(`${path}?view=now`)).page).toContain("Body that would be sent now")
    await change({ body_template: "{{ data.nope.nope }}" })
    expect((await visit(`${path}?view=now`)).page).toContain("Now there would be no body.")
  })

  it("pauses its webhook, and probes none that has no open breaker", async () => {
    expect((await visit(`${path}probe-webhook/`, {})).deed).toContain("unprobed")
    expect((await visit(`${path}pause-webhook/`, {})).deed).toContain("paused")
    expect((await webhookOf(webhook)).paused).toBe(true)
  })
})

describe("the page of background tasks", () => {
  const tasks = "/system/background-tasks/"
  let failing: number
  beforeAll(async () => {
    hooks.answers.set("/failing", 500)
    failing = await hooks.webhook("failing", { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } })
    await hooks.tag("failing one")
    await hooks.delivery(failing, "retrying")
  })

  it("lists the deliveries that wait for another attempt, by their cause", async () => {
    const { page } = await visit(`${tasks}?state=scheduled`)
    expect([page.includes("failing"), page.includes(`href="${list}`)]).toEqual([true, true])
  })

  it("says that nothing is queued or being sent", async () => {
    const shows = async (state: string, text: string) => (await visit(`${tasks}?state=${state}`)).page.includes(text)
    expect(await eventually("none is queued", () => shows("queued", "Nothing is queued."))).toBe(true)
    expect(await eventually("none is being sent", () => shows("running", "Nothing is being sent."))).toBe(true)
  })

  it("pauses a queue, in which deliveries wait then, and resumes it", async () => {
    const webhook = await hooks.webhook("queue")
    const queue = `${tasks}queues/${webhook}/`
    expect((await visit(`${queue}pause/`, {})).deed).toContain("queue-paused")
    await hooks.tag("queue one")
    await eventually("it waits", async () => (await waiting(webhook)).json.results.length === 1)
    expect(hooks.at("queue")).toHaveLength(0)
    expect((await visit(`${queue}probe/`, {})).deed).toContain("queue-not-probed")
    expect((await visit(`${queue}resume/`, {})).deed).toContain("queue-resumed")
    await hooks.arrived("queue", 1)
    await eventually("it is resumed", async () => !(await webhookOf(webhook)).paused)
    expect((await visit(`${queue}resume/`, {})).deed).toContain("queue-not-paused")
  })

  it("stops a process from starting anything new, and resumes it", async () => {
    expect((await visit(`${tasks}processes/none/quiet/`, {})).status).toBe(404)
    const [, name] = /processes\/([^/"]+)\/quiet\//.exec((await visit(tasks)).page) ?? []
    expect((await visit(`${tasks}processes/${name}/quiet/`, {})).deed).toContain("process-quiet")
    expect((await visit(`${tasks}processes/${name}/resume/`, {})).deed).toContain("process-works")
  })

  it("retries a delivery that is due later, and discards it", async () => {
    const { id } = await hooks.delivery(failing, "retrying")
    expect((await visit(`${list}${id}/retry/`)).location).toBe(`${list}${id}/`)
    expect((await visit(`${list}${id}/retry/`, {})).deed).toContain("advanced")
    await hooks.arrived("failing", 2)
    expect((await visit(`${list}${id}/discard/`)).page).toContain("The receiver will not get this delivery")
    expect((await visit(`${list}${id}/discard/`, {})).deed).toContain("discarded")
    await hooks.delivery(failing, "discarded")
  })
})

describe("deliveries that wait without an attempt", () => {
  it("are listed with their objects, and discarded by their boxes", async () => {
    const webhook = await hooks.webhook("boxes", { paused: true })
    await hooks.tag("boxes one")
    const [found] = await eventually("one waits", async () => {
      const { results } = (await waiting(webhook)).json
      return results.length === 1 && results
    })
    const path = `${list}waiting/?webhook_id=${webhook}`
    expect((await visit(path)).page).toContain("boxes one")
    expect((await visit(`${list}waiting/?webhook_id=none`)).status).toBe(400)
    expect((await visit(path, { action: "discard", id: found!.delivery_id })).status).toBe(302)
    await eventually("none waits", async () => (await waiting(webhook)).json.results.length === 0)
  })
})

describe("a paused webhook", () => {
  it("is resumed with a choice of what is kept", async () => {
    const webhook = await hooks.webhook("resumed", { paused: true })
    const path = `/extras/webhooks/${webhook}/resume/`
    expect((await visit(path)).page).toContain('name="keep"')
    expect((await visit(path, { keep: "some" })).page).toContain("Choose one of the three.")
    expect((await visit(path, { keep: "none" })).status).toBe(302)
    await eventually("it is resumed", async () => !(await webhookOf(webhook)).paused)
    expect((await visit(path)).page).toContain("The webhook is not paused.")
    expect((await visit(path, { keep: "all" })).page).toContain("The webhook is not paused.")
  })

  it("lists the changes for which it was not called", async () => {
    const webhook = await hooks.webhook("skipping")
    await hooks.tag("no match")
    await hooks.tag("skipping one")
    await hooks.arrived("skipping", 1)
    expect((await visit(`/extras/webhooks/${webhook}/skipped/`)).page).toContain("no match")
  })
})

describe("the page of an object", () => {
  it("lists its deliveries", async () => {
    await hooks.webhook("object")
    const { json } = await hooks.tag("object one")
    await hooks.arrived("object", 1)
    const page = await eventually("it is logged", async () => {
      const { page } = await visit(`/extras/tags/${json.id}/deliveries/`)
      return page.includes("created") && page
    })
    expect(page).toContain("object")
  })
})
