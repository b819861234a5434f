/** The delivery log of a process, beside a whole service on the same servers. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { Postgres } from "../../src/postgres/Postgres.ts"
import type { Attempt } from "../../src/log/Attempt.ts"
import { DeliveryLog } from "../../src/log/DeliveryLog.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import type { Entry } from "../../src/queue/Entry.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { delivery } from "../queue/TwoReaders.ts"
import { type Delivery, startDelivering } from "../deliver/Delivering.ts"
import { redisAlone } from "../support/Redis.ts"

const hooks = startDelivering()
const run = Effect.runPromise

const failure = { reason: "Reset", message: "other side closed" } as const
const outcomes = {
  Delivered: { kind: "Delivered" },
  Retry: { kind: "Retry", delayMillis: 60_000, failure }
} as const

const startLog = async () => {
  const { databaseUrl, redisUrl } = hooks.api.database
  const servers = Layer.succeed(Servers, {
    databaseUrl: Redacted.make(databaseUrl),
    redisUrl: Redacted.make(redisUrl),
    secretKey: Redacted.make("none")
  })
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => run(Scope.close(scope, Exit.void)))
  const layer = DeliveryLog.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Streams.layer("a test"), Postgres.layer)),
    Layer.provide(redisAlone),
    Layer.provide(servers)
  )
  const context = await run(Layer.buildWithScope(Layer.fresh(layer), scope))
  return { log: Context.get(context, DeliveryLog), streams: Context.get(context, Streams) }
}

const attemptOf = (
  entry: Entry,
  number: number,
  kind: keyof typeof outcomes,
  started = 1_800_000_000_000
): Attempt => ({
  ...{ entry, number, started, durationMillis: 1 },
  request: { url: "http://copies/", headers: {} },
  answer: {
    response: undefined,
    failure: kind === "Retry" ? failure : undefined,
    phases: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, body: undefined }
  },
  outcome: outcomes[kind]
})

const recorded = (log: DeliveryLog["Service"], attempt: Attempt) =>
  new Promise((resolve) => log.record([attempt], resolve))

describe("the delivery log", () => {
  it("goes on after a defect that keeps outcomes from being written", async () => {
    const { log, streams } = await startLog()
    const webhook = await hooks.webhook("faulty", { enabled: false })
    for (const idx of [1, 2]) {
      await run(streams.delay(webhook, [{ delayMillis: 0, delivery: delivery(idx, webhook) }]))
    }
    await run(streams.promote(webhook))
    const [faulty, sound] = await run(streams.read(webhook, 10))
    // No clock tells this time.
    await recorded(log, attemptOf(faulty!, 1, "Delivered", Number.NaN))
    await recorded(log, attemptOf(sound!, 1, "Delivered"))
    expect(await hooks.delivery(webhook, "successful")).toMatchObject({ delivery_id: sound!.delivery.id })
    expect(await run(streams.depth(webhook))).toEqual({ queued: 0, pending: 1, waiting: 0 })
  })

  it("keeps every attempt of copies that end at once, the best outcome, and the highest number", async () => {
    const { log, streams } = await startLog()
    // Nobody else reads what a disabled webhook has.
    const webhook = await hooks.webhook("copies", { enabled: false })
    const copies = [
      { attempts: 1, kind: "Retry" },
      { attempts: 1, kind: "Delivered" },
      { attempts: 0, kind: "Retry" }
    ] as const
    for (const { attempts } of copies) {
      await run(streams.delay(webhook, [{ delayMillis: 0, delivery: { ...delivery(1, webhook), attempts } }]))
      await run(streams.promote(webhook))
    }
    const entries = await run(streams.read(webhook, 10))
    const attempts = entries.map((entry, at) => attemptOf(entry, copies[at]!.attempts + 1, copies[at]!.kind))
    await Promise.all(attempts.map((attempt) => recorded(log, attempt)))
    const logged = await hooks.delivery(webhook, "successful")
    expect([logged.attempts, logged.attempt_log.map(({ number }) => number)]).toEqual([2, [1, 2]])
  })

  it("keeps an attempt that ends after the streams of its webhook were deleted with it", async () => {
    const { log, streams } = await startLog()
    const webhook = await hooks.webhook("cut-off", { enabled: false })
    await run(streams.delay(webhook, [{ delayMillis: 0, delivery: delivery(1, webhook) }]))
    await run(streams.promote(webhook))
    const [entry] = await run(streams.read(webhook, 1))
    expect((await hooks.api.call("DELETE", `/api/extras/webhooks/${webhook}/`)).status).toBe(204)
    await run(streams.forget(webhook))
    await recorded(log, attemptOf({ ...entry!, leasedSince: Number.NEGATIVE_INFINITY }, 1, "Retry"))
    expect(await hooks.delivery(webhook, "discarded")).toMatchObject({ attempts: 1, reason: "Deleted" })
    expect(await run(streams.depth(webhook))).toEqual({ queued: 0, pending: 0, waiting: 0 })
  })

  it("has no row for the attempt of what succeeds at once, and shows it with its times", async () => {
    const webhook = await hooks.webhook("at-once")
    await hooks.tag("at-once one")
    const logged = await hooks.delivery(webhook, "successful")
    const [row] = await hooks.api.database.sql.query<{ count: string }>(
      "select count(*)::text from rackwire_attempt where delivery_id = $1",
      [logged.delivery_id]
    )
    expect(row!.count).toBe("0")
    expect(logged.attempt_log).toMatchObject([{ number: 1, response_status: 200, response_body: "ok", reason: "" }])
    expect(Date.parse(String(logged.attempt_log[0]!["started"]))).toBe(Date.parse(logged.first_attempt!))
    expect(logged.duration_ms).toBe(logged.attempt_log[0]!["duration_ms"])
  })

  it("keeps the first answer of what succeeded at once, whatever a later attempt is answered", async () => {
    const webhook = await hooks.webhook("sent-again")
    await hooks.tag("sent-again one")
    const { id } = await hooks.delivery(webhook, "successful")
    hooks.answers.set("/sent-again", 500)
    await hooks.api.call("POST", `/api/extras/deliveries/${id}/retry/`, { again: true })
    await expect
      .poll(async () => (await hooks.api.call<Delivery>("GET", `/api/extras/deliveries/${id}/`)).json.attempt_log)
      .toMatchObject([
        { number: 1, response_status: 200, reason: "", message: "" },
        { number: 2, response_status: 500, reason: "Status" }
      ])
  })

  it.each([
    ["failed and then succeeded", ["Retry", "Delivered"]],
    ["succeeded and then failed", ["Delivered", "Retry"]]
  ] as const)("shows one first attempt where two processes made it, which %s", async (name, kinds) => {
    const { log, streams } = await startLog()
    const webhook = await hooks.webhook(name, { enabled: false })
    for (const kind of kinds) {
      await run(streams.delay(webhook, [{ delayMillis: 0, delivery: delivery(1, webhook) }]))
      await run(streams.promote(webhook))
      const [entry] = await run(streams.read(webhook, 1))
      await recorded(log, attemptOf(entry!, 1, kind))
    }
    const logged = await hooks.delivery(webhook, "successful")
    expect([logged.attempts, logged.attempt_log.map(({ number }) => number)]).toEqual([1, [1]])
  })
})
