/** Deliveries through their lives, with a whole service and real receivers. */
import { createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { pack } from "../../src/queue/Entry.ts"
import { group, keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { everyAttempt } from "../../src/inventory/AttemptLog.ts"
import type { Json } from "../support/Client.ts"
import { type Delivery, startDelivering } from "./Delivering.ts"
import { openRedis } from "../support/Redis.ts"

const hooks = startDelivering()

/** The timeout of a request that hangs, seconds: longer than any wait of a test, so others do not get its place meanwhile. */
const hungSeconds = 600

/** A receiver that accepts connections and never answers; `open` returns how many are open. */
const startSilence = () =>
  new Promise<{ readonly url: string; readonly open: () => number; readonly close: () => void }>((resolve) => {
    let open = 0
    const server = createServer((socket) => {
      open += 1
      socket.on("close", () => (open -= 1)).on("error", () => {})
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      resolve({ url: `http://127.0.0.1:${port}/`, open: () => open, close: () => server.close() })
    })
  })

describe("a delivery", () => {
  it("is logged with its attempts", async () => {
    const id = await hooks.webhook("logged")
    const made = await hooks.tag("logged one")
    const done = await hooks.delivery(id, "successful")
    expect(done).toMatchObject({
      attempts: 1,
      reason: "",
      object_type: "extras.tag",
      object_id: made.json.id,
      next_attempt: null
    })
    expect(done.attempt_log).toMatchObject([
      { number: 1, response_status: 200, response_body: "ok", url: `${hooks.receiver.url}/logged` }
    ])
    expect(hooks.at("logged")[0]!.headers["x-hook-delivery"]).toBe(done.delivery_id)
    expect(hooks.at("logged")[0]!.headers["user-agent"]).toMatch(/^rackwire\//)
  })

  it("is logged with the headers of both sides, without the secrets in them", async () => {
    const id = await hooks.webhook("open", {
      additional_headers: "X-Site: {{ data.name }}\nAuthorization: Bearer {{ data.slug }}\nX-Api-Key: hidden"
    })
    await hooks.tag("open one")
    const { attempt_log: attempts } = await hooks.delivery(id, "successful")
    const { request_headers: asked, response_headers: answered } = attempts[0]!
    expect(hooks.at("open")[0]!.headers).toMatchObject({ authorization: "Bearer open-one", "x-api-key": "hidden" })
    expect(asked).toEqual(
      expect.arrayContaining([
        { name: "content-type", value: "application/json" },
        { name: "x-site", value: "open one" },
        { name: "authorization", value: "***" },
        { name: "x-api-key", value: "***" },
        { name: "x-hook-attempt", value: "1" }
      ])
    )
    expect(answered).toEqual(expect.arrayContaining([{ name: "content-length", value: "2" }]))
    const stored = await hooks.api.database.sql.query(`select a::text from ${everyAttempt} a where a.url like '%/open'`)
    expect(JSON.stringify(stored)).not.toMatch(/open-one\b|hidden/)
  })

  it("fails at once at 410, which disables its webhook, and else at the end of its schedule", async () => {
    hooks.answers.set("/gone", 410)
    const gone = await hooks.webhook("gone", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 5 } })
    await hooks.tag("gone one")
    expect(await hooks.delivery(gone, "failed")).toMatchObject({ attempts: 1, reason: "Gone" })
    const disabled = await hooks.api.call<Json>("GET", `/api/extras/webhooks/${gone}/`)
    const note = expect.stringMatching(/^Disabled at .*Z: its receiver answered 410/) as string
    expect(disabled.json).toMatchObject({ enabled: false, disabled_note: note })
    await hooks.tag("gone two")
    hooks.answers.set("/ended", 503)
    const ended = await hooks.webhook("ended", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 3 } })
    await hooks.tag("ended one")
    expect(await hooks.delivery(ended, "failed")).toMatchObject({ attempts: 3, reason: "Status" })
    expect(hooks.at("ended").map(({ headers }) => headers["x-hook-attempt"])).toEqual(["1", "2", "3"])
    expect(hooks.at("gone")).toHaveLength(1)
    const { json: again } = await hooks.api.call("PATCH", `/api/extras/webhooks/${gone}/`, { enabled: true })
    expect(again).toMatchObject({ enabled: true, disabled_note: "", health: "healthy" })
  })

  it("that another process has ended keeps its outcome", async () => {
    hooks.answers.set("/overtaken", 503)
    const id = await hooks.webhook("overtaken", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 50 } })
    await hooks.tag("overtaken one")
    await hooks.arrived("overtaken", 2)
    await hooks.api.database.sql.query("update extras_delivery set status = 'successful' where webhook_id = $1::int", [
      id
    ])
    await hooks.arrived("overtaken", hooks.at("overtaken").length + 3)
    expect((await hooks.delivery(id, "successful")).status.value).toBe("successful")
  })

  it("whose process died after it had logged the attempt is not attempted again", async () => {
    const id = await hooks.webhook("survived")
    await hooks.tag("survived one")
    const { delivery_id: delivery } = await hooks.delivery(id, "successful")
    const redis = await openRedis(hooks.api.database)
    try {
      const { queue, again } = keysOf(id)
      const [row] = await hooks.api.database.sql.query<{ readonly time: string }>(
        "select time::text as time from extras_delivery where delivery_id = $1",
        [delivery]
      )
      const entry = pack({
        ...{ id: delivery, webhook: id, position: "1", idx: 0 },
        ...{ event: "created", objectType: "extras.tag", objectId: 1 },
        ...{ requestId: "", time: row!.time, attempts: 0, spent: 0, firstAttempt: 0, body: "{}" }
      })
      const entryId = (await redis.xadd(again, "*", "d", entry))!
      await redis.xreadgroup("GROUP", group, "dead", "STREAMS", again, queue, ">", ">")
      await redis.xclaim(again, group, "dead", 0, entryId, "IDLE", 60_000)
      await redis.zadd(sweepKeys.marks, 0, `${id}`)
      await expect.poll(() => redis.xlen(again)).toBe(0)
      expect(hooks.at("survived")).toHaveLength(1)
    } finally {
      redis.disconnect()
    }
  })

  it("fails when the time of its schedule is over", async () => {
    hooks.answers.set("/late", 500)
    const id = await hooks.webhook("late", {
      retry_schedule: { kind: "fixed", delay: 0.1, attempts: 100, total: 0.35 }
    })
    await hooks.tag("late one")
    const { attempts, attempt_log: logged } = await hooks.delivery(id, "failed")
    expect(attempts).toBeLessThanOrEqual(4)
    // Only after the last attempt does another delay exceed the total; the log rounds both of its times.
    const started = logged.map((each) => Date.parse(String(each["started"])))
    const ends = logged.map((each, at) => started[at]! + Number(each["duration_ms"]) - started[0]!)
    expect(ends.at(-1)! + 100).toBeGreaterThan(350 - 2)
    for (const end of ends.slice(0, -1)) expect(end + 100).toBeLessThan(350 + 2)
  })

  it("that is retried by hand is the same byte for byte, with a new schedule", async () => {
    hooks.answers.set("/byhand", 500)
    const id = await hooks.webhook("byhand", { retry_schedule: { kind: "list", delays: [0.05] }, secret: "s" })
    await hooks.tag("byhand one")
    const failed = await hooks.delivery(id, "failed")
    const asked = await hooks.api.call<Delivery>("POST", `/api/extras/deliveries/${failed.id}/retry/`)
    expect([asked.status, asked.json.id]).toEqual([200, failed.id])
    await hooks.arrived("byhand", 4)
    expect((await hooks.delivery(id, "failed")).attempts).toBe(4)
    hooks.answers.delete("/byhand")
    await hooks.api.call("POST", `/api/extras/deliveries/${failed.id}/retry/`)
    expect((await hooks.delivery(id, "successful")).attempts).toBe(5)
    const [first, ...others] = hooks.at("byhand")
    for (const other of others) {
      expect(other.body.equals(first!.body)).toBe(true)
      expect(other.headers["x-hook-delivery"]).toBe(first!.headers["x-hook-delivery"])
    }
  })

  it("follows the webhook as it is at each attempt, not as it was", async () => {
    hooks.answers.set("/moving", 500)
    const id = await hooks.webhook("moving", { retry_schedule: { kind: "fixed", delay: 0.3, attempts: 20 } })
    await hooks.tag("moving one")
    await hooks.arrived("moving", 1)
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, {
      payload_url: `${hooks.receiver.url}/moved`,
      http_method: "PUT"
    })
    await hooks.arrived("moved", 1)
    expect(hooks.at("moved")[0]!.method).toBe("PUT")
    expect((await hooks.delivery(id, "successful")).attempts).toBe(hooks.at("moving").length + 1)
  })

  it("is rendered by its webhook's engine, and saved only with templates that this engine reads", async () => {
    const liquid = "{{ data.name | upcase }} {% unless event == 'deleted' %}is here{% endunless %}"
    const id = await hooks.webhook("liquid", {
      template_engine: "liquid",
      body_template: liquid,
      additional_headers: "X-Slug: {{ data.slug | prepend: '#' }}"
    })
    await hooks.tag("liquid one")
    await hooks.arrived("liquid", 1)
    expect(hooks.at("liquid")[0]!.body.toString()).toBe("LIQUID ONE is here")
    expect(hooks.at("liquid")[0]!.headers["x-slug"]).toBe("#liquid-one")
    const patch = (fields: Json) => hooks.api.call<Json>("PATCH", `/api/extras/webhooks/${id}/`, fields)
    const refused = await patch({ template_engine: "jinja" })
    expect([refused.status, Object.keys(refused.json).toSorted()]).toEqual([
      400,
      ["additional_headers", "body_template"]
    ])
    expect(String(refused.json["body_template"])).toMatch(/^Line 1: /)
    expect((await patch({ template_engine: "nosuch", body_template: "" })).json["template_engine"]).toEqual([
      "There is no such template engine: jinja, liquid, nunjucks."
    ])
    expect((await patch({ enabled: false })).status).toBe(200)
  })

  it("is rendered by Nunjucks where its webhook says so: URL, headers and body", async () => {
    const id = await hooks.webhook("nunjucks", {
      template_engine: "nunjucks",
      payload_url: `${hooks.receiver.url}/{{ "nunjucks" if data.slug else "nowhere" }}`,
      body_template:
        "{% for c in data.name.split(' ') %}{{ loop.index }}{{ c | upper }}{{ ' ' if not loop.last }}{% endfor %}",
      additional_headers: "X-Slug: {{ data.slug | prepend('#') }}"
    })
    await hooks.tag("nunjucks one")
    await hooks.arrived("nunjucks", 1)
    expect(hooks.at("nunjucks")[0]!.body.toString()).toBe("1NUNJUCKS 2ONE")
    expect(hooks.at("nunjucks")[0]!.headers["x-slug"]).toBe("#nunjucks-one")
    const refused = await hooks.api.call<Json>("PATCH", `/api/extras/webhooks/${id}/`, {
      body_template: "{% extends 'x' %}"
    })
    expect([refused.status, refused.json["body_template"]]).toEqual([
      400,
      ["Line 1: {% extends %} is refused: a template cannot load another one"]
    ])
  })

  it("waits while its webhook is disabled, and goes out when it is enabled again", async () => {
    hooks.answers.set("/paused", 500)
    const id = await hooks.webhook("paused", { retry_schedule: { kind: "fixed", delay: 0.3, attempts: 50 } })
    await hooks.tag("paused one")
    await hooks.delivery(id, "retrying")
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled: false })
    const before = hooks.at("paused").length
    hooks.answers.delete("/paused")
    // Other deliveries pass meanwhile; this is how long it takes for something to have been sent.
    await hooks.webhook("meanwhile", { retry_schedule: { kind: "fixed", delay: 0.5, attempts: 2 } })
    hooks.answers.set("/meanwhile", 500)
    await hooks.tag("meanwhile one")
    await hooks.arrived("meanwhile", 2)
    expect(hooks.at("paused").length - before).toBeLessThanOrEqual(1)
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled: true })
    expect((await hooks.delivery(id, "successful")).attempts).toBeGreaterThan(1)
  })

  it("has a reason when no receiver listens or answers, or its templates fail", async () => {
    const once = { retry_schedule: { kind: "list", delays: [] } }
    const refused = await hooks.webhook("refused", { ...once, payload_url: "http://127.0.0.1:1/" })
    const template = 'http://169.254.169.{{ "254" if data.name else "1" }}/'
    const blocked = await hooks.webhook("blocked", { ...once, payload_url: template })
    const silent = await startSilence()
    const timeout = await hooks.webhook("timeout", { ...once, timeout: 1, payload_url: silent.url })
    const render = await hooks.webhook("render", {
      ...once,
      additional_headers: "X-Name: {{ data.name }}\n{{ data.slug }}"
    })
    for (const name of ["refused one", "timeout one", "render one", "blocked one"]) await hooks.tag(name)
    expect((await hooks.delivery(refused, "failed")).reason).toBe("Refused")
    expect(await hooks.delivery(blocked, "failed")).toMatchObject({ reason: "Blocked" })
    expect(await hooks.delivery(render, "failed")).toMatchObject({ reason: "Render" })
    expect(hooks.at("render")).toEqual([])
    const timedOut = await hooks.delivery(timeout, "failed")
    expect(timedOut).toMatchObject({ reason: "Timeout", message: "No complete answer within 1000 ms." })
    silent.close()
  })

  it("to a refused address is refused when its webhook is saved", async () => {
    const body = { name: "metadata", content_types: ["extras.tag"], type_create: true }
    const made = await hooks.api.call("POST", "/api/extras/webhooks/", {
      ...body,
      payload_url: "http://169.254.169.254/"
    })
    expect(made.status).toBe(400)
    expect(made.json["payload_url"]).toEqual([expect.stringContaining("metadata service") as string])
  })

  it("of a slow receiver does not hold up those of others", async () => {
    const hanging = await startSilence()
    await hooks.webhook("slow", { payload_url: hanging.url, conditions: null, max_in_flight: 2, timeout: hungSeconds })
    await hooks.webhook("quick")
    for (const name of ["slow one", "slow two"]) await hooks.tag(name)
    await expect.poll(hanging.open).toBe(2)
    for (let n = 0; n < 20; n++) await hooks.tag(`quick ${n}`)
    await hooks.arrived("quick", 20)
    // The requests to the slow one are still the first ones.
    expect(hanging.open()).toBe(2)
    hanging.close()
  })

  it("whose request hangs keeps its own place only", async () => {
    let release: (status: number) => void = () => {}
    const hung = new Promise<number>((resolve) => (release = resolve))
    let requests = 0
    hooks.answers.set("/partly", () => (++requests <= 5 ? hung : 200))
    const id = await hooks.webhook("partly", { max_in_flight: 8, timeout: hungSeconds })
    const tags = Array.from({ length: 60 }, (_, n) => ({ name: `partly ${n}`, slug: `partly-${n}` }))
    await hooks.api.call("POST", "/api/extras/tags/", tags)
    await hooks.receiver.untilAll(() => hooks.at("partly").length === 60)
    expect(await hooks.deliveries(id, "successful", 55)).toHaveLength(55)
    release(200)
    expect(await hooks.deliveries(id, "successful", 60)).toHaveLength(60)
  })
})
