import fc from "fast-check"
import { expect, test } from "vitest"
import { csvLine, csvLines } from "../../src/http/files/Csv.ts"
import { runs } from "../support/Seed.ts"

/** The lines, or what is wrong with the text. */
const read = (text: string): ReadonlyArray<ReadonlyArray<string>> | string => {
  try {
    return [...csvLines(text)]
  } catch (error) {
    return (error as Error).message
  }
}

test("what is written is read again as it was", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom("", '"', ",", "\r\n", "\n", 'a"b,c', " "))
  const lines = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(lines, (lines) => {
      expect(read(lines.map(csvLine).join(""))).toEqual(lines)
    }),
    { numRuns: runs(1000) }
  )
})

test.each<readonly [string, ReturnType<typeof read>]>([
  ["", []],
  [
    "a,b\n1,2",
    [
      ["a", "b"],
      ["1", "2"]
    ]
  ],
  [
    "\uFEFFa,b\r\n\r\n1,\r\n",
    [
      ["a", "b"],
      ["1", ""]
    ]
  ],
  ["a,", [["a", ""]]],
  ['"x\ny",2\n', [["x\ny", "2"]]],
  ['a"b,c', "Line 1: a quote is in the wrong place."],
  ['a,b\n"c', "Line 2: a quote is in the wrong place."]
])("%j is read as lines of cells, or refused", (text, lines) => {
  expect(read(text)).toEqual(lines)
})

test("any text is read or refused", () => {
  fc.assert(fc.property(fc.string(), (text) => void expect(read(text)).toBeDefined()))
})

test("a cell of any length is read without a deep stack, or refused with its place", () => {
  const long = "x".repeat(1 << 24)
  expect(read(`a,"${long}"`)).toEqual([["a", long]])
  expect(() => [...csvLines(`a,b\n1,${long}`, 1000)]).toThrow("Line 2, cell 2 has 16777216 characters")
})
