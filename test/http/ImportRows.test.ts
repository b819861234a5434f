/** Rows of import files as the worker packs them: equal to what a parser of the whole file gives, or refused. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import type { Kind } from "../../src/http/files/Columns.ts"
import { withGuard, withoutGuard } from "../../src/http/files/Formula.ts"
import type { Format } from "../../src/http/files/ImportFormat.ts"
import { type Portion, portionsOf } from "../../src/http/files/ImportRows.ts"
import { runs } from "../support/Seed.ts"

const columns: Readonly<Record<string, Kind>> = {
  id: "value",
  name: "text",
  slug: "text",
  vid: "value",
  custom_fields: { asset: "text", count: "value" }
}

const portions = (format: Format, text: string): ReadonlyArray<Portion> => [
  ...portionsOf(text, format, { columns, escaped: true })
]

const rows = (format: Format, text: string): ReadonlyArray<unknown> =>
  portions(format, text).flatMap(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as ReadonlyArray<unknown>)

/** Values that can be written as JSON and as YAML. */
const value = fc.jsonValue({ maxDepth: 4 }).map((each) => JSON.parse(JSON.stringify(each)) as unknown)

describe("rows", () => {
  test("of JSON equal those of JSON.parse, whatever the indentation", () => {
    fc.assert(
      fc.property(fc.array(value), fc.nat(4), (list, indent) => {
        expect(rows("json", ` ${JSON.stringify(list, undefined, indent)}\n`)).toEqual(list)
      }),
      { numRuns: runs(1000) }
    )
  })

  test("of YAML equal those of a parser that reads the whole file", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.constantFrom("", "# sites\n\n", "---\n"), (list, lead) => {
        const text = lead + stringify(list, { aliasDuplicateObjects: false })
        expect(rows("yaml", text)).toEqual(JSON.parse(JSON.stringify(parse(text))))
      }),
      { numRuns: runs(100) }
    )
  })

  test.each([
    ["- a\n- b", ["a", "b"]],
    ["\uFEFF- a\r\n- b\r\n", ["a", "b"]],
    ["  - a: 1\n    b:\n    - 2\n  - c\n", [{ a: 1, b: [2] }, "c"]],
    ["-\n  a: |\n    - x\n    - y\n- - z\n", [{ a: "- x\n- y\n" }, ["z"]]],
    ["[{a: 1}, b]", [{ a: 1 }, "b"]],
    ["--- # first\n- a\n...\n", ["a"]],
    ["- a\n---\n- b", ["a", "b"]],
    ["name: 0123\nvid: 1", [{ name: "0123", vid: 1 }]],
    [
      "# library\n%YAML 1.2\n---\nname: a\n---\nname: |\n  - b\n\n  ---\n---\n",
      [{ name: "a" }, { name: "- b\n\n---\n" }]
    ],
    ["---\n---\n- a\n--- {name: b}", ["a", { name: "b" }]],
    ["- <<: 1\n  __proto__: 2", [JSON.parse('{"<<": 1, "__proto__": 2}')]]
  ])("of the YAML %j are what it means", (text, expected) => {
    expect(rows("yaml", text)).toEqual(expected)
  })

  test("of JSON may be one object", () => {
    expect(rows("json", '\uFEFF {"name": "[a]"}\n')).toEqual([{ name: "[a]" }])
  })

  test("of YAML keep a text as it is written, and read numbers and booleans where a field is one", () => {
    const scalars = [
      "0123",
      "1.10",
      "1e3",
      "0x1F",
      "0o17",
      "true",
      "+1",
      ".5",
      ".inf",
      ".nan",
      "2026-01-31",
      "12:30:45"
    ]
    for (const text of scalars) {
      const asset = `custom_fields: {asset: ${text}, count: 0x1F}`
      const row = `name: ${text}\n  slug: [${text}, {name: ${text}}]\n  vid: 0x1F\n  ${asset}\n  other: {1.10: 2.0}`
      expect(rows("yaml", `- ${row}\n`)).toEqual([
        {
          name: text,
          slug: [text, { name: text }],
          vid: 31,
          custom_fields: { asset: text, count: 31 },
          other: { "1.10": 2 }
        }
      ])
    }
    expect(rows("yaml", "- name: ~\n  slug: !!int '7'\n  vid: true")).toEqual([{ name: null, slug: 7, vid: true }])
  })

  test("come in portions with consecutive numbers", () => {
    const list = Array.from({ length: 1234 }, (_, n) => ({ name: `n ${n}`, ...(n % 3 === 0 && { id: n }) }))
    for (const [format, text] of [
      ["json", JSON.stringify(list)],
      ["yaml", stringify(list)],
      ["csv", `name,id\n${list.map(({ name, id }) => `${name},${id ?? ""}\n`).join("")}`]
    ] as const) {
      const found = portions(format, text)
      expect(found.map(({ first, count }) => [first, count])).toEqual([
        [1, 500],
        [501, 500],
        [1001, 234]
      ])
      expect(found.reduce((sum, { changes }) => sum + changes, 0)).toBe(412)
      expect(rows(format, text)).toHaveLength(1234)
    }
  })
})

describe("a file is refused", () => {
  test.each<readonly [Format, string, RegExp]>([
    ["yaml", "- a: 1\n- b: 1\n  c: 2\n  b: 3\n", /line 4: a key occurs twice/],
    ["yaml", "- a\n- b: [\n- c", /line 2|line 3/],
    ["yaml", `${"- a\n".repeat(10_000)}- "b\n`, /line 1000[12]/],
    ["yaml", "- .nan", /line 1: NaN is no number/],
    ["yaml", "- &a 1\n- *a", /cannot be read/],
    ["yaml", "- a\n---\nname: b\nname: c\n", /line 4: a key occurs twice/],
    ["yaml", `name: a\n---\nname: ${"x".repeat(1 << 18)}`, /A YAML document of more than/],
    ["yaml", "---\n# nothing\n---\n", /Expected a list/],
    ["yaml", "nothing", /expected a list/],
    ["json", `{"a": ${"[".repeat(700)}}`, /^Row 1 is nested more than 100 levels deep/],
    ["json", '{"a": 1} 2', /row 1/],
    ["yaml", "", /Expected a list/],
    ["yaml", `- ${"x".repeat(2 << 20)}`, /^Row 1 has \d+ characters/],
    ["json", '[{"a": 1}, {"a" 1}]', /row 2/],
    ["json", "[1,]", /row 2/],
    ["json", "[1}", /unexpected text after row 1/],
    ["json", "[1] 2", /unexpected text after row 1/],
    ["json", "[1", /does not end after row 1/],
    ["json", '["', /does not end/],
    ["json", `[1, ${"[".repeat(700)}]`, /^Row 2 is nested more than 100 levels deep/],
    ["json", `[{${Array.from({ length: 1001 }, (_, n) => `"${n}": 1`).join()}}]`, /^Row 1 has 1001 keys/],
    ["csv", "name,other\na,b", /^Unknown columns: other\.$/],
    ["csv", "name,slug\na", /^Row 1 has 1 cells/]
  ])("that is %s, %#, with the place", (format, text, message) => {
    expect(() => rows(format, text)).toThrow(message)
  })
})

describe("the apostrophe before a formula", () => {
  test("is added to every cell that begins like a formula, and removed again", () => {
    const cell = fc.string({
      unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "'", '"', ",", "\uFF1D", "1", "a")
    })
    fc.assert(
      fc.property(fc.oneof(cell, fc.string()), (text) => {
        const guarded = withGuard(text)
        expect(guarded).not.toMatch(/^[=+\-@\t\r\uFF1D]/)
        expect(withoutGuard(guarded)).toBe(text)
      }),
      { numRuns: runs(1000) }
    )
  })

  test("is not removed from text that no export would have written", () => {
    expect(["'tis", "O'Neill", "'", "''a"].map(withoutGuard)).toEqual(["'tis", "O'Neill", "'", "''a"])
  })
})
