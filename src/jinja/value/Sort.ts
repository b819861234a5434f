/** Python's stable sort, with `<` as the only comparison. */
import type { Runtime, Value } from "./Value.ts"
import { compare } from "./Compare.ts"

/** `sorted(items, key=…, reverse=…)` */
export const sortBy = (
  runtime: Runtime,
  items: ReadonlyArray<Value>,
  keyOf: (item: Value) => Value,
  reverse: boolean
): Array<Value> => {
  runtime.alloc(items.length * 8)
  const keyed = items.map((value) => {
    runtime.tick(1)
    return { value, key: keyOf(value) }
  })
  // Python reverses before and after: equal elements keep their order, and the same pair that cannot be compared comes
  // first. Unordered elements (NaN) count as equal.
  if (reverse) keyed.reverse()
  keyed.sort((a, b) => compare(runtime, a.key, b.key, "<") || 0)
  if (reverse) keyed.reverse()
  return keyed.map(({ value }) => value)
}
