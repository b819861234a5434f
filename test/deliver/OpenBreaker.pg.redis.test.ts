/** Actions of an operator while the circuit breaker of a webhook is open: see why, retry, test, probe. */
import { describe, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Delivery, startDelivering } from "./Delivering.ts"
import { breakers as breakersOf, keepOpen } from "../transport/KeepOpen.ts"
import { thoroughly } from "../support/Seed.ts"

const hooks = startDelivering()

const soon = { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 100 } }

const post = (path: string, body: unknown = {}) => hooks.api.call<Json & { id: number }>("POST", path, body)

const breakers = (id: number, count: number) => breakersOf(hooks.api, id, count)

const heldCount = 20

/** A webhook whose receiver failed so often that its breaker is open for an hour; its deliveries are due. */
const opened = async (name: string, fields: Json = {}) => {
  hooks.answers.set(`/${name}`, 500)
  const id = await hooks.webhook(name, { ...soon, max_in_flight: 4, ...fields })
  const tags = Array.from({ length: heldCount }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}` }))
  await hooks.api.call("POST", "/api/extras/tags/", tags)
  await keepOpen(hooks.api, id)
  // Requests under way end first.
  const held = await eventually("all that was attempted is due", async () => {
    const all = await hooks.deliveries(id, "retrying", 4)
    const now = Date.now()
    return all.every(({ next_attempt: next }) => next !== null && Date.parse(next) < now) && all
  })
  return { id, held, tries: hooks.at(name).length }
}

const wellAgain = (name: string) => hooks.answers.delete(`/${name}`)

const all = (id: number) => hooks.deliveries(id, "successful", heldCount)

/** Waits for a delivery of another webhook: a further request would have come by then. */
const pass = async (name: string) => {
  await hooks.webhook(`${name}-after`)
  await hooks.tag(`${name}-after one`)
  await hooks.arrived(`${name}-after`, 1)
}

const idAt = (name: string, at: number) => hooks.at(name)[at]?.headers["x-hook-delivery"]

describe("a delivery that an open breaker holds", () => {
  it("says so, until when, and why", async () => {
    const { id, held } = await opened("told")
    const { json } = await hooks.api.call<Delivery & Json>("GET", `/api/extras/deliveries/${held[0]!.id}/`)
    expect(json["held"]).toMatchObject({
      by: "breaker",
      until: expect.stringMatching(/^20/),
      sentence: expect.stringMatching(
        /^Held by the circuit breaker until \d\d:\d\d UTC, because the receiver answered 500\.$/
      )
    })
    const health = await hooks.api.call<Json>("GET", `/api/extras/webhooks/${id}/health/`)
    expect(health.json["sentence"]).toMatch(
      /held by the circuit breaker until \d\d:\d\d UTC, because the receiver answered 500\.$/
    )
  })

  it.each([{}, { ordering: "object" }])(
    "is retried at once, and its success closes the breaker: %j",
    async (fields) => {
      const name = `one${Object.keys(fields).length}`
      const { id, held, tries } = await opened(name, fields)
      wellAgain(name)
      const last = held.at(-1)!
      expect((await post(`/api/extras/deliveries/${last.id}/retry/`)).status).toBe(200)
      await all(id)
      await breakers(id, 0)
      expect(hooks.at(name)).toHaveLength(tries + heldCount)
      expect(idAt(name, tries)).toBe(last.delivery_id)
    }
  )

  it("is retried at once and fails: nothing else is sent, and the breaker stays open", async () => {
    const { id, held, tries } = await opened("bad")
    await post(`/api/extras/deliveries/${held[0]!.id}/retry/`)
    await hooks.arrived("bad", tries + 1)
    await pass("bad")
    expect(hooks.at("bad")).toHaveLength(tries + 1)
    expect(idAt("bad", tries)).toBe(held[0]!.delivery_id)
    expect(await breakers(id, 1)).toMatchObject([{ reason: "The receiver answered 500." }])
  })
})

describe("a test", () => {
  it("is sent although the breaker is open, and closes it with a success", async () => {
    const { id, tries } = await opened("tried")
    wellAgain("tried")
    const { json } = await post(`/api/extras/webhooks/${id}/test/`)
    await hooks.deliveries(id, "successful", heldCount + 1)
    expect(idAt("tried", tries)).toBe(json["delivery_id"])
  })
})

describe("a probe on request", () => {
  it("sends one delivery now, and all with its success; without an open breaker it is refused", async () => {
    const { id, tries } = await opened("probed")
    expect((await post(`/api/extras/webhooks/${id}/probe/`)).status).toBe(202)
    await hooks.arrived("probed", tries + 1)
    await pass("probed")
    expect(hooks.at("probed")).toHaveLength(tries + 1)
    wellAgain("probed")
    expect((await post(`/api/extras/webhooks/${id}/probe/`)).status).toBe(202)
    await all(id)
    await breakers(id, 0)
    const refused = await post(`/api/extras/webhooks/${id}/probe/`)
    expect([refused.status, refused.json["detail"]]).toEqual([409, "The circuit breaker of the webhook is not open."])
  })
})

describe("a retry of many held deliveries", () => {
  const report = async (id: number) =>
    (await hooks.api.call<Json>("GET", `/api/extras/operations/${id}/`)).json["report"]

  it("probes, and reports what was sent and what is held", async () => {
    const { id, tries } = await opened("many")
    const filter = { webhook_id: id, status: ["retrying"] }
    const { json: first } = await post("/api/extras/deliveries/retry/", { filter })
    await hooks.arrived("many", tries + 1)
    // The probe may be one of them, or a delivery that was never attempted.
    const sum = async () => {
      const { sent, held, ...others } = (await report(first.id)) as Readonly<Record<string, number>>
      return { known: (sent ?? 0) + (held ?? 0), ...others }
    }
    const known = { known: first["total"], accepted: 0, waiting: 0, gone: 0, changed: 0 }
    await expect.poll(sum).toEqual(known)
    wellAgain("many")
    const { json: second } = await post("/api/extras/deliveries/retry/", { filter })
    const total = second["total"]
    await all(id)
    expect(await report(second.id)).toEqual({
      ...{ sent: total, accepted: total, held: 0, waiting: 0, gone: 0, changed: 0 }
    })
    expect(hooks.at("many")).toHaveLength(tries + 1 + heldCount)
  })
})

describe("a retry of all of a webhook", () => {
  it("reports the deliveries that were never attempted as well", async () => {
    const { id, tries } = await opened("whole")
    const { json } = await post("/api/extras/deliveries/retry/", { filter: { webhook_id: id } })
    expect(json["total"]).toBe(heldCount)
    await hooks.arrived("whole", tries + 1)
    wellAgain("whole")
    expect((await post(`/api/extras/webhooks/${id}/probe/`)).status).toBe(202)
    await all(id)
    const { json: operation } = await hooks.api.call<Json>("GET", `/api/extras/operations/${json.id}/`)
    expect(operation["report"]).toEqual({
      ...{ sent: heldCount, accepted: heldCount, held: 0, waiting: 0, gone: 0, changed: 0 }
    })
    expect(hooks.at("whole")).toHaveLength(tries + 1 + heldCount)
  })
})

thoroughly("a webhook that needs a look", () => {
  it("is told of by the readiness, the problems, the metrics and check alike", async () => {
    const { id } = await opened("ill")
    const told = /webhooks? (?:(?:is|are) failing|needs? attention).*: [\d,]+ deliver(?:y waits|ies wait) for /
    await eventually("its deliveries are counted", async () => {
      const { json } = await hooks.api.call<Json>("GET", `/api/extras/webhooks/${id}/health/`)
      return json["waiting"] === heldCount
    })
    const ready = await hooks.api.call<{ status: string; warnings: ReadonlyArray<string> }>("GET", "/health/ready")
    expect([ready.status, ready.json.status]).toEqual([200, "ready"])
    expect(ready.json.warnings).toEqual([expect.stringMatching(told)])
    const service = await hooks.api.call<{ problems: ReadonlyArray<Json> }>("GET", "/api/core/service/")
    const advice = expect.stringMatching(/^See the webhooks/)
    expect(service.json.problems).toMatchObject([{ problem: expect.stringMatching(told), advice }])
    await eventually("it is counted", async () => {
      const { text } = await hooks.api.call("GET", "/metrics")
      return Number(/^rackwire_webhooks_unhealthy (\d+)$/m.exec(text)?.[1]) > 0
    })
    const { databaseUrl, redisUrl, slot } = hooks.api.database
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      RACKWIRE_SLOT: slot,
      SECRET_KEY: "a key for tests, of sufficient length"
    }
    expect((await runCommand(["check"], { env })).output).toMatch(/^fails webhook ill \(\d+\): .*deliveries wait/m)
  })
})
