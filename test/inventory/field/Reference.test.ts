import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Row, View } from "../../../src/inventory/Field.ts"
import { parseArray, texts } from "../../../src/inventory/field/List.ts"
import { customFields } from "../../../src/inventory/field/CustomFields.ts"
import { ref, refs, tags } from "../../../src/inventory/field/Reference.ts"
import { printed, text } from "../Rows.ts"
import { runs } from "../../support/Seed.ts"

const unrecognized = (shown: string) =>
  `Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: ${shown}`

const names: Readonly<Record<number, string>> = { 1: "zebra", 2: "Yak", 3: "bee" }

const view: View = {
  base: "",
  row: (type, id): Row | undefined =>
    type === "extras.tag" && names[id] !== undefined ? { id, name: names[id] } : undefined,
  label: (type) => type,
  customFields: () => [],
  counted: () => undefined,
  eventPath: () => undefined,
  nested: (type, id) => {
    if (typeof id !== "number") throw new TypeError("asked for nothing")
    return names[id] === undefined ? null : { type, id }
  }
}

describe("a reference", () => {
  const field = ref("dcim.region", { optional: true, onDelete: "set null" })

  test.each([
    [5, { id: 5 }],
    ["5", { id: 5 }],
    [0, { id: 0 }],
    [{ id: 5 }, { id: 5 }],
    [{ id: "5", name: "ignored", url: "ignored" }, { id: 5 }],
    [{ name: "x" }, { attributes: { name: "x" } }],
    [{}, { attributes: {} }]
  ])("is named by %j", (input, value) => {
    expect(field.parse(input)).toEqual({ value })
  })

  test.each([
    ["five", "five"],
    ["", ""],
    ["-5", "-5"],
    [1.5, "1.5"],
    [2 ** 53, "9007199254740992"],
    ["9007199254740993", "9007199254740993"],
    [true, "True"],
    [["it's", null], `["it's", None]`],
    [[5], "[5]"],
    [{ id: "abc" }, "abc"],
    [{ id: null }, "None"],
    [{ id: { id: 5 } }, "{'id': 5}"]
  ])("is not named by %j", (input, shown) => {
    expect(field.parse(input)).toEqual({ errors: [unrecognized(shown)] })
  })

  test("may be null only if it is optional", () => {
    expect([field.parse(null), field.initial?.()]).toEqual([{ value: null }, null])
    const required = ref("dcim.region", { onDelete: "cascade" })
    expect(required.parse(null)).toEqual({ errors: ["This field may not be null."] })
    expect(required.initial).toBeUndefined()
  })

  test("is shown nested, and as its id in a snapshot", () => {
    expect(field.represent(1, view, "")).toEqual({ type: "dcim.region", id: 1 })
    expect([field.represent(9, view, ""), field.represent(null, view, "")]).toEqual([null, null])
    expect([field.snapshot(1, view, ""), field.snapshot(null, view, "")]).toEqual([1, null])
  })
})

describe("tags", () => {
  const field = tags()

  test("are a list of references", () => {
    expect(field.parse([])).toEqual({ value: [] })
    expect(field.parse([1, "2", { id: 3 }, { slug: "x" }])).toEqual({
      value: [{ id: 1 }, { id: 2 }, { id: 3 }, { attributes: { slug: "x" } }]
    })
    expect(field.parse([1, "x", null])).toEqual({ errors: [{}, [unrecognized("x")], [unrecognized("None")]] })
  })

  test.each([
    [5, "int"],
    [1.5, "float"],
    ["1", "str"],
    [true, "bool"],
    [{ id: 1 }, "dict"]
  ])("are not %j", (input, name) => {
    const message = `Expected a list of items but got type "${name}".`
    expect(field.parse(input)).toEqual({ errors: { non_field_errors: [message] } })
    expect(refs("ipam.asn").parse(input)).toEqual({ errors: [message] })
  })

  test("are five thousand at most in a request", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
    const message = "Ensure this field has no more than 5000 elements."
    expect(field.parse(ids(5000))).toHaveProperty("value")
    expect(field.parse(ids(5001))).toEqual({ errors: { non_field_errors: [message] } })
    expect(refs("ipam.asn").parse(ids(5001))).toEqual({ errors: [message] })
  })

  test("are shown nested, and as sorted names in a snapshot, without deleted ones", () => {
    expect(field.represent([1, 9, 3], view, "")).toEqual([
      { type: "extras.tag", id: 1 },
      { type: "extras.tag", id: 3 }
    ])
    expect(field.snapshot([3, 9, 1, 2], view, "")).toEqual(["Yak", "bee", "zebra"])
    expect([field.represent([], view, ""), field.snapshot([], view, "")]).toEqual([[], []])
  })

  test("are empty by default, for the API and for plain SQL", () => {
    expect([field.initial?.(), field.sqlDefault, field.nullable]).toEqual([[], "'{}'", false])
  })
})

test("custom values are a thousand at most in a request", () => {
  const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))
  expect(customFields().parse(values(1000))).toEqual({ value: values(1000) })
  const message = "Ensure this field has no more than 1000 elements."
  expect(customFields().parse(values(1001))).toEqual({ errors: [message] })
})

describe("a list of texts", () => {
  const field = texts()

  test("has each text once", () => {
    expect(field.parse(["b", "a", "b", ""])).toEqual({ value: ["b", "a", ""] })
  })

  test("is refused if it is not a list, is empty, or contains another value", () => {
    expect(field.parse("a")).toEqual({ errors: ['Expected a list of items but got type "str".'] })
    expect(field.parse({})).toEqual({ errors: ['Expected a list of items but got type "dict".'] })
    expect(field.parse([])).toEqual({ errors: ["This list may not be empty."] })
    expect(field.parse(["a", 5])).toEqual({ errors: ["Not a valid string."] })
    expect(field.parse(null)).toEqual({ errors: ["This field may not be null."] })
  })

  test("is parsed from Postgres' text format, for any texts", () => {
    fc.assert(
      fc.property(fc.array(text), (items) => {
        expect(parseArray(printed(field, items))).toEqual(items)
      }),
      { numRuns: runs(500) }
    )
  })

  test.each([
    ["{}", []],
    ['{""}', [""]],
    ["{a,b}", ["a", "b"]],
    [String.raw`{"a,b","c\"d","e\\f","{}",NULLS}`, ["a,b", 'c"d', String.raw`e\f`, "{}", "NULLS"]],
    [String.raw`{"\\\""}`, [String.raw`\"`]],
    ['{"a b","\n",ä}', ["a b", "\n", "ä"]]
  ])("is read from %j", (printing, items) => {
    expect(parseArray(printing)).toEqual(items)
  })
})
