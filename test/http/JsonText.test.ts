import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonText } from "../../src/http/wire/JsonText.ts"
import { Listed } from "../../src/http/wire/Listed.ts"

const textOf = async (json: unknown, max?: number) => (await Effect.runPromise(jsonText(json, max)))?.toString()

const listed = (items: ReadonlyArray<unknown>) => Listed.of(items, (item) => item)

/** How many items each call of `JSON.stringify` writes, of texts of these lengths. */
const groupsOf = async (lengths: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
  const groups: Array<number> = []
  const listed = Listed.of(lengths, (length) => "x".repeat(length))
  const slice = listed.slice.bind(listed)
  listed.slice = (from, to) => {
    const items = slice(from, to)
    groups.push(items.length)
    return items
  }
  await Effect.runPromise(jsonText(listed))
  return groups
}

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
    const uneven = Array.from({ length: 100 }, (_, at) => "ü€".repeat(at % 30 === 29 ? 100_000 : at))
    expect(await textOf(listed(uneven))).toBe(JSON.stringify(uneven))
  })

  it("is written item by item once they are large, and else eight at a time at most", async () => {
    const small = Array.from({ length: 40 }, () => 10)
    expect(await groupsOf(small)).toEqual([1, 2, 4, 8, 8, 8, 8, 1])
    const large = Array.from({ length: 10 }, () => 100_000)
    expect(await groupsOf([...small.slice(0, 15), ...large])).toEqual([1, 2, 4, 8, 8, 1, 1])
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
