import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { Renderer } from "../../src/template/Renderer.ts"
import { outcome, renderer, shipped } from "./Installed.ts"
import { context } from "./attacks/attacks.ts"
import { largest, onNunjucks } from "./attacks/OnNunjucks.ts"
import { shared } from "./attacks/shared.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** The usual limits, but for the clock: every attack must run into one that is counted. */
const unhurried = new Renderer(shipped, { ...limits, cpuMillis: 60_000 })

const heap = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe.each(Object.entries(onNunjucks))("in Nunjucks, %s", (group, all) => {
  let before = ""
  let heapBefore = 0

  beforeAll(() => {
    before = shared()
    heapBefore = heap()
  })

  it.each(all)("%s ends harmlessly, without the clock", (_name, template) => {
    const result = outcome(template, JSON.parse(context), { engine: "nunjucks", by: unhurried })
    const [output, reason, limit] = typeof result === "string" ? [result, ""] : ["", result.reason, result.limit]
    expect(limit).not.toBe("time")
    expect(reason).not.toBe("Internal")
    expect(output.length).toBeLessThanOrEqual(limits.outputChars)
    expect(output).not.toMatch(/=>|native code|function \w*\(|uid=|root:/)
    expect(group === "properties of prototypes" ? output + reason : "").toBe("")
  })

  // Last, because it is about what the others left.
  it("leave nothing behind", () => {
    expect(shared()).toBe(before)
    expect(({} as { readonly PWN?: unknown }).PWN).toBeUndefined()
    expect((globalThis as { readonly PWN?: unknown }).PWN).toBeUndefined()
    expect(heap() - heapBefore).toBeLessThan(16 << 20)
  })
})

it.each(largest)("the largest template of %s is read without a stack overflow", (_name, source) => {
  expect(source.length).toBeGreaterThan(limits.sourceChars - 20)
  const fault = renderer.check(source, "nunjucks")
  expect([undefined, "Limit", "Syntax"]).toContain(fault?.reason)
  expect(fault?.message ?? "").not.toContain("stack")
})
