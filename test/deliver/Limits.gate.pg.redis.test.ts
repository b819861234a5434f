/** The limits of a webhook: breaker, rate, order, with whole services and real receivers. */
import { describe, expect, it, onTestFinished } from "vitest"
import { scaledPace } from "../../src/eventloop/Pace.ts"
import { type Json, password } from "../support/Client.ts"
import { startService } from "../support/Service.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "./Delivering.ts"
import { thorough, thoroughly } from "../support/Seed.ts"

const pace = 0.3

const hooks = startDelivering({ pace })

/** How long a breaker is open the first time, milliseconds. */
const { openMinMillis } = scaledPace(pace).breaker

const soon = { kind: "fixed", delay: 0.05, attempts: 100 }

/** Another process that delivers from the same servers. */
const startSecond = () =>
  startService(
    {
      DATABASE_URL: hooks.api.database.databaseUrl,
      REDIS_URL: hooks.api.database.redisUrl,
      RACKWIRE_SLOT: hooks.api.database.slot,
      SECRET_KEY: "a key for tests, of sufficient length",
      SUPERUSER_PASSWORD: password
    },
    { roles: ["deliver"], pace }
  )

/** The webhook's breakers, once there are so many. */
const breakers = (id: number, count: number): Promise<ReadonlyArray<Json>> =>
  eventually(`${count} breakers of webhook ${id}`, async () => {
    const { json } = await hooks.api.call<{ breakers: ReadonlyArray<Json> }>("GET", `/api/extras/webhooks/${id}/`)
    return json.breakers.length === count && json.breakers
  })

describe("a circuit breaker", () => {
  it("opens when a receiver only fails, keeps what is queued, probes once, and closes with a success", async () => {
    hooks.answers.set("/broken", 500)
    const id = await hooks.webhook("broken", { retry_schedule: soon, max_in_flight: 4 })
    for (let n = 0; n < 3; n++) await hooks.tag(`broken ${n}`)
    const [breaker] = await breakers(id, 1)
    expect(breaker).toMatchObject({ reason: "The receiver answered 500." })
    const tries = hooks.at("broken").length
    // Attempts in flight when it opened may have arrived after the sixteenth failure.
    expect(tries).toBeGreaterThanOrEqual(16)
    expect(tries).toBeLessThanOrEqual(16 + 3)
    for (let n = 3; n < 6; n++) await hooks.tag(`broken ${n}`)
    const probed = hooks.arrived("broken", tries + 1).then(() => hooks.at("broken")[tries]!.at)
    hooks.answers.delete("/broken")
    expect((await probed) - hooks.at("broken")[tries - 1]!.at).toBeGreaterThan(0.8 * openMinMillis)
    await hooks.deliveries(id, "successful", 6)
    await breakers(id, 0)
    const metrics = await hooks.api.raw("GET", "/metrics")
    expect(metrics.text).toContain("rackwire_breakers_open 0\n")
  })

  it("of one webhook does not concern the others", async () => {
    hooks.answers.set("/failing", 500)
    const failing = await hooks.webhook("failing", { retry_schedule: soon })
    await hooks.webhook("sound")
    for (let n = 0; n < 4; n++) await hooks.tag(`failing ${n}`)
    await breakers(failing, 1)
    await hooks.tag("sound one")
    await hooks.arrived("sound", 1)
    expect(await breakers(failing, 1)).toHaveLength(1)
  })
})

thoroughly("a circuit breaker of two processes", () => {
  it("opens for both, and one attempt of one of them probes", async () => {
    const second = await startSecond()
    onTestFinished(() => second.stop())
    hooks.answers.set("/shared", 500)
    const id = await hooks.webhook("shared", { retry_schedule: soon, max_in_flight: 4 })
    const tags = Array.from({ length: 40 }, (_, n) => ({ name: `shared ${n}`, slug: `shared-${n}` }))
    await hooks.api.call("POST", "/api/extras/tags/", tags)
    // The second opening is after the first probe, and lasts twice as long.
    const times = () => hooks.at("shared").map(({ at }) => at)
    const isProbe = (at: number) => at - times()[0]! > 0.9 * openMinMillis
    await hooks.receiver.untilAll(() => times().some(isProbe))
    const opened = times().findIndex(isProbe)
    await hooks.arrived("shared", opened + 2)
    const [before, first, probe] = times().slice(opened - 1)
    expect(first! - before!).toBeGreaterThan(0.8 * openMinMillis)
    expect(probe! - first!).toBeGreaterThan(1.8 * openMinMillis)
    hooks.answers.delete("/shared")
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { description: "It is well again." })
    await hooks.deliveries(id, "successful", 40)
    await breakers(id, 0)
  })
})

thorough("a rate is kept by two processes together", async () => {
  const second = await startSecond()
  try {
    const rate = 20
    const id = await hooks.webhook("paced", { rate_limit: rate })
    const count = 60
    const tags = Array.from({ length: count }, (_, n) => ({ name: `paced ${n}`, slug: `paced-${n}` }))
    const made = Date.now()
    await hooks.api.call("POST", "/api/extras/tags/", tags)
    await hooks.arrived("paced", count)
    const times = hooks.at("paced").map(({ at }) => at)
    // The first place is not before the changes were made, and each other one follows the one before.
    for (const [at, time] of times.entries()) expect(time - made).toBeGreaterThanOrEqual((at * 1000) / rate - 20)
    await hooks.deliveries(id, "successful", count)
  } finally {
    await second.stop()
  }
})

describe("order within an object", () => {
  it("holds through failures, and other objects flow on", async () => {
    hooks.answers.set("/ordered-first", 500)
    const id = await hooks.webhook("ordered", {
      ordering: "object",
      type_update: true,
      retry_schedule: { kind: "fixed", delay: 0.2, attempts: 100 },
      payload_url: `${hooks.receiver.url}/{{ data.slug }}`
    })
    const { json: first } = await hooks.tag("ordered first")
    await hooks.arrived("ordered-first", 1)
    for (const color of ["111111", "222222", "333333"]) {
      await hooks.api.call("PATCH", `/api/extras/tags/${first.id}/`, { color })
    }
    await hooks.tag("ordered second")
    await hooks.arrived("ordered-second", 1)
    await hooks.arrived("ordered-first", 3)
    hooks.answers.delete("/ordered-first")
    await hooks.deliveries(id, "successful", 5)
    const bodies = hooks
      .at("ordered-first")
      .map(({ body }) => JSON.parse(body.toString()) as { readonly data: { readonly color: string } })
    const colors = bodies.map(({ data }) => data.color)
    // The first one until it succeeded, and then each of the others once.
    expect(colors.slice(-4)).toEqual(["9e9e9e", "111111", "222222", "333333"])
    expect(new Set(colors.slice(0, -3))).toEqual(new Set(["9e9e9e"]))
  })
})
