/** States of circuit breakers that processes share through a real Redis. */
import { Effect, Scope } from "effect"
import { Redis as Client } from "ioredis"
import { describe, expect, it, onTestFinished } from "vitest"
import { type BreakerNews, closeBreaker, openBreaker } from "../../src/queue/Breaker.ts"
import { servers } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { startStreams } from "./TwoReaders.ts"

const streams = startStreams()
const run = Effect.runPromise

describe("the state of a circuit breaker", () => {
  it("is published to all processes of this database, and to none of another", async () => {
    const { one, other, scope } = streams()
    const heard: Array<BreakerNews> = []
    await run(
      Scope.provide(
        other.onWake(
          () => {},
          (news) => heard.push(news)
        ),
        scope
      )
    )
    const elsewhere = new Client(Object.assign(new URL(servers.redisUrl), { pathname: "/15" }).href, { protocol: 2 })
    onTestFinished(() => elsewhere.disconnect())
    // Until the subscription stands nothing is heard.
    await eventually("news are heard", async () => {
      await openBreaker(elsewhere, { webhook: 9, openMillis: 1000, openings: 1 })
      await closeBreaker(elsewhere, 9)
      await run(one.openBreaker({ webhook: 1, openMillis: 60_000, openings: 3 }))
      return heard.length > 0
    })
    expect(new Set(heard.map(({ webhook }) => webhook))).toEqual(new Set([1]))
    expect(heard[0]).toMatchObject({ openings: 3 })
  })

  it("is kept for processes that start later, until the breaker is closed", async () => {
    const { one, other } = streams()
    await run(one.openBreaker({ webhook: 1, openMillis: 60_000, openings: 3 }))
    await run(other.openBreaker({ webhook: 1, openMillis: 1000, openings: 1 }))
    const known = await run(other.breakerOf(1))
    expect(known.openings).toBe(3)
    expect(known.openMillis).toBeGreaterThan(50_000)
    await run(other.closeBreaker(1))
    expect(await run(one.breakerOf(1))).toEqual({ webhook: 1, openMillis: 0, openings: 0 })
  })
})

describe("the probe", () => {
  it("belongs to one process until its time is over or that process has nothing to probe with", async () => {
    const { one, other, client } = streams()
    expect(await run(one.beginProbe(1, 60_000))).toBe(0)
    expect(await run(one.beginProbe(1, 60_000))).toBe(0)
    expect(await run(other.beginProbe(1, 60_000))).toBeGreaterThan(50_000)
    await run(other.endProbe(1))
    expect(await run(other.beginProbe(1, 60_000))).toBeGreaterThan(50_000)
    await run(one.endProbe(1))
    expect(await run(other.beginProbe(1, 60_000))).toBe(0)
    // Losing it costs a second probe and nothing else.
    await client.flushdb()
    expect(await run(one.beginProbe(1, 60_000))).toBe(0)
  })

  it("does not begin while the breaker is open", async () => {
    const { one } = streams()
    await run(one.openBreaker({ webhook: 1, openMillis: 60_000, openings: 1 }))
    expect(await run(one.beginProbe(1, 1000))).toBeGreaterThan(50_000)
    await run(one.probeNow(1))
    expect(await run(one.beginProbe(1, 1000))).toBe(0)
  })
})
