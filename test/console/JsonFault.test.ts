import fc from "fast-check"
import { expect, it } from "vitest"
import { jsonFault, positionIn } from "../../src/console/fault/JsonFault.ts"

it.each([
  ['{"and": [{"attr": "a", "value": 1}', 1, 35, '"," or "]"', "", "Add ]} at the end."],
  ['{"and": [\n  {"attr": "a"\n}', 3, 2, '"," or "]"', "", "Add ]} at the end."],
  [
    `${'{"a": ['.repeat(6)}1`,
    ...([1, 44, '"," or "]"', ""] as const),
    "12 brackets are not closed, the last of them the [ in line 1, column 42. Add ]}]}]}]}]} and 2 more at the end."
  ],
  ['{"and": [{"attr": "a"}}', 1, 23, '"," or "]"', "}", "The [ in line 1, column 9 is not closed."],
  ['{"a": 1,}', 1, 9, "a name in double quotes", "}", "Remove the comma before it."],
  ["[1, 2,]", 1, 7, "a value", "]", "Remove the comma before it."],
  ["{'a': 1}", 1, 2, 'a name in double quotes or "}"', "'", "Texts and names have double quotes."],
  ["{a: 1}", 1, 2, 'a name in double quotes or "}"', "a", "Texts and names have double quotes."],
  ['{"a": True}', 1, 7, "a value", "True", "Write true."],
  ['{"a" 1}', 1, 6, '":"', "1", ""],
  ['{"a": "b\n"}', 1, 7, "a value", '"', expect.stringContaining("double quote")],
  ["{} {}", 1, 4, "the end of the text", "{", ""],
  ["[01]", 1, 3, '"," or "]"', "1", ""],
  ["", 1, 1, "a value", "", ""]
])("%j is no JSON", (text, line, column, expected, found, advice) => {
  expect(jsonFault(text)).toEqual({ line, column, expected, found, advice })
})

it("finds a fault exactly where JSON.parse does", () => {
  const json = fc.jsonValue().map((value) => JSON.stringify(value, undefined, 1))
  const broken = fc.tuple(
    json,
    fc.nat(),
    fc.nat(3),
    fc.constantFrom("", ",", "]", "}", '"', "\\", "'", "1", "-", "\n", "e")
  )
  fc.assert(
    fc.property(
      fc.oneof(
        json,
        broken.map(([text, at, cut, put]) => {
          const from = at % (text.length + 1)
          return text.slice(0, from) + put + text.slice(from + cut)
        })
      ),
      (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(jsonFault(text) === undefined).toBe(isJson)
      }
    ),
    { numRuns: 2000 }
  )
})

it("finds faults of texts that nest as deep as a form can hold", () => {
  expect(jsonFault("[".repeat(250_000))).toMatchObject({ line: 1, column: 250_001 })
})

it("finds the place that a path names", () => {
  const text = '{"and": [\n  {"attr": "a", "value": 1},\n  {"attr": "b", "op": "gtt", "value": 1}\n]}'
  expect(positionIn(text, "and[1].op")).toEqual({ line: 3, column: 17 })
  expect(positionIn(text, "and[0]")).toEqual({ line: 2, column: 3 })
  expect(positionIn(text, "")).toEqual({ line: 1, column: 1 })
  expect(positionIn(text, "or[0]")).toBeUndefined()
})
