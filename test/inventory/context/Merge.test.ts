/** Laws of the merge of config contexts, and its equality with NetBox's. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { mergedData } from "../../../src/inventory/context/Merge.ts"
import { type Dictionary, isDictionary } from "../../../src/inventory/Field.ts"

/** Few keys, so that they meet; among them keys that objects of JavaScript have already. */
const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "1")

const { data } = fc.letrec<{ readonly value: unknown; readonly data: Dictionary }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 7, "x", ""),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }),
    tie("data")
  ),
  data: fc
    .array(fc.tuple(key, tie("value")), { maxLength: 4 })
    // As JSON.parse makes it: `__proto__` is a property.
    .map((pairs) => JSON.parse(`{${pairs.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`))
}))

/** NetBox's `deepmerge`, word by word, over maps. */
const deepmerge = (original: unknown, added: unknown): unknown => {
  if (!isDictionary(original) || !isDictionary(added)) return added
  const merged = new Map(Object.entries(original))
  for (const [name, value] of Object.entries(added)) {
    const before = merged.get(name)
    const isMerged = isDictionary(before) && isDictionary(value) && Object.keys(value).length > 0
    merged.set(name, isMerged ? deepmerge(before, value) : value)
  }
  const text = [...merged].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return JSON.parse(`{${text.join()}}`)
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test("the merge is NetBox's", () => {
  fc.assert(
    fc.property(fc.array(data, { maxLength: 5 }), (all) => {
      expect(plain(mergedData(all))).toEqual(all.reduce<unknown>(deepmerge, {}))
    })
  )
})

test("nothing and empty data change nothing", () => {
  expect(plain(mergedData([]))).toEqual({})
  fc.assert(
    fc.property(data, (one) => {
      expect(plain(mergedData([{}, one, {}]))).toEqual(one)
    })
  )
})

test("equal data in a row is merged as once", () => {
  fc.assert(
    fc.property(data, data, (one, other) => {
      expect(plain(mergedData([one, other, other]))).toEqual(plain(mergedData([one, other])))
    })
  )
})

test("the last value of a key wins, and the keys are those of all", () => {
  fc.assert(
    fc.property(fc.array(data, { minLength: 1, maxLength: 5 }), (all) => {
      const merged = mergedData(all)
      expect(new Set(Object.keys(merged))).toEqual(new Set(all.flatMap((each) => Object.keys(each))))
      const wins = Object.entries(all.at(-1)!).filter(([, value]) => !isDictionary(value))
      expect(wins.map(([name]) => plain(merged[name]))).toEqual(wins.map(([, value]) => value))
    })
  )
})

test("the sources stay as they are", () => {
  fc.assert(
    fc.property(fc.array(data, { maxLength: 5 }), (all) => {
      const before = JSON.stringify(all)
      mergedData(all)
      expect(JSON.stringify(all)).toBe(before)
    })
  )
})

test("many small contexts over a large one copy it once", () => {
  const large = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at]))
  let read = 0
  const watched = new Proxy(large, { ownKeys: (of) => ((read += 1), Reflect.ownKeys(of)) })
  const many = Array.from({ length: 1000 }, (_, at) => ({ deep: { [`n${at}`]: at } }))
  const merged = mergedData([{ deep: watched }, ...many]) as { readonly deep: Dictionary }
  expect(Object.keys(merged.deep)).toHaveLength(31_000)
  expect(read).toBeLessThanOrEqual(2)
})
