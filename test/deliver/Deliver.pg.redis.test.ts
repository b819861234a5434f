/** Deliveries through their lives, with a whole service and real receivers. */
import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, type Json, named, startApi } from "../support/Api.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver
/** Status by path; 200 for others. */
const answers = new Map<string, number>()

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => answers.get(path) ?? 200)
  api = await startApi()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** Makes a webhook for tags whose name begins with `name`, posting to `/name`. */
const webhook = async (name: string, fields: Json = {}): Promise<number> => {
  const made = await api.call<{ id: number }>("POST", "/api/extras/webhooks/", {
    name,
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: `${receiver.url}/${name}`,
    conditions: { and: [{ attr: "name", op: "regex", value: `${name} ` }] },
    ...fields
  })
  expect(made.status).toBe(201)
  return made.json.id
}

const tag = (name: string) => api.call<{ id: number }>("POST", "/api/extras/tags/", named(name))

const at = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`)

const arrived = (name: string, count: number) => receiver.untilAll(() => at(name).length >= count)

/** A receiver that takes connections and never says a word. */
const startSilence = () =>
  new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      resolve({ url: `http://127.0.0.1:${port}/`, close: () => server.close() })
    })
  })

interface Delivery {
  readonly id: number
  readonly delivery_id: string
  readonly status: { readonly value: string }
  readonly attempts: number
  readonly reason: string
  readonly message: string
  readonly next_attempt: string | null
  readonly attempt_log: ReadonlyArray<Json>
}

/** The webhook's only delivery, once it has this status. */
const delivery = async (id: number, status: string): Promise<Delivery> => {
  for (let turn = 0; turn < 300; turn++) {
    const list = await api.call<{ results: ReadonlyArray<Delivery> }>("GET", `/api/extras/deliveries/?webhook_id=${id}`)
    const found = list.json.results.find((each) => each.status.value === status)
    if (found !== undefined) return (await api.call<Delivery>("GET", `/api/extras/deliveries/${found.id}/`)).json
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  return expect.fail(`no delivery of webhook ${id} became ${status}`)
}

describe("a delivery", () => {
  it("is logged with its attempts", async () => {
    const id = await webhook("logged")
    const made = await tag("logged one")
    const done = await delivery(id, "successful")
    expect(done).toMatchObject({
      attempts: 1,
      reason: "",
      object_type: "extras.tag",
      object_id: made.json.id,
      next_attempt: null
    })
    expect(done.attempt_log).toMatchObject([
      { number: 1, response_status: 200, response_body: "ok", url: `${receiver.url}/logged` }
    ])
    expect(at("logged")[0]!.headers["x-hook-delivery"]).toBe(done.delivery_id)
    expect(at("logged")[0]!.headers["user-agent"]).toMatch(/^rackwire\//)
  })

  it("is given up at 410 at once, with its webhook, and at the end of its schedule", async () => {
    answers.set("/gone", 410)
    const gone = await webhook("gone", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 5 } })
    await tag("gone one")
    expect(await delivery(gone, "failed")).toMatchObject({ attempts: 1, reason: "Gone" })
    const disabled = await api.call<Json>("GET", `/api/extras/webhooks/${gone}/`)
    expect(disabled.json).toMatchObject({
      enabled: false,
      disabled_note: expect.stringMatching(/^Disabled at .*Z: its receiver answered 410/) as string
    })
    await tag("gone two")
    answers.set("/ended", 503)
    const ended = await webhook("ended", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 3 } })
    await tag("ended one")
    expect(await delivery(ended, "failed")).toMatchObject({ attempts: 3, reason: "Status" })
    expect(at("ended").map(({ headers }) => headers["x-hook-attempt"])).toEqual(["1", "2", "3"])
    expect(at("gone")).toHaveLength(1)
  })

  it("is given up when its schedule's time is over", async () => {
    answers.set("/late", 500)
    const id = await webhook("late", { retry_schedule: { kind: "fixed", delay: 0.1, attempts: 100, total: 0.35 } })
    await tag("late one")
    const { attempts } = await delivery(id, "failed")
    expect(attempts).toBeGreaterThan(1)
    expect(attempts).toBeLessThanOrEqual(4)
  })

  it("that is retried by hand is the same to the letter, and begins its schedule anew", async () => {
    answers.set("/byhand", 500)
    const id = await webhook("byhand", { retry_schedule: { kind: "list", delays: [0.05] }, secret: "s" })
    await tag("byhand one")
    const failed = await delivery(id, "failed")
    expect((await api.call<Delivery>("POST", `/api/extras/deliveries/${failed.id}/retry/`)).json.status.value).toBe(
      "queued"
    )
    await arrived("byhand", 4)
    expect((await delivery(id, "failed")).attempts).toBe(4)
    answers.delete("/byhand")
    await api.call("POST", `/api/extras/deliveries/${failed.id}/retry/`)
    expect((await delivery(id, "successful")).attempts).toBe(5)
    const [first, ...others] = at("byhand")
    for (const other of others) {
      expect(other.body.equals(first!.body)).toBe(true)
      expect(other.headers["x-hook-delivery"]).toBe(first!.headers["x-hook-delivery"])
    }
  })

  it("follows the webhook as it is at each attempt, not as it was", async () => {
    answers.set("/moving", 500)
    const id = await webhook("moving", { retry_schedule: { kind: "fixed", delay: 0.3, attempts: 20 } })
    await tag("moving one")
    await arrived("moving", 1)
    await api.call("PATCH", `/api/extras/webhooks/${id}/`, { payload_url: `${receiver.url}/moved`, http_method: "PUT" })
    await arrived("moved", 1)
    expect(at("moved")[0]!.method).toBe("PUT")
    expect((await delivery(id, "successful")).attempts).toBe(at("moving").length + 1)
  })

  it("waits while its webhook is disabled, and goes out when it is enabled again", async () => {
    answers.set("/paused", 500)
    const id = await webhook("paused", { retry_schedule: { kind: "fixed", delay: 0.3, attempts: 50 } })
    await tag("paused one")
    await delivery(id, "retrying")
    await api.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled: false })
    const before = at("paused").length
    answers.delete("/paused")
    // Other deliveries pass meanwhile; this is how long it takes for something to have been sent.
    await webhook("meanwhile", { retry_schedule: { kind: "fixed", delay: 0.5, attempts: 2 } })
    answers.set("/meanwhile", 500)
    await tag("meanwhile one")
    await arrived("meanwhile", 2)
    expect(at("paused").length - before).toBeLessThanOrEqual(1)
    await api.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled: true })
    expect((await delivery(id, "successful")).attempts).toBeGreaterThan(1)
  })

  it("has a reason when nobody listens, nobody answers, or its own templates fail", async () => {
    const once = { retry_schedule: { kind: "list", delays: [] } }
    const refused = await webhook("refused", { ...once, payload_url: "http://127.0.0.1:1/" })
    const template = 'http://169.254.169.{{ "254" if data.name else "1" }}/'
    const blocked = await webhook("blocked", { ...once, payload_url: template })
    const silent = await startSilence()
    const timeout = await webhook("timeout", { ...once, timeout: 1, payload_url: silent.url })
    const render = await webhook("render", { ...once, additional_headers: "X-Name: {{ data.name }}\n{{ data.slug }}" })
    for (const name of ["refused one", "timeout one", "render one", "blocked one"]) await tag(name)
    expect((await delivery(refused, "failed")).reason).toBe("Refused")
    expect(await delivery(blocked, "failed")).toMatchObject({ reason: "Blocked" })
    expect(await delivery(render, "failed")).toMatchObject({ reason: "Render" })
    expect(at("render")).toEqual([])
    const timedOut = await delivery(timeout, "failed")
    expect(timedOut.reason).toBe("Timeout")
    expect(Number(timedOut.attempt_log[0]!["duration_ms"])).toBeLessThan(1500)
    silent.close()
  })

  it("to a refused address is refused with its webhook already", async () => {
    const body = { name: "metadata", content_types: ["extras.tag"], type_create: true }
    const made = await api.call("POST", "/api/extras/webhooks/", { ...body, payload_url: "http://169.254.169.254/" })
    expect(made.status).toBe(400)
    expect(made.json["payload_url"]).toEqual([expect.stringContaining("metadata service") as string])
  })

  it("of a slow receiver does not hold up those of others", async () => {
    const hanging = await startSilence()
    await webhook("slow", { payload_url: hanging.url, conditions: null, max_in_flight: 2, timeout: 60 })
    await webhook("quick")
    for (let n = 0; n < 20; n++) await tag(`quick ${n}`)
    await arrived("quick", 20)
    const times = at("quick").map(({ at: received, body }: Received) => received - commitTime(body))
    expect(Math.max(...times)).toBeLessThan(2000)
    hanging.close()
  })
})

const commitTime = (body: Buffer): number =>
  Date.parse((JSON.parse(body.toString()) as { readonly timestamp: string }).timestamp)
