import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonText } from "../../src/http/wire/JsonText.ts"
import { Listed } from "../../src/http/wire/Listed.ts"

const textOf = async (json: unknown, max?: number) => (await Effect.runPromise(jsonText(json, max)))?.toString()

const listed = (items: ReadonlyArray<unknown>) => Listed.of(items, (item) => item)

describe("the JSON of an answer", () => {
  it("is that of JSON.stringify, however it is cut", async () => {
    const lists = fc.array(fc.jsonValue(), { size: "large" })
    await fc.assert(
      fc.asyncProperty(lists, fc.dictionary(fc.string(), fc.jsonValue()), async (list, around) => {
        const page = { ...around, left: undefined, results: list }
        const all = [list, page, around, list[0] ?? null]
        expect(await Promise.all(all.map((json) => textOf(json)))).toEqual(all.map((json) => JSON.stringify(json)))
        expect(await textOf(listed(list))).toBe(JSON.stringify(list))
        expect(await textOf({ count: 1, results: listed(list) })).toBe(JSON.stringify({ count: 1, results: list }))
      })
    )
    const long = Array.from({ length: 3000 }, (_, at) => ({ at, text: "ü".repeat(100) }))
    expect(await textOf({ results: long })).toBe(JSON.stringify({ results: long }))
  })

  it("is none beyond its limit, and then the objects behind are not shown", async () => {
    let shown = 0
    const results = Listed.of(Array.from({ length: 100 }), () => {
      shown += 1
      return "x".repeat(1000)
    })
    expect(await textOf({ results }, 10_000)).toBeUndefined()
    expect(shown).toBe(10)
    expect(await textOf({ results }, 200_000)).toHaveLength(100_313)
  })
})
