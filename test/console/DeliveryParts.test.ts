/** Parts of the page of a delivery, as pure functions. */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { describe, expect, it } from "vitest"
import { durationText, sizeText } from "../../src/console/value/Duration.ts"
import { orUnavailable } from "../../src/console/delivery/Unavailable.ts"
import { waitedBefore } from "../../src/console/delivery/AttemptList.ts"
import { journeyRibbon } from "../../src/console/delivery/Journey.ts"
import { shownBody } from "../../src/console/exchange/BodyText.ts"
import type { LoggedAttempt } from "../../src/history/inspect/Attempts.ts"
import { type Stage, isRepeated } from "../../src/history/inspect/Journey.ts"
import { type DeliveryState, discardRefusal, retryRefusal } from "../../src/requests/OneDelivery.ts"
import { html } from "../../src/console/Html.ts"
import { longBodies } from "./LongBodies.ts"

describe("lengths", () => {
  it.each([
    [0, "0 ms"],
    [0.44, "0.4 ms"],
    [204.4, "204 ms"],
    [999.9, "1000 ms"],
    [1204, "1.2 s"],
    [59_990, "1 min"],
    [391_000, "6 min 31 s"],
    [7_500_000, "2 h 5 min"],
    [273_600_000, "3 d 4 h"]
  ])("of %d milliseconds are written %s", (millis, text) => {
    expect(durationText(millis)).toBe(text)
  })

  it.each([
    [618, "618 B"],
    [34_210, "33.4 kB"]
  ])("of %d bytes are written %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text)
  })
})

describe("a retry and a discard", () => {
  const state: DeliveryState = {
    status: "failed",
    attempts: 3,
    isDue: true,
    webhook: "active",
    isLogged: true,
    breaker: null,
    isSendingPaused: false
  }

  it.each([
    [{}, {}, undefined, undefined],
    [{ status: "retrying", isDue: false }, {}, undefined, undefined],
    [{ status: "retrying" }, {}, "Due", undefined],
    [{ status: "sending" }, {}, "Due", undefined],
    [{ status: "queued" }, { again: true }, "Queued", undefined],
    [{ status: "discarded" }, { again: true }, "Discarded", "Discarded"],
    [{ status: "successful" }, {}, "Succeeded", "Succeeded"],
    [{ status: "successful" }, { again: true }, undefined, "Succeeded"],
    [{}, { attempts: 3 }, undefined, undefined],
    [{}, { attempts: 2 }, "Attempted", undefined],
    [{ webhook: "deleted" }, {}, "Deleted", undefined],
    [{ webhook: "paused" }, {}, undefined, undefined],
    [{ isLogged: false }, {}, "Unlogged", undefined],
    [{ status: "successful", isLogged: false }, { again: true }, "Unlogged", "Succeeded"]
  ] as const)("of %j, as %j, are refused: %s, %s", (fields, wish, retry, discard) => {
    expect([
      retryRefusal({ ...state, ...fields }, wish)?.reason,
      discardRefusal({ ...state, ...fields })?.reason
    ]).toEqual([retry, discard])
  })
})

describe("the ribbon", () => {
  const attempt = (number: number): Stage => ({
    ...{ stage: "attempted", state: "failed", time: "2026-01-01T00:00:00Z", after_ms: 5, text: "500" },
    attempt: number
  })
  const titles = (count: number) => {
    const stages = Array.from({ length: count }, (_, at) => attempt(at + 1))
    const { text } = journeyRibbon(stages, 0, (number) => `?attempt=${number}`)
    return Array.from(text.matchAll(/<b>(?:<a[^>]*>)?([^<]*)/g), ([, title]) => title)
  }

  it("shows the first attempt and the latest, and counts those between", () => {
    expect(titles(4)).toEqual(["Attempt 1", "Attempt 2", "Attempt 3", "Attempt 4"])
    expect(titles(100)).toEqual(["Attempt 1", "97 attempts", "Attempt 99", "Attempt 100"])
  })
})

describe("a body", () => {
  const shown = async (text: string) => {
    const { shown: body, isCut } = await Effect.runPromise(shownBody(text, "Body"))
    return [body.text.replaceAll(/<[^>]*>/g, ""), isCut] as const
  }

  it("of JSON is indented, numbers as they were sent; anything else is shown to the letter", async () => {
    expect(await shown(`{ "a" : [1.0, 12345678901234567890,\n"b  \\" c"] }`)).toEqual([
      `{\n  &quot;a&quot;: [\n    1.0,\n    12345678901234567890,\n    &quot;b  \\&quot; c&quot;\n  ]\n}`,
      false
    ])
    expect((await shown("{ not json"))[0]).toBe("{ not json")
    expect((await shown("[".repeat(30_000) + "]".repeat(30_000)))[0]).toBe("[".repeat(30_000) + "]".repeat(30_000))
  })

  it.each(longBodies)("that is long is cut, whatever it is", async (text) => {
    const { shown: body, isCut } = await Effect.runPromise(shownBody(text, "Body"))
    expect([isCut, body.text.length < 3_000_000]).toEqual([true, true])
  })
})

describe("a part of a page that cannot be read", () => {
  it("says so, and the rest is shown", async () => {
    const reason = new SqlError.UnknownError({ cause: new Error("canceling statement due to statement timeout") })
    const failing = orUnavailable("Why it fired", Effect.fail(new SqlError.SqlError({ reason })))
    expect((await Effect.runPromise(failing)).text).toContain("Why it fired: unavailable.")
    const sound = orUnavailable("Why it fired", Effect.succeed(html`<p>sound</p>`))
    expect((await Effect.runPromise(sound)).text).toBe("<p>sound</p>")
  })
})

describe("an attempt", () => {
  const attempt = (number: number, started: string): LoggedAttempt => ({
    ...{ number, started, duration_ms: 1000, phases: null, url: "", request_headers: [], response_status: 200 },
    ...{ response_headers: [], response_body: "", reason: "", message: "" }
  })
  const attempts = [attempt(1, "2026-11-27T12:00:03Z"), attempt(2, "2026-11-27T12:00:09Z")]
  const committedMillis = Date.parse("2026-11-27T12:00:01Z")

  it.each([
    ["5-46077376-16", "waited 2.0 s", "captured, matched, in the queue"],
    ["5-46077376-16-t1008d0de", "2.0 s after the change", "since the change"],
    ["5-46077376-16-r12", "2.0 s after the change", "since the change"]
  ])("of %s begins: %s", (id, text, title) => {
    const of = { attempts, committedMillis, isRepeated: isRepeated(id) }
    expect(waitedBefore(attempts[0]!, of)).toEqual({ text, title, millis: 2000 })
    expect(waitedBefore(attempts[1]!, of)).toMatchObject({ text: "waited 5.0 s", title: "since the attempt before" })
  })
})
