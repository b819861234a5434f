/** Streams of a page's live parts. A clock is turned; no page is shown. */
import { Context, Effect, Fiber, Option, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Settings } from "../../src/Config.ts"
import { Vault } from "../../src/inventory/Vault.ts"
import { AdmissionSql } from "../../src/postgres/AdmissionSql.ts"
import { anonymous } from "../../src/auth/Principal.ts"
import { live, withLive } from "../../src/console/live/Following.ts"
import { html } from "../../src/console/Html.ts"
import type { Handler, Services } from "../../src/http/Route.ts"
import type { Request } from "../../src/http/wire/Request.ts"

const request = {
  incoming: { headers: { accept: "text/event-stream" }, cookies: {}, remoteAddress: Option.none() },
  origin: { base: "http://localhost" },
  principal: anonymous
} as unknown as Request

/** The pages here need no service; their reader's rights need three, and nothing of them. */
const provided = Effect.provideContext(
  Context.make(Settings, {} as Settings["Service"]).pipe(
    Context.add(Vault, {} as Vault["Service"]),
    Context.add(AdmissionSql, {} as AdmissionSql["Service"])
  ) as unknown as Context.Context<Services>
)

/** The events of a stream that is read to its end. */
const eventsOf = (show: Handler) =>
  Effect.gen(function* () {
    const { stream } = yield* withLive(show)(request)
    const reading = yield* Effect.forkChild(Stream.runCollect(stream!.content))
    yield* TestClock.adjust("2 minutes")
    return (yield* Fiber.join(reading)).map(String)
  }).pipe(Effect.provide(TestClock.layer()), provided, Effect.runPromise)

const page = (text: string) => ({ status: 200, text: { type: "text/html", content: live("it", html`${text}`).text } })

describe("a stream of a page's parts", () => {
  it("sends what changed, and ends after a minute with the request to ask again", async () => {
    let shown = 0
    const events = await eventsOf(() => Effect.sync(() => page(shown++ < 5 ? "before" : "after")))
    const parts = events.filter((event) => event.includes('"it"'))
    expect(parts).toEqual(['retry: 3000\ndata: {"it":"before"}\n\n', 'data: {"it":"after"}\n\n'])
    expect(events.length).toBe(22)
    expect(events.at(-1)).toMatch(/^event: again\n/)
  })

  it("says that the page cannot be made, and goes on when it can", async () => {
    let shown = 0
    const events = await eventsOf(() => Effect.sync(() => (++shown === 3 ? { status: 503 } : page(`${shown > 3}`))))
    expect(events.slice(1, 4)).toEqual(["data: {}\n\n", "event: away\ndata: {}\n\n", 'data: {"it":"true"}\n\n'])
  })

  it("is one of twelve of its reader, however many are asked for at once", async () => {
    const slow: Handler = () => Effect.as(Effect.yieldNow, page("slow"))
    const together = Effect.all(
      Array.from({ length: 30 }, () => Effect.result(withLive(slow)(request))),
      { concurrency: "unbounded" }
    )
    const answers = await Effect.runPromise(provided(together))
    expect(answers.filter(Result.isSuccess).length).toBe(12)
  })
})
