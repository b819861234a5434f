import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { type Query, filter } from "../../../src/inventory/derive/filter/Filter.ts"
import { kindOf } from "../../../src/inventory/derive/filter/Lookup.ts"
import { type Where, allVisible } from "../../../src/inventory/derive/filter/Where.ts"
import { runs } from "../../support/Seed.ts"

const site = objectType("dcim.site")
const webhook = objectType("extras.webhook")
const delivery = objectType("extras.delivery")
const token = objectType("users.token")

const suffixes = ["", "n", "ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie", "empty", "lt", "lte", "gt", "gte"]

/** The condition and its values; the first error otherwise. */
const whereOf = (type: ObjectType, ...query: Query): Where => {
  const filtered = filter(type, query, allVisible)
  if ("errors" in filtered) throw new Error(JSON.stringify(filtered.errors))
  return filtered.where
}

const errorsOf = (type: ObjectType, ...query: Query) => {
  const filtered = filter(type, query, allVisible)
  return "errors" in filtered ? filtered.errors : {}
}

const type = fc.constantFrom(...registry.values())
const parameter = type.chain((type) => {
  const names = ["id", "q", "tag", ...Object.keys(type.fields).flatMap((name) => [name, `${name}_id`])]
  return fc.record({ type: fc.constant(type), name: fc.constantFrom(...names), suffix: fc.constantFrom(...suffixes) })
})
const nameOf = ({ name, suffix }: { readonly name: string; readonly suffix: string }) =>
  suffix === "" ? name : `${name}__${suffix}`

const hostile = fc.oneof(
  fc.string(),
  fc.constantFrom("'", "'; drop table dcim_site; --", "$1", "$2", "\\", "%", "_", "{1,2}", "null", "true", "t.id", ")")
)
const usable = fc.constantFrom("1", "2026-11-20", "2026-11-20T10:00:00+01:00", "active", "update", "GET", "true")
const uuid = fc.uuid()
const values = fc.array(fc.oneof(hostile, usable, uuid), { minLength: 1, maxLength: 3 })

describe("a condition", () => {
  test("has a placeholder for every parameter, and a parameter for every placeholder", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(parameter, values), { minLength: 1, maxLength: 4 }), (parts) => {
        const [{ type }] = parts[0]!
        const query = parts.flatMap(([part, values]) => values.map((value) => [nameOf(part), value] as const))
        const filtered = filter(type, query, allVisible)
        const { sql, parameters } = "where" in filtered ? filtered.where : { sql: "", parameters: [] }
        const named = new Set(Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
        expect([...named].sort((a, b) => a - b)).toEqual(parameters.map((_, at) => at + 1))
      }),
      { numRuns: runs(1000) }
    )
  })

  test("has the same text for all values, so that it never contains a value", () => {
    const marked = fc.string({ unit: "grapheme-ascii", maxLength: 8 }).map((each) => `${each}~marker'`)
    const textual = parameter.filter(({ type, name, suffix }) => {
      const field = type.fields[name]
      return suffix !== "empty" && (name === "q" || name === "tag" || (field !== undefined && kindOf(field) === "text"))
    })
    fc.assert(
      fc.property(textual, fc.array(marked, { minLength: 1, maxLength: 3 }), (part, values) => {
        const query = (values: ReadonlyArray<string>) => values.map((value) => [nameOf(part), value] as const)
        const { sql } = whereOf(part.type, ...query(values))
        expect(sql).toBe(whereOf(part.type, ...query(values.map((_, at) => `plain${at}`))).sql)
        expect(sql).not.toContain("marker")
      }),
      { numRuns: runs(500) }
    )
  })

  test("is valid or gives an error for any query", () => {
    const name = fc.oneof(
      parameter.map(nameOf),
      fc.string(),
      fc.constantFrom(
        "",
        "__",
        "__proto__",
        "name__",
        "constructor",
        "name__constructor",
        "id____proto__",
        "_id",
        "q__n"
      )
    )
    const query = fc.array(fc.tuple(name, fc.oneof(hostile, usable)), { maxLength: 5 })
    fc.assert(
      fc.property(type, query, (type, query) => {
        const filtered = filter(type, query, allVisible)
        const sound = "where" in filtered ? filtered.where.sql !== "" : Object.keys(filtered.errors).length > 0
        expect(sound).toBe(true)
      }),
      { numRuns: runs(2000) }
    )
  })

  test("is true if the query has no known parameter", () => {
    const unknown =
      "nope name__nope constructor toString __proto__ name__constructor name__toString name____proto__ nope_id limit " +
      "id__hasOwnProperty status__ic latitude__ic region__lt region_id__empty name__n__n q__ic \0"
    for (const name of unknown.split(" ")) {
      expect(whereOf(site, [name, "x\0"])).toEqual({ sql: "true", parameters: [] })
    }
    expect(whereOf(site)).toEqual({ sql: "true", parameters: [] })
  })

  test("does not read secrets", () => {
    for (const name of ["secret", "secret__ic", "secret__empty"]) expect(errorsOf(webhook, [name, "x"])).not.toEqual({})
    for (const name of ["key", "key__isw"]) expect(errorsOf(token, [name, "x"])).not.toEqual({})
    expect(whereOf(objectType("users.user"), ["password", "x"], ["is_superuser", "true"]).sql).toBe("true")
    expect(whereOf(delivery, ["position", "1"]).sql).toBe("true")
  })

  test("joins different parameters by and, and takes the values of one together", () => {
    expect(whereOf(site, ["name", "a"], ["slug", "s"], ["name", "b"])).toEqual({
      sql: "(t.name = $1 or t.name = $2) and t.slug = $3",
      parameters: ["a", "b", "s"]
    })
  })
})

describe("a lookup", () => {
  test.each<readonly [string, string, ReadonlyArray<unknown>]>([
    ["name", "t.name = $1", ["5%"]],
    ["name__n", "(t.name = $1) is not true", ["5%"]],
    ["name__ic", "t.name ilike $1", [String.raw`%5\%%`]],
    ["name__nic", "(t.name ilike $1) is not true", [String.raw`%5\%%`]],
    ["name__isw", "t.name ilike $1", [String.raw`5\%%`]],
    ["name__nisw", "(t.name ilike $1) is not true", [String.raw`5\%%`]],
    ["name__iew", "t.name ilike $1", [String.raw`%5\%`]],
    ["name__niew", "(t.name ilike $1) is not true", [String.raw`%5\%`]],
    ["name__ie", "t.name ilike $1", [String.raw`5\%`]],
    ["name__nie", "(t.name ilike $1) is not true", [String.raw`5\%`]]
  ])("of a text: %s", (name, sql, values) => {
    expect(whereOf(site, [name, "5%"])).toEqual({ sql, parameters: values })
  })

  test("escapes the special characters of patterns, and nothing else", () => {
    expect(whereOf(site, ["name__ie", String.raw`a\b%c_d.*`]).parameters).toEqual([String.raw`a\\b\%c\_d.*`])
  })

  test.each([
    ["id", "t.id = $1::bigint", "-5"],
    ["id__n", "(t.id = $1::bigint) is not true", "5"],
    ["latitude", "t.latitude = $1::numeric", "1.5"],
    ["latitude__lt", "t.latitude < $1::numeric", "1"],
    ["latitude__lte", "t.latitude <= $1::numeric", "1"],
    ["latitude__gt", "t.latitude > $1::numeric", "1"],
    ["latitude__gte", "t.latitude >= $1::numeric", "1"],
    ["status", "t.status = $1", "active"],
    ["status__n", "(t.status = $1) is not true", "active"]
  ])("of a number or choice: %s", (name, sql, value) => {
    expect(whereOf(site, [name, value])).toEqual({ sql, parameters: [value] })
  })

  test("of a time accepts points in time and days, and passes them on in UTC", () => {
    const { sql, parameters } = whereOf(
      site,
      ["created__gte", "2026-11-20"],
      ["created__gte", "2026-11-20T01:00+23:00"]
    )
    expect(sql).toBe("(t.created >= $1::timestamptz or t.created >= $2::timestamptz)")
    expect(parameters).toEqual(["2026-11-20T00:00:00Z", "2026-11-19T02:00:00Z"])
  })

  test("of a flag, a list or a UUID is by its type", () => {
    expect(whereOf(webhook, ["enabled", "True"], ["enabled", "0"])).toEqual({
      sql: "t.enabled = any ($1::text[]::boolean[])",
      parameters: [["true", "false"]]
    })
    expect(whereOf(webhook, ["content_types", "dcim.site"])).toEqual({
      sql: "t.content_types && $1::text[]",
      parameters: [["dcim.site"]]
    })
    const id = "11111111-2222-4333-8444-555555555555"
    expect(whereOf(delivery, ["request_id", id])).toEqual({
      sql: "t.request_id = $1::uuid",
      parameters: [id]
    })
  })

  test("can ask whether there is a value", () => {
    expect(whereOf(site, ["facility__empty", "true"])).toEqual({
      sql: "(t.facility is null or t.facility = '')",
      parameters: []
    })
    expect(whereOf(site, ["latitude__empty", "false"]).sql).toEqual("not (t.latitude is null)")
  })

  test("of q searches for the last value in the search fields of the type", () => {
    expect(whereOf(webhook, ["q", "first"], ["q", " 5% "])).toEqual({
      sql: "(t.name ilike $1 or t.payload_url ilike $1)",
      parameters: [String.raw`%5\%%`]
    })
    expect(whereOf(webhook, ["q", "  "]).sql).toBe("true")
  })

  test("ignores an empty text", () => {
    expect(whereOf(site, ["name", ""], ["name__ic", ""]).sql).toBe("true")
    expect(whereOf(site, ["name", ""], ["name", "a"]).parameters).toEqual(["a"])
  })
})

describe("a reference", () => {
  test("is given by id or slug, and in a tree includes the descendants", () => {
    const below = (roots: string) =>
      `t.region_id = any (array(with recursive below (id) as (${roots} union select c.id from dcim_region c join below b on c.parent_id = b.id) select id from below))`
    expect(whereOf(site, ["region_id", "1"], ["region_id", "2"])).toEqual({
      sql: below("values ($1::bigint), ($2::bigint)"),
      parameters: ["1", "2"]
    })
    expect(whereOf(site, ["region", "emea"])).toEqual({
      sql: below("select k.id from dcim_region k where k.slug = $1"),
      parameters: ["emea"]
    })
  })

  test("is given by the natural name of its type if that has no slug", () => {
    const wanted = "array(select k.id from users_user k where k.username = $1)"
    expect(whereOf(token, ["user", "ann"]).sql).toBe(`t.user_id = any (${wanted})`)
    expect(whereOf(token, ["user_id__n", "5"]).sql).toBe(`(t.user_id = $1::bigint) is not true`)
  })

  test("may be null or one of the given objects", () => {
    const { sql, parameters } = whereOf(token, ["user_id", "null"], ["user_id", "3"])
    expect(sql).toBe("(t.user_id = $1::bigint or t.user_id is null)")
    expect(parameters).toEqual(["3"])
  })

  test("to tags requires all given tags", () => {
    const { sql, parameters } = whereOf(site, ["tag", "a"], ["tag", "b"], ["tag", "a"])
    expect(sql).toContain("t.tags @>")
    expect(parameters).toEqual([["a", "b"]])
    expect(whereOf(webhook, ["tag", "a"]).sql).toBe("true")
  })
})

describe("a value that makes no sense", () => {
  test.each<readonly [ObjectType, string, string, string]>([
    [site, "id", "abc", "Enter a number."],
    [site, "id", "1e3", "Enter a number."],
    [site, "id__lt", "9".repeat(19), "Enter a number."],
    [site, "id", "1.5", "Enter a whole number."],
    [webhook, "timeout__gte", "1.0", "Enter a whole number."],
    [site, "latitude", "x", "Enter a number."],
    [site, "status", "nope", "Select a valid choice. nope is not one of the available choices."],
    [site, "status__n", "", "Select a valid choice.  is not one of the available choices."],
    [site, "status", "toString", "Select a valid choice. toString is not one of the available choices."],
    [site, "region_id", "emea", "Select a valid choice. emea is not one of the available choices."],
    [site, "region_id", "", "Select a valid choice.  is not one of the available choices."],
    [site, "created", "yesterday", "Enter a valid date/time."],
    [site, "created__lt", "may 1", "Enter a valid date/time."],
    [site, "created__lt", "2026-02-30", "Enter a valid date/time."],
    [delivery, "request_id", "x", "Enter a valid UUID."],
    [site, "name", "a\0", "Null characters are not allowed."],
    [site, "q", "\0", "Null characters are not allowed."],
    [site, "region", "\0", "Null characters are not allowed."],
    [site, "tag", "\0", "Null characters are not allowed."]
  ])("of %o is told under its parameter: %s=%j", (type, name, value, message) => {
    expect(errorsOf(type, [name, value])).toEqual({ [name]: [message] })
  })

  test("is reported for all parameters and all values at once", () => {
    expect(errorsOf(site, ["id", "x"], ["id", "5"], ["id", "y"], ["status", "z"], ["name", "fine"])).toEqual({
      id: ["Enter a number.", "Enter a number."],
      status: ["Select a valid choice. z is not one of the available choices."]
    })
  })
})
