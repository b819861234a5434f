/** `traceparent` as the W3C's recommendation reads it. */
import { describe, expect, it } from "vitest"
import { soundTraceparent } from "../../src/telemetry/TraceContext.ts"
import { addSpan, recordTraces, traceOf, traceparentFor } from "../../src/telemetry/Traces.ts"

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const span = "00f067aa0ba902b7"

describe("a traceparent", () => {
  it.each([
    ["sampled", `00-${trace}-${span}-01`, `00-${trace}-${span}-01`],
    ["not sampled", `00-${trace}-${span}-00`, `00-${trace}-${span}-00`],
    ["with flags that we do not know", `00-${trace}-${span}-ff`, `00-${trace}-${span}-01`],
    ["of a later version", `cc-${trace}-${span}-01`, `00-${trace}-${span}-01`],
    ["of a later version with more", `cc-${trace}-${span}-01-what-may-come`, `00-${trace}-${span}-01`]
  ])("%s is passed on", (_, header, expected) => {
    expect(soundTraceparent(header)).toBe(expected)
  })

  it.each([
    ["empty", ""],
    ["version ff", `ff-${trace}-${span}-01`],
    ["more in version 00", `00-${trace}-${span}-01-more`],
    ["a version with more that is not set apart", `cc-${trace}-${span}-01.more`],
    ["zero as trace", `00-${"0".repeat(32)}-${span}-01`],
    ["zero as span", `00-${trace}-${"0".repeat(16)}-01`],
    ["capital digits", `00-${trace.toUpperCase()}-${span}-01`],
    ["short", `00-${trace.slice(1)}-${span}-01`],
    ["no hexadecimal digits", `00-${trace.replace("4", "g")}-${span}-01`],
    ["flags of one digit", `00-${trace}-${span}-1`],
    ["two headers, joined", `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
    ["space", ` 00-${trace}-${span}-01`],
    ["a line break", `00-${trace}-${span}-01\n`],
    ["a later version without end", `cc-${trace}-${span}-01-${"x".repeat(300)}`]
  ])("with %s is none", (_, header) => {
    expect(soundTraceparent(header)).toBeUndefined()
  })
})

describe("a trace", () => {
  const change = { requestId: "0f0f0f0f-1234-4567-89ab-000000000000" }
  const recorded = (ratio: number, of: Parameters<typeof traceOf>[0]) => {
    recordTraces({ ratio, push: () => {} })
    const found = [traceOf(of), traceparentFor(of)] as const
    recordTraces(undefined)
    return found
  }

  it("is recorded by its id alike in every process, and by the client's decision if there is one", () => {
    const high = { requestId: "0f0f0f0f-1234-4567-89ab-0000ffffffff" }
    expect(recorded(0.5, change)[0]).toMatchObject({ traceId: change.requestId.replaceAll("-", "") })
    expect(recorded(0.5, high)).toEqual([undefined, undefined])
    expect(recorded(1, high)[0]).toBeDefined()
    expect(recorded(0, change)[0]).toBeUndefined()
    const client = `00-${trace}-${span}`
    expect(recorded(0, { ...change, traceparent: `${client}-01` })[0]).toEqual({
      traceId: trace,
      changeId: "0f0f0f0f12344567",
      clientId: span
    })
    expect(recorded(1, { ...change, traceparent: `${client}-00` })).toEqual([undefined, `${client}-00`])
  })

  it("goes to the receiver with a span of its own if it is recorded, and else as it came", () => {
    const traceparent = `00-${trace}-${span}-01`
    expect(recorded(1, { ...change, traceparent })[1]).toMatch(new RegExp(`^00-${trace}-(?!${span})[0-9a-f]{16}-01$`))
    expect(traceparentFor({ ...change, traceparent })).toBe(traceparent)
    expect(traceparentFor(change)).toBeUndefined()
  })

  it("is not made of a request id of zeros, which plain SQL may choose", () => {
    expect(recorded(1, { requestId: "00000000-0000-0000-0000-000000000000" })[0]).toBeUndefined()
  })

  it("gives up spans beyond a number per second", () => {
    let spans = 0
    recordTraces({ ratio: 1, push: () => void (spans += 1) })
    const one = { traceId: trace, spanId: span, parentId: undefined, name: "x", kind: "internal" } as const
    for (let n = 0; n < 20_000; n++) addSpan({ ...one, startMillis: 0, endMillis: 0, attributes: {} })
    recordTraces(undefined)
    // The second may end meanwhile, on a slow machine more than once.
    expect(spans).toBeGreaterThanOrEqual(2000)
    expect(spans).toBeLessThan(20_000)
  })
})
