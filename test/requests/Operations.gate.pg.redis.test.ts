/** Actions of an operator on deliveries: retry, discard, pause, resume, test, and a look at what fails. */
import { describe, expect, it, onTestFinished } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startReceiver } from "../support/Receiver.ts"
import { type Delivery, startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

const post = (path: string, body: unknown = {}) => hooks.api.call<Json & { id: number }>("POST", path, body)

interface Operation {
  readonly status: { readonly value: string }
  readonly total: number
  readonly done: number
}

/** The operation, once it has ended. */
const ended = (id: number): Promise<Operation> =>
  eventually(`operation ${id} has ended`, async () => {
    const { json } = await hooks.api.call<Operation>("GET", `/api/extras/operations/${id}/`)
    return ["done", "failed"].includes(json.status.value) && json
  })

const never = { retry_schedule: { kind: "list", delays: [] } }
const muchLater = { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } }

const tags = (name: string, count: number) =>
  hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}` }))
  )

const bodyOf = (name: string, at: number) =>
  JSON.parse(hooks.at(name)[at]!.body.toString()) as {
    readonly data: { readonly name: string; readonly color: string }
  }

describe("deliveries by a filter", () => {
  it("are counted first, then retried: those that the filter selects and no others", async () => {
    hooks.answers.set("/many", 500)
    const id = await hooks.webhook("many", never)
    await tags("many", 7)
    await hooks.deliveries(id, "failed", 7)
    const filter = { webhook_id: id, status: "failed" }
    const counted = await post("/api/extras/deliveries/retry/", { filter, dry_run: true })
    expect(counted.status).toBe(202)
    expect(counted.json).toMatchObject({ total: 7, done: 0, dry_run: true, status: { value: "done" } })
    hooks.answers.delete("/many")
    const asked = await post("/api/extras/deliveries/retry/", { filter })
    expect(await ended(asked.json.id)).toMatchObject({ total: 7, done: 7, status: { value: "done" } })
    const done = await hooks.deliveries(id, "successful", 7)
    expect(done.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2, 2, 2])
    expect(hooks.at("many")).toHaveLength(14)
  })

  it("are discarded, also while they wait for their next attempt, and not attempted any more", async () => {
    hooks.answers.set("/drop", 500)
    const id = await hooks.webhook("drop", { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } })
    await tags("drop", 3)
    const waiting = async () =>
      (await hooks.api.call<{ readonly count: number }>("GET", `/api/extras/deliveries/waiting/?webhook_id=${id}`)).json
        .count
    const [first] = await hooks.deliveries(id, "retrying", 3)
    expect(await waiting()).toBe(3)
    const one = await post(`/api/extras/deliveries/${first!.id}/discard/`)
    expect(one.json["status"]).toEqual({ value: "discarded", label: "Discarded" })
    const asked = await post("/api/extras/deliveries/discard/", { filter: { webhook_id: [id], status: ["retrying"] } })
    expect(await ended(asked.json.id)).toMatchObject({ total: 2, done: 2 })
    // Nothing of them is left in Redis, from where an attempt could begin.
    await eventually("none waits", async () => (await waiting()) === 0)
    expect(hooks.at("drop")).toHaveLength(3)
    expect(await hooks.deliveries(id, "discarded", 3)).toHaveLength(3)
  })

  it("that are discarded while they are attempted end there, whatever the schedule says", async () => {
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const slow = await startReceiver(({ headers }) => (headers["x-hook-attempt"] === "1" ? 500 : gate.then(() => 500)))
    onTestFinished(() => slow.close())
    const schedule = { kind: "fixed", delay: 0.05, attempts: 50 }
    const id = await hooks.webhook("racing", { payload_url: slow.url, retry_schedule: schedule })
    await hooks.tag("racing one")
    await slow.untilAll((received) => received.length === 2)
    const [delivery] = await hooks.deliveries(id, "retrying", 1)
    await post(`/api/extras/deliveries/${delivery!.id}/discard/`)
    open()
    await eventually("the second attempt is in the log", async () => {
      const { json } = await hooks.api.call<Delivery>("GET", `/api/extras/deliveries/${delivery!.id}/`)
      return json.attempts === 2
    })
    // A third attempt would arrive before this later delivery.
    const after = await hooks.webhook("after racing", { payload_url: slow.url, retry_schedule: schedule })
    await hooks.tag("after racing one")
    await slow.untilAll((received) => received.length >= 5)
    const mine = slow.received.filter(({ headers }) => headers["x-hook-delivery"] === delivery!.delivery_id)
    expect(mine).toHaveLength(2)
    expect(await hooks.deliveries(id, "discarded", 1)).toMatchObject([{ attempts: 2 }])
    await hooks.api.call("DELETE", `/api/extras/webhooks/${after}/`)
  })

  it.each([
    [{}, "filter"],
    [{ filter: {} }, "filter"],
    [{ filter: "failed" }, "filter"],
    [{ filter: { q: "" } }, "filter"],
    [{ filter: { statuss: "failed" } }, "filter"],
    [{ filter: { ["__proto__"]: "x" } }, "filter"],
    [{ filter: { constructor: "x" } }, "filter"],
    [{ filter: { status: { toString: "x" } } }, "filter"],
    [{ filter: { status: "failed" }, all: true }, "all"],
    [{ all: "yes" }, "all"],
    [{ all: false }, "filter"],
    [{ filter: { status: "nonsense" } }, "filter"],
    [{ filter: { status: "failed" }, dry_run: "perhaps" }, "dry_run"]
  ])("are not touched when it is not understood: %j", async (body, field) => {
    const { status, json } = await post("/api/extras/deliveries/discard/", body)
    expect(status).toBe(400)
    expect(Object.keys(json)).toEqual([field])
  })
})

describe("all deliveries", () => {
  it("are selected by `all` alone", async () => {
    const path = "/api/extras/deliveries/?limit=1"
    const { count } = (await hooks.api.call<{ readonly count: number }>("GET", path)).json
    expect(count).toBeGreaterThan(0)
    const counted = await post("/api/extras/deliveries/discard/", { all: true, dry_run: true })
    expect(counted).toMatchObject({ status: 202, json: { total: count, filter: "", dry_run: true } })
  })
})

describe("failures", () => {
  it("are grouped by cause, the most frequent first", async () => {
    hooks.answers.set("/causes", 503)
    const id = await hooks.webhook("causes", never)
    const refused = await hooks.webhook("refusing", { ...never, payload_url: "http://127.0.0.1:1/" })
    await tags("causes", 3)
    await hooks.tag("refusing one")
    await hooks.deliveries(id, "failed", 3)
    await hooks.deliveries(refused, "failed", 1)
    const { json } = await hooks.api.call<{ results: ReadonlyArray<Json> }>(
      "GET",
      `/api/extras/deliveries/failures/?webhook_id=${id}&webhook_id=${refused}`
    )
    expect(json.results).toMatchObject([
      { webhook: id, reason: "Status", response_status: 503, count: 3, status: "failed" },
      { webhook: refused, reason: "Refused", response_status: null, count: 1 }
    ])
  })
})

describe("a paused webhook", () => {
  /** A webhook that is paused while six events of two tags come. */
  const paused = async (name: string, fields: Json = {}) => {
    const id = await hooks.webhook(name, { type_update: true, ...fields })
    expect((await post(`/api/extras/webhooks/${id}/pause/`)).json["paused"]).toBe(true)
    for (const tag of [`${name} a`, `${name} b`]) {
      const { json } = await hooks.tag(tag)
      for (const color of ["111111", "222222"]) {
        await hooks.api.call("PATCH", `/api/extras/tags/${json.id}/`, { color })
      }
    }
    // This delivery of another webhook was queued after all of them.
    await hooks.webhook(`${name}-other`)
    await hooks.tag(`${name}-other one`)
    await hooks.arrived(`${name}-other`, 1)
    expect(hooks.at(name)).toHaveLength(0)
    return id
  }

  const resume = async (id: number, keep: string) =>
    ended((await post(`/api/extras/webhooks/${id}/resume/`, { keep })).json.id)

  it("is sent everything when it is resumed", async () => {
    const id = await paused("all")
    expect(await resume(id, "all")).toMatchObject({ done: 0, status: { value: "done" } })
    await hooks.deliveries(id, "successful", 6)
  })

  it.each([{}, { ordering: "object" }])(
    "gets the latest of each object only, if that is wished: %j",
    async (fields) => {
      const name = `latest${Object.keys(fields).length}`
      const id = await paused(name, fields)
      expect(await resume(id, "latest")).toMatchObject({ done: 4, status: { value: "done" } })
      await hooks.deliveries(id, "successful", 2)
      const dropped = await hooks.deliveries(id, "discarded", 4)
      expect(dropped.map(({ reason }) => reason)).toEqual(Array(4).fill("Superseded"))
      const last = [bodyOf(name, 0), bodyOf(name, 1)].map(({ data }) => `${data.name} ${data.color}`)
      expect(last.toSorted()).toEqual([`${name} a 222222`, `${name} b 222222`])
    }
  )

  it("is sent no event of the pause with `none`, and all events after it", async () => {
    const id = await paused("none")
    expect(await resume(id, "none")).toMatchObject({ done: 6 })
    await hooks.tag("none then")
    await hooks.arrived("none", 1)
    expect(bodyOf("none", 0).data.name).toBe("none then")
    const [dropped] = await hooks.deliveries(id, "discarded", 6)
    expect(dropped).toMatchObject({ reason: "Unwanted", message: expect.stringContaining("resumed"), attempts: 0 })
  })

  it("keeps what waits for its next attempt", async () => {
    hooks.answers.set("/waiting", 500)
    const id = await hooks.webhook("waiting", muchLater)
    await hooks.tag("waiting one")
    await hooks.deliveries(id, "retrying", 1)
    await post(`/api/extras/webhooks/${id}/pause/`)
    expect(await resume(id, "none")).toMatchObject({ done: 1 })
    const [dropped] = await hooks.deliveries(id, "discarded", 1)
    expect(dropped).toMatchObject({ reason: "Status", attempts: 1 })
    const again = await post(`/api/extras/webhooks/${id}/resume/`, { keep: "all" })
    expect(again.status).toBe(409)
  })
})

describe("a test", () => {
  it("sends the latest event of the webhook's types under an id of its own, whatever the condition says", async () => {
    await hooks.tag("past event")
    const id = await hooks.webhook("tried", { conditions: { attr: "name", value: "nobody" } })
    const asked = await post(`/api/extras/webhooks/${id}/test/`)
    expect(asked.status).toBe(202)
    const done = await hooks.delivery(id, "successful")
    expect(done.id).toBe(asked.json.id)
    expect(done.delivery_id).toMatch(/-t[0-9a-f]{8}$/)
    expect(hooks.at("tried")[0]!.headers["x-hook-delivery"]).toBe(done.delivery_id)
    const ofTags = "/api/extras/object-changes/?changed_object_type=extras.tag&limit=3"
    const changes = await hooks.api.call<{ results: ReadonlyArray<Json> }>("GET", ofTags)
    const change = changes.json.results.at(-1)!
    await post(`/api/extras/webhooks/${id}/test/`, { object_change: change["id"] })
    const all: ReadonlyArray<Delivery> = await hooks.deliveries(id, "successful", 2)
    expect(all).toHaveLength(2)
  })

  it("of what is not there, or of a webhook that sends nothing, is refused", async () => {
    const id = await hooks.webhook("untried")
    expect((await post(`/api/extras/webhooks/${id}/test/`, { object_change: 999_999_999 })).status).toBe(400)
    expect((await post(`/api/extras/webhooks/${id}/test/`, { object_change: "x" })).status).toBe(400)
    await post(`/api/extras/webhooks/${id}/pause/`)
    expect((await post(`/api/extras/webhooks/${id}/test/`)).status).toBe(409)
    expect((await post("/api/extras/webhooks/999999/test/")).status).toBe(404)
  })
})

describe("background tasks", () => {
  it("are a queue per webhook and the processes that work on them", async () => {
    hooks.answers.set("/queue", 500)
    const id = await hooks.webhook("queue", muchLater)
    await tags("queue", 3)
    await hooks.deliveries(id, "retrying", 3)
    const queue = async () => {
      const { json } = await hooks.api.call<{ results: ReadonlyArray<Json> }>(
        "GET",
        "/api/core/background-queues/?limit=1000"
      )
      return json.results.find(({ name }) => name === "queue")
    }
    const found = await eventually("three scheduled jobs", async () => {
      const now = await queue()
      return now?.["scheduled_jobs"] === 3 && now
    })
    expect(found).toMatchObject({ jobs: 0, started_jobs: 0, scheduled_jobs: 3, failed_jobs: 0, workers: 1 })
    const workers = await hooks.api.call("GET", "/api/core/background-workers/")
    expect(workers.json).toMatchObject({ count: 1, results: [{ breakersOpen: 0 }] })
  })
})
