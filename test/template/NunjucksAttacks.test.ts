import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { outcome, renderer } from "./Installed.ts"
import { type Attack, attacks, context } from "./attacks/attacks.ts"
import { liquidAttacks } from "./attacks/liquid.ts"
import { nunjucksAttacks } from "./attacks/nunjucks.ts"
import { shared } from "./attacks/shared.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** Processor time over the budget that is forgiven, milliseconds. */
const graceMillis = 100

const cpuMillis = (work: () => void): number => {
  const started = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1000
}

const heap = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const groups: Readonly<Record<string, ReadonlyArray<Attack>>> = {
  "what the package falls to": nunjucksAttacks.calls,
  "properties of prototypes": nunjucksAttacks.reads,
  "work without end": nunjucksAttacks.work,
  "the attacks on Jinja": Object.values(attacks).flat(),
  "the attacks on Liquid": liquidAttacks.map((source) => [source, source] as const)
}

describe.each(Object.entries(groups))("in Nunjucks, %s", (group, all) => {
  let before = ""
  let heapBefore = 0

  beforeAll(() => {
    before = shared()
    heapBefore = heap()
  })

  it.each(all)("%s ends harmlessly and in time", (_name, template) => {
    let output = ""
    let reason = ""
    const millis = cpuMillis(() => {
      const result = outcome(template, JSON.parse(context), { engine: "nunjucks" })
      if (typeof result === "string") output = result
      else ({ reason } = result)
    })
    expect(millis).toBeLessThan(limits.wallMillis + graceMillis)
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

/** The largest template that is allowed, of one piece again and again. */
const filled = (start: string, piece: string, end: string): string =>
  start + piece.repeat(Math.floor((limits.sourceChars - start.length - end.length) / piece.length)) + end

it.each([
  ["outputs", filled("", "{{a}}", "")],
  ["filters", filled("{{ 1", "|e", " }}")],
  ["lists", filled("{{ [", "1,", "1] }}")],
  ["objects", filled("{{ {", "a:1,", "a:1} }}")],
  ["signs", filled("{{ [", "-1,", "1] }}")],
  ["parentheses", filled("{{ ", "(", "")],
  ["brackets", filled("{{ ", "[{a:", "")],
  ["negations", filled("{{ ", "not ", "1 }}")],
  ["conditions", filled("", "{% if a %}", "")],
  ["elif", filled("{% if a %}", "{% elif a %}", "{% endif %}")],
  ["white space before a tag", filled("x", " ", "x{%- if 1 %}{% endif %}")],
  ["raw without an end", filled("{% raw %}", "{%  raw", "")],
  ["comments", filled("", "{##}", "")],
  ["a comment without an end", filled("{#", "#", "")],
  ["a pattern", filled("{{ r/", "(a|", "/ }}")],
  ["text", filled("", "x", "")]
])("the largest template of %s is read without a stack overflow, in the time of a request", (_name, source) => {
  expect(source.length).toBeGreaterThan(limits.sourceChars - 20)
  let fault: ReturnType<typeof renderer.check>
  const millis = cpuMillis(() => {
    fault = renderer.check(source, "nunjucks")
  })
  expect(millis).toBeLessThan(graceMillis)
  expect([undefined, "Limit", "Syntax"]).toContain(fault?.reason)
  expect(fault?.message ?? "").not.toContain("stack")
})
