import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { constraint } from "../../../src/inventory/derive/filter/Constraint.ts"
import { type Where, allOf, anyOf, everything } from "../../../src/inventory/derive/filter/Where.ts"
import { runs } from "../../support/Seed.ts"

const site = objectType("dcim.site")
const token = objectType("users.token")

const whereOf = (type: ObjectType, document: unknown): Where => {
  const found = constraint(type, document)
  if ("errors" in found) throw new Error(JSON.stringify(found.errors))
  return found.where
}

const refused = (type: ObjectType, document: unknown): boolean => "errors" in constraint(type, document)

describe("a constraint", () => {
  test.each<readonly [unknown, string, ReadonlyArray<unknown>]>([
    [null, "true", []],
    [{}, "true", []],
    [{ status: "active" }, "t.status = $1", ["active"]],
    [{ status__in: ["active", "planned"] }, "(t.status = $1 or t.status = $2)", ["active", "planned"]],
    [{ name__startswith: "a_" }, "t.name like $1", [String.raw`a\_%`]],
    [{ name__icontains: "a" }, "t.name ilike $1", ["%a%"]],
    [{ name: "" }, "t.name = $1", [""]],
    [{ region: 5 }, "t.region_id = $1::bigint", ["5"]],
    [{ region_id: 5 }, "t.region_id = $1::bigint", ["5"]],
    [
      { region__pk__in: [5] },
      "t.region_id = any (array(select t_.id from dcim_region t_ where t_.id = $1::bigint))",
      ["5"]
    ],
    [{ region: null }, "t.region_id is null", []],
    [{ region__isnull: false }, "not (t.region_id is null)", []],
    [
      { region__parent__isnull: true },
      "(t.region_id = any (array(select t_.id from dcim_region t_ where not (t_.parent_id is null)))) is not true",
      []
    ],
    [{ id__range: [1, 9] }, "t.id >= $1::bigint and t.id <= $2::bigint", ["1", "9"]],
    [
      { region__parent__slug: "emea", status: "active" },
      "t.region_id = any (array(select t_.id from dcim_region t_ where t_.parent_id = any (array(select t__.id from dcim_region t__ where t__.slug = $1)))) and t.status = $2",
      ["emea", "active"]
    ],
    [{ tags__name: "core" }, "t.tags && array(select t_.id from extras_tag t_ where t_.name = $1)", ["core"]],
    [
      [{ status: "active" }, { name: "a", slug: "b" }],
      "(t.status = $1) or (t.name = $2 and t.slug = $3)",
      ["active", "a", "b"]
    ],
    [[{ status: "active" }, {}], "true", []],
    [[], "false", []]
  ])("%j is a condition", (document, sql, parameters) => {
    expect(whereOf(site, document)).toEqual({ sql, parameters })
  })

  test.each<readonly [unknown]>([
    [5],
    ["x"],
    [[5]],
    [{ nope: 1 }],
    [{ name__nope: 1 }],
    [{ name__exact__exact: 1 }],
    [{ region__nope: 1 }],
    [{ region__slug__nope: 1 }],
    [{ status: "nope" }],
    [{ status: ["active"] }],
    [{ status__in: "active" }],
    [{ status: { a: 1 } }],
    [{ id: "x" }],
    [{ name: "\0" }],
    [{ latitude__range: [1] }],
    [{ name__isnull: "x" }],
    [{ constructor: 1 }]
  ])("%j is refused, for nothing of it may be ignored", (document) => {
    expect(refused(site, document)).toBe(true)
  })

  test("may use fields that the API does not show, but no secrets", () => {
    expect(whereOf(token, { user__is_superuser: false }).parameters).toEqual([["false"]])
    expect(refused(token, { key: "a" })).toBe(true)
    expect(refused(token, { user__password: "a" })).toBe(true)
  })

  test("becomes a condition or an error for any document", () => {
    const word = fc.constantFrom(
      "name",
      "region",
      "tags",
      "parent",
      "id",
      "pk",
      "slug",
      "in",
      "exact",
      "isnull",
      "range",
      "",
      "contains"
    )
    const name = fc.array(word, { maxLength: 4 }).map((words) => words.join("__"))
    const document = fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.constantFrom(1, "a", [1, 2])))
    fc.assert(
      fc.property(
        fc.constantFrom(...registry.values()),
        fc.oneof(document, fc.array(document), fc.jsonValue()),
        (type, document) => {
          const found = constraint(type, document)
          const { sql, parameters } = "where" in found ? found.where : everything
          const named = new Set(Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
          expect([...named].sort((a, b) => a - b)).toEqual(parameters.map((_, at) => at + 1))
        }
      ),
      { numRuns: runs(1000) }
    )
  })
})

describe("conditions together", () => {
  const a: Where = { sql: "t.a = $1 or t.b = $2", parameters: [1, 2] }
  const b: Where = { sql: "t.c = $1", parameters: [3] }

  test("keep their parameters", () => {
    expect(allOf(a, b)).toEqual({ sql: "(t.a = $1 or t.b = $2) and (t.c = $3)", parameters: [1, 2, 3] })
    expect(anyOf(b, a)).toEqual({ sql: "(t.c = $1) or (t.a = $2 or t.b = $3)", parameters: [3, 1, 2] })
  })

  test("of a single condition are that condition", () => {
    expect(allOf(a, everything)).toEqual(a)
    expect(allOf()).toEqual(everything)
    expect(anyOf()).toEqual({ sql: "false", parameters: [] })
  })
})
