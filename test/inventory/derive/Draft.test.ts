import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { draft, withInitials } from "../../../src/inventory/derive/values/Draft.ts"
import { textsIn } from "../../../src/inventory/Field.ts"
import { runs } from "../../support/Seed.ts"

const site = objectType("dcim.site")
const token = objectType("users.token")
const user = objectType("users.user")

const types = [...registry.values()].map((type) => [type.id, type] as const)

describe("a body", () => {
  test("becomes the values of the fields that it names", () => {
    const body = { name: " Site 1 ", slug: "site-1", latitude: "1.5", region: { name: "x" }, tags: [1], unknown: 5 }
    expect(draft(site, body, true)).toEqual({
      values: {
        name: "Site 1",
        slug: "site-1",
        latitude: 1.5,
        region: { attributes: { name: "x" } },
        tags: [{ id: 1 }]
      },
      errors: {}
    })
  })

  test("gets a message for each invalid field", () => {
    expect(draft(site, { name: "", slug: "a b", status: "x", latitude: 91, time_zone: null }, true)).toEqual({
      values: { time_zone: null },
      errors: {
        name: ["This field may not be blank."],
        slug: [`Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`],
        status: ["x is not a valid choice."],
        latitude: ["Ensure this value is less than or equal to 90."]
      }
    })
  })

  test("must contain the required fields for a create, but not for a change", () => {
    expect(draft(site, {}, true)).toEqual({
      values: {},
      errors: { name: ["This field is required."], slug: ["This field is required."] }
    })
    expect(draft(site, {}, false)).toEqual({ values: {}, errors: {} })
    expect(draft(site, { name: undefined, slug: "s" }, true).errors).toEqual({ name: ["This field is required."] })
  })

  test("cannot set fields that are read-only or internal to the database", () => {
    const body = { username: "eve", password: "pass word", is_superuser: true, date_joined: "2026-11-20T00:00Z", id: 5 }
    expect(draft(user, body, true)).toEqual({ values: { username: "eve", password: "pass word" }, errors: {} })
    expect(draft(token, { user: 1, created: "2026-11-20T00:00Z", last_used: null }, true)).toEqual({
      values: { user: { id: 1 } },
      errors: {}
    })
  })

  test.each([
    [null, "NoneType"],
    [undefined, "NoneType"],
    [[], "list"],
    [[{ name: "x" }], "list"],
    ["text", "str"],
    [5, "int"],
    [1.5, "float"],
    [true, "bool"]
  ])("is an object, not %j", (body, got) => {
    const message = `Invalid data. Expected a dictionary, but got ${got}.`
    expect(draft(site, body, false)).toEqual({ values: {}, errors: { non_field_errors: [message] } })
  })

  test("sets a field only by an own property", () => {
    const body = JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1, "toString": 2}') as unknown
    expect(draft(site, body, false)).toEqual({ values: {}, errors: {} })
    expect(draft(site, Object.create({ name: "x" }), false)).toEqual({ values: {}, errors: {} })
  })
})

describe.each(types)("any body of %s", (_, type) => {
  const names = Object.keys(type.fields)
  const hidden = new Set(names.filter((name) => ["read", "none"].includes(type.fields[name]!.wire)))
  const loose = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, "", 0, true, [], {}, { toString: 1 }, { id: 1 }, [1], "x", "\0", "\ud83d", -1, 1e300)
  )
  const body = fc.dictionary(fc.constantFrom(...names, "unknown", "__proto__"), loose, { maxKeys: names.length })

  test("gives a value or messages for each field, never both, and neither for read-only fields", () => {
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), fc.boolean(), (body, whole) => {
        const { values, errors } = draft(type, JSON.parse(JSON.stringify(body)), whole)
        const told = [...Object.keys(values), ...Object.keys(errors).filter((name) => name !== "non_field_errors")]
        expect(new Set(told).size).toBe(told.length)
        expect(told.filter((name) => !names.includes(name) || hidden.has(name))).toEqual([])
        expect(Object.values(errors).every((messages) => textsIn(messages).length > 0)).toBe(true)
      }),
      { numRuns: runs(100) }
    )
  })

  test("is complete with the defaults of the declaration", () => {
    const named = Object.fromEntries(names.slice(0, 2).map((name) => [name, "named"]))
    const complete = withInitials(type, named)
    expect(complete).toMatchObject(named)
    const without = names.filter((name) => type.fields[name]!.initial === undefined && !Object.hasOwn(named, name))
    expect(names.filter((name) => !Object.hasOwn(complete, name))).toEqual(without)
    expect(Object.values(complete)).not.toContain(undefined)
  })
})

describe("a new row", () => {
  test("keeps an explicit null instead of the default", () => {
    expect(withInitials(site, { status: null, comments: undefined })).toMatchObject({
      status: null,
      comments: undefined,
      description: "",
      tags: []
    })
  })
})
