/** A connection that listens, through a network that carries nothing any more and tells neither end. */
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { PgClient } from "@effect/sql-pg"
import { Unheard, announcements } from "../../src/deliver/Announcements.ts"
import { announceChannel } from "../../src/postgres/Messages.ts"
import { Pace, scaledPace } from "../../src/eventloop/Pace.ts"
import { makeEmptyDatabase } from "../support/Database.ts"
import { Proxy } from "../fault/Proxy.ts"
import { Random } from "../fault/Random.ts"

it("announcements arrive, and a connection on which none can arrive is noticed", async () => {
  const { databaseUrl, sql, drop } = await makeEmptyDatabase()
  const url = new URL(databaseUrl)
  const proxy = await Proxy.start(Number(url.port), new Random("listening"))
  url.port = `${proxy.port}`
  const listening = Effect.gen(function* () {
    const told = yield* announcements
    yield* Effect.promise(() => sql.query("select pg_notify($1, 'extras.webhook 7')::text", [announceChannel]))
    let news: ReadonlyArray<ReadonlyArray<string>> = []
    while (news.length === 0) news = yield* told
    expect(news).toEqual([["extras.webhook", "7"]])
    proxy.swallow()
    const error = yield* Effect.flip(Effect.forever(told))
    // Letting go of a connection that is dead would wait for an answer.
    yield* Effect.promise(() => proxy.close())
    return error
  })
  const client = PgClient.layer({ url: Redacted.make(url.href) })
  const error = await Effect.runPromise(
    Effect.scoped(listening).pipe(Effect.provide(Layer.orDie(client)), Effect.provideService(Pace, scaledPace(0.2)))
  )
  expect(error).toBeInstanceOf(Unheard)
  await drop()
})
