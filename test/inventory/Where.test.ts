import { expect, test } from "vitest"
import { among, equalTo, nothing } from "../../src/inventory/derive/filter/Where.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import type Tag from "../../src/inventory/types/extras/Tag.ts"

const tagType = objectType<typeof Tag>("extras.tag")

test("no row has a text that Postgres cannot keep", () => {
  for (const slug of ["a\0b", "\ud800"]) {
    expect(equalTo(tagType, { name: "x", slug })).toEqual(nothing)
    expect(among(tagType, "slug", ["x", slug]).parameters).toEqual([["x"]])
  }
  expect(equalTo(tagType, { name: "x" }).parameters).toEqual(["x"])
})
