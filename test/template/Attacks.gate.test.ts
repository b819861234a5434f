import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { beforeAll, describe, expect, it } from "vitest"
import { Environment } from "../../src/jinja/Environment.ts"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { attacks, context } from "./attacks/attacks.ts"
import { shared } from "./attacks/shared.ts"
import { render } from "./render.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** The usual limits, but for the clock: every attack must run into one that is counted. */
const unhurried = new Environment({ limits: { cpuMillis: 60_000 } })

const heap = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe.each(["escapes", "injections", "work", "parsing"] as const)("%s", (group) => {
  let before = ""
  let heapBefore = 0

  beforeAll(() => {
    before = shared()
    heapBefore = heap()
  })

  it.each(attacks[group])("%s ends harmlessly, without the clock", (_name, template) => {
    const { output, fault } = render(template, context, unhurried)
    expect(fault?.limit).not.toBe("time")
    expect(fault?.reason).not.toBe("Internal")
    expect(fault?.message.length ?? 0).toBeLessThanOrEqual(500)
    expect(output?.length ?? 0).toBeLessThanOrEqual(limits.outputChars)
    expect(output ?? "").not.toContain("[object")
    expect(output ?? "").not.toContain("=>")
    expect(output ?? "").not.toContain("native code")
  })

  // Last, because it is about what the others left.
  it("leave nothing behind", () => {
    expect(shared()).toBe(before)
    expect(({} as { readonly PWN?: unknown }).PWN).toBeUndefined()
    expect(heap() - heapBefore).toBeLessThan(16 << 20)
  })
})

it("the attacks outnumber the corpus that broke nunjucks by at least sixty", () => {
  const count = Object.values(attacks).flat().length
  expect(count).toBeGreaterThanOrEqual(146 + 60)
})
