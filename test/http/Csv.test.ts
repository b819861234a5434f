import fc from "fast-check"
import { expect, test } from "vitest"
import { csvLine, parseCsv } from "../../src/http/Csv.ts"

test("what is written is read again as it was", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom("", '"', ",", "\r\n", "\n", 'a"b,c', " "))
  const lines = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(lines, (lines) => {
      expect(parseCsv(lines.map(csvLine).join(""))).toEqual(lines)
    }),
    { numRuns: 1000 }
  )
})

test.each<readonly [string, ReturnType<typeof parseCsv>]>([
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
  expect(parseCsv(text)).toEqual(lines)
})

test("any text is read or refused", () => {
  fc.assert(fc.property(fc.string(), (text) => void expect(parseCsv(text)).toBeDefined()))
})
