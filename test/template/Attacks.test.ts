import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { limits } from "../../src/template/Limits.ts"
import { attacks, context } from "./attacks.ts"
import { render } from "./render.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** What everything shares, and who owns what of it. */
const shared = (): string =>
  JSON.stringify(
    [globalThis, Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Error, Promise, Symbol].flatMap(
      (of) => [
        Object.getOwnPropertyNames(of),
        "prototype" in of ? Object.getOwnPropertyNames(of.prototype as object) : []
      ]
    )
  )

/** Processor time over the budget that is forgiven, milliseconds. */
const graceMillis = 100

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

  it.each(attacks[group])("%s ends harmlessly and in time", (_name, template) => {
    const started = process.threadCpuUsage()
    const { output, fault } = render(template, context)
    const { user, system } = process.threadCpuUsage(started)
    assert.isBelow((user + system) / 1000, limits.wallMillis + graceMillis)
    assert.notStrictEqual(fault?.reason, "Internal")
    assert.isAtMost(fault?.message.length ?? 0, 500)
    assert.isAtMost(output?.length ?? 0, limits.outputChars)
    assert.notInclude(output ?? "", "[object")
    assert.notInclude(output ?? "", "=>")
    assert.notInclude(output ?? "", "native code")
  })

  afterAll(() => {
    assert.strictEqual(shared(), before)
    assert.isUndefined(({} as { readonly PWN?: unknown }).PWN)
    assert.isBelow(heap() - heapBefore, 16 << 20)
  })
})

it("are at least sixty more than the corpus that broke nunjucks", () => {
  const count = Object.values(attacks).flat().length
  assert.isAtLeast(count, 146 + 60)
})
