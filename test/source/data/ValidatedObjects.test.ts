/** The cache of objects with an ETag. */
import { expect, it } from "vitest"
import { ValidatedObjects } from "../../../src/source/data/ValidatedObjects.ts"

const found = (chars: number) => ({ _tag: "Found", json: "x".repeat(chars), lastUpdated: undefined }) as const

it("keeps objects up to its bytes, and drops those that were used longest ago", () => {
  const objects = new ValidatedObjects(7000)
  for (const key of ["a", "b", "c"]) objects.set(key, `"${key}"`, found(1000))
  expect(objects.get("a")?.etag).toBe('"a"')
  objects.set("d", '"d"', found(1000))
  expect(["a", "b", "c", "d"].filter((key) => objects.get(key) !== undefined)).toEqual(["a", "c", "d"])
  objects.set("e", '"e"', found(4000))
  expect(["a", "c", "d", "e"].filter((key) => objects.get(key) !== undefined)).toEqual([])
  objects.set("a", '"a"', found(3000))
  expect(objects.get("a")).toBeDefined()
})

it("stores no object without an ETag that a header may repeat, and none that is replaced by one", () => {
  const objects = new ValidatedObjects(7000)
  for (const etag of [undefined, "", "abc", '"a\r\nb: c"', '"a"b"', `"${"x".repeat(201)}"`]) {
    objects.set("a", 'W/"1"', found(1))
    objects.set("a", etag, found(1))
    expect(objects.get("a")).toBeUndefined()
  }
})
