import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Effect, Exit } from "effect"
import { importThreads } from "../../src/http/files/ImportThreads.ts"

let started = 0
const count = () => started++
beforeEach(() => {
  started = 0
  process.on("worker", count)
})
afterEach(() => process.off("worker", count))

const task = (text: string) => ({
  bytes: new TextEncoder().encode(text).buffer,
  contentType: "application/json",
  table: { columns: {}, escaped: false },
  format: undefined
})

/** Files read one after the other; whether each was read, and how many threads that took. */
const readEach = (texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const parse = yield* importThreads
    const areRead = yield* Effect.forEach(texts, (text) => Effect.map(Effect.exit(parse(task(text))), Exit.isSuccess))
    return { areRead, started }
  }).pipe(Effect.scoped, Effect.runPromise)

describe("threads that read import files", () => {
  it("read small files one after the other in one thread", async () => {
    expect(await readEach(['[{"name": "a"}]', '[{"name": "b"}]', "[]"])).toEqual({
      areRead: [true, true, true],
      started: 1
    })
  })

  it("are not used again after a file that they refuse", async () => {
    expect(await readEach(["[{]", '[{"name": "b"}]'])).toEqual({ areRead: [false, true], started: 2 })
  })

  it("are not used again after a large file, which leaves much in their memory", async () => {
    const large = JSON.stringify(Array.from({ length: 10_000 }, () => ({ name: "a".repeat(200) })))
    expect(await readEach([large, "[]"])).toEqual({ areRead: [true, true], started: 2 })
  })

  it("read two files at once", async () => {
    const both = Effect.gen(function* () {
      const parse = yield* importThreads
      yield* Effect.all([parse(task("[]")), parse(task("[]"))], { concurrency: 2 })
      return started
    })
    expect(await Effect.runPromise(Effect.scoped(both))).toBe(2)
  })
})
