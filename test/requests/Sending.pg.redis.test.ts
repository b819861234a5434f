/** One switch for all sending, and a switch for each process. */
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { environmentOf } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { type Service, startService } from "../support/Service.ts"
import { eventually } from "../support/Eventually.ts"
import { mismatches } from "../http/SchemaCheck.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

const post = (path: string) => hooks.api.call<Json>("POST", path)

interface Worker {
  readonly name: string
  readonly state: string
  readonly isStopped: boolean
  readonly inFlight: number
  readonly rssBytes: number
  readonly loopDelayMillis: number
}

const workers = async (): Promise<ReadonlyArray<Worker>> =>
  (await hooks.api.call<{ results: ReadonlyArray<Worker> }>("GET", "/api/core/background-workers/")).json.results

describe("all sending", () => {
  afterEach(() => post("/api/core/sending/resume/"))

  it("that is paused sends nothing, and everything once when it is resumed", async () => {
    hooks.answers.set("/later", 500)
    const later = await hooks.webhook("later", { retry_schedule: { kind: "fixed", delay: 0.5, attempts: 3 } })
    await hooks.tag("later one")
    await hooks.deliveries(later, "retrying", 1)
    const id = await hooks.webhook("held")
    const paused = await post("/api/core/sending/pause/")
    expect(paused).toMatchObject({ status: 200, json: { paused: true, by: "admin", since: expect.any(String) } })
    await eventually("the process heeds it", async () => (await workers()).every(({ state }) => state === "paused"))
    const before = hooks.receiver.received.length
    for (const n of [1, 2, 3]) await hooks.tag(`held ${n}`)
    const queue = async () => {
      const path = "/api/core/background-queues/?limit=1000"
      const { json } = await hooks.api.call<{ results: ReadonlyArray<Json> }>("GET", path)
      return json.results.find(({ name }) => name === "held")
    }
    // The queue is looked at every few seconds: the retry of the other webhook was due by then.
    await eventually("the deliveries wait", async () => (await queue())?.["jobs"] === 3)
    expect(hooks.receiver.received.length).toBe(before)
    hooks.answers.delete("/later")
    const resumed = await post("/api/core/sending/resume/")
    expect(resumed).toMatchObject({ status: 200, json: { paused: false, since: null, by: null } })
    await hooks.deliveries(id, "successful", 3)
    await hooks.deliveries(later, "successful", 1)
    const ids = hooks.at("held").map(({ headers }) => headers["x-hook-delivery"])
    expect([ids.length, new Set(ids).size]).toEqual([3, 3])
  })

  it("is paused by the first of two who pause it, and resumed once", async () => {
    const [first, second] = [await post("/api/core/sending/pause/"), await post("/api/core/sending/pause/")]
    expect(second).toMatchObject({ status: 200, json: first.json })
    expect(await hooks.api.call("GET", "/api/core/sending/")).toMatchObject({ json: first.json })
    expect((await hooks.api.call("GET", "/api/status/")).json["sending"]).toEqual(first.json)
    expect((await post("/api/core/sending/resume/")).status).toBe(200)
    const again = await post("/api/core/sending/resume/")
    expect(again).toMatchObject({ status: 409, json: { detail: "Sending is not paused." } })
  })

  it("is a matter of those who may change every webhook", async () => {
    const own = { types: ["extras.webhook"], actions: ["view", "change"], constraints: { name: "held" } }
    const { token } = await makeUser(hooks.api, "keeper", own)
    const send = async (path: string) => (await hooks.api.raw("POST", path, {}, token)).status
    const [worker] = await workers()
    const process = `/api/core/background-workers/${encodeURIComponent(worker!.name)}`
    const paths = ["/api/core/sending/pause/", "/api/core/sending/resume/", `${process}/quiet/`, `${process}/resume/`]
    expect(await Promise.all(paths.map(send))).toEqual([403, 403, 403, 403])
    expect(await hooks.api.raw("GET", "/api/core/sending/", undefined, token)).toMatchObject({
      status: 200,
      json: { paused: false }
    })
  })
})

describe("the service", () => {
  it("answers about itself as the description says", async () => {
    const { paths, components } = JSON.parse((await hooks.api.raw("GET", "/api/schema/")).text) as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly responses: Json } }>>
      readonly components: { readonly schemas: Readonly<Record<string, Json>> }
    }
    for (const name of ["pipeline", "background-queues", "background-workers", "sending", "capture", "service"]) {
      const path = `/api/core/${name}/`
      const { content } = paths[path]!.get.responses["200"] as { content: Record<string, { schema: Json }> }
      const reply = await hooks.api.call("GET", path)
      const wrong = mismatches(reply.json, content["application/json"]!.schema, components.schemas)
      expect([path, reply.status, wrong]).toEqual([path, 200, []])
    }
  })
})

describe("a process", () => {
  let other: Service

  beforeAll(async () => {
    other = await startService(environmentOf(hooks.api.database), { roles: ["deliver"] })
    return () => other.stop()
  })

  const tell = async (name: string, what: "quiet" | "resume") =>
    (await post(`/api/core/background-workers/${encodeURIComponent(name)}/${what}/`)).status

  it("tells its memory and the delay of its event loop", async () => {
    const [worker] = await workers()
    expect(worker!.rssBytes).toBeGreaterThan(10_000_000)
    expect(worker!.loopDelayMillis).toBeGreaterThanOrEqual(0)
  })

  it("that is told to takes no new work until it is told to go on", async () => {
    const both = await eventually("two processes", async () => {
      const found = await workers()
      return found.length === 2 && found
    })
    for (const { name } of both) expect(await tell(name, "quiet")).toBe(200)
    await eventually("they heed it", async () => {
      const now = await workers()
      return now.every(({ state, isStopped }) => state === "quiet" && isStopped)
    })
    await hooks.webhook("quiet")
    await hooks.tag("quiet one")
    const remaining = both.find(({ name }) => name === other.name)!
    expect(await tell(remaining.name, "resume")).toBe(200)
    await hooks.arrived("quiet", 1)
    // The other process takes all deliveries, also those that the quiet one would have taken.
    await other.stop()
    await hooks.tag("quiet two")
    await eventually("the change is captured", async () => {
      const path = "/api/extras/object-changes/?changed_object_type=extras.tag&q=quiet+two"
      return (await hooks.api.call<{ count: number }>("GET", path)).json.count === 1
    })
    const [alone] = await workers()
    expect([hooks.at("quiet").length, (await workers()).length]).toEqual([1, 1])
    expect(alone).toMatchObject({ state: "quiet", inFlight: 0 })
    expect(await tell(alone!.name, "resume")).toBe(200)
    await hooks.arrived("quiet", 2)
  })

  it("that does not exist is not told anything", async () => {
    for (const name of ["nobody 1", "%", "a\0b", "'; drop table x"]) expect(await tell(name, "quiet")).toBe(404)
    expect((await post("/api/core/background-workers/%E0%A4%A/quiet/")).status).toBe(404)
  })
})
