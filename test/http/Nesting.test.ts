import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { indentedJson, indentedLength } from "../../src/http/wire/Nesting.ts"
import { isNestedDeeper } from "../../src/postgres/JsonNesting.ts"
import { runs } from "../support/Seed.ts"

const strings = fc.string({ unit: fc.constantFrom("a", '"', "\\", "[", "{", "}", ",", ":", "\n", "é") })
const json = fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom("a", '"', "\\", "[", "{", "}", ",", ":", "é") })

const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0

describe("the nesting of a text of JSON", () => {
  it("is that of its value, whatever its strings hold", () => {
    fc.assert(
      fc.property(json, fc.nat(8), (value, levels) => {
        expect(isNestedDeeper(JSON.stringify(value), levels)).toBe(levelsOf(value) > levels)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("is told of any text, in one pass", () => {
    fc.assert(
      fc.property(strings, fc.nat(3), (text, levels) => {
        expect(typeof isNestedDeeper(text, levels)).toBe("boolean")
      }),
      { numRuns: runs(1000) }
    )
    expect(isNestedDeeper("[".repeat(1_000_000), 100)).toBe(true)
    expect(isNestedDeeper(`["${"[".repeat(1_000_000)}`, 100)).toBe(false)
    expect(isNestedDeeper(`"${"\\".repeat(1_000_000)}"`, 100)).toBe(false)
  })

  it("tells how long the text becomes when it is indented", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 8 }), (value, indent) => {
        expect(indentedLength(JSON.stringify(value), indent)).toBe(JSON.stringify(value, undefined, indent).length)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("is made longer by indentation only within a limit", () => {
    const deep = JSON.parse(`${"[".repeat(98)}${"1,".repeat(250_000)}1${"]".repeat(98)}`) as unknown
    expect(indentedJson(deep, 8, 1_000_000)).toBe(JSON.stringify(deep))
    expect(indentedJson([1], 2, 100)).toBe("[\n  1\n]")
  })
})
