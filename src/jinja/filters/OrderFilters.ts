/** Filters that compare elements: sort, group, minimum, maximum. */
import { Fault } from "../runtime/Fault.ts"
import { native } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { compare, equals, isTrue } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { elementsOf, iterate, lazily } from "../value/Iterate.ts"
import { nothing } from "../value/Lookup.ts"
import { sortBy } from "../value/Sort.ts"
import { GroupTuple, type Markup, Tuple, isText, plain } from "../value/Values.ts"
import { type KeyOf, attributeGetter, ignoreCase, keyGetter } from "./Attribute.ts"
import { entriesOf } from "./HtmlFilters.ts"

const extreme = (
  runtime: Runtime,
  value: Value,
  caseSensitive: boolean,
  attribute: Value | undefined,
  operator: "<" | ">"
): Value => {
  const keyOf = keyGetter(runtime, attribute, caseSensitive)
  const next = iterate(runtime, value)
  let best = next()
  if (best === undefined) return nothing("No aggregated item, sequence was empty.")
  let bestKey = keyOf(best)
  for (let item = next(); item !== undefined; item = next()) {
    const key = keyOf(item)
    const order = compare(runtime, key, bestKey, operator)
    if (operator === "<" ? order >= 0 : order <= 0) continue
    best = item
    bestKey = key
  }
  return best
}

/**
 * The sort key, always a list: lists are compared by `==` first, and two undefined values are equal, although `<`
 * between them fails.
 */
const sortKey = (runtime: Runtime, attribute: Value | undefined, caseSensitive: boolean): KeyOf => {
  const names = isText(attribute ?? null) ? plain(attribute as string | Markup).split(",") : [attribute]
  const getters = names.map((name) => keyGetter(runtime, name, caseSensitive))
  return (item) => getters.map((get) => get(item))
}

const unique = (runtime: Runtime, value: Value, caseSensitive: boolean, attribute: Value | undefined): Value =>
  lazily("do_unique", () => {
    const keyOf = keyGetter(runtime, attribute, caseSensitive)
    const seen = new Dict()
    const next = iterate(runtime, value)
    return () => {
      for (let item = next(); item !== undefined; item = next()) {
        const key = keyOf(item)
        runtime.charge(key)
        if (seen.has(key)) continue
        runtime.alloc(16)
        seen.set(key, null)
        return item
      }
      return undefined
    }
  })

const groupBy = (
  runtime: Runtime,
  value: Value,
  attribute: Value,
  absent: Value | undefined,
  caseSensitive: boolean
): Array<Value> => {
  const keyOf = keyGetter(runtime, attribute, caseSensitive, absent)
  const nameOf = attributeGetter(runtime, attribute, absent)
  const groups: Array<{ readonly key: Value; readonly items: Array<Value> }> = []
  for (const item of sortBy(runtime, elementsOf(runtime, value), keyOf, false)) {
    const key = keyOf(item)
    const group = groups.at(-1)
    if (group !== undefined && equals(runtime, group.key, key)) group.items.push(item)
    else groups.push({ key, items: [item] })
    runtime.alloc(8)
  }
  return groups.map(({ items }) => new GroupTuple([nameOf(items[0]!), items]))
}

const dictSort = (runtime: Runtime, value: Value, caseSensitive: boolean, by: Value, reversed: boolean): Value => {
  const index = by === "key" ? 0 : by === "value" ? 1 : -1
  if (index < 0) throw new Fault("FilterArgument", 'You can only sort by either "key" or "value"')
  const pairs = Array.from(entriesOf(value), (entry) => new Tuple(entry))
  const keyOf = (pair: Value) => (pair as Tuple).items[index]!
  return sortBy(runtime, pairs, caseSensitive ? keyOf : (pair) => ignoreCase(runtime, keyOf(pair)), reversed)
}

export const orderFilters: Readonly<Record<string, Native>> = {
  dictsort: native(
    "do_dictsort(value, case_sensitive?, by?, reverse?)",
    (rt, value, cs = false, by = "key", rev = false) => dictSort(rt, value, isTrue(cs), by, isTrue(rev))
  ),
  groupby: native("sync_do_groupby(value, attribute, default?, case_sensitive?)", (rt, value, by, absent, cs = false) =>
    groupBy(rt, value, by, absent, isTrue(cs))
  ),
  max: native("do_max(value, case_sensitive?, attribute?)", (rt, value, cs = false, attribute) =>
    extreme(rt, value, isTrue(cs), attribute, ">")
  ),
  min: native("do_min(value, case_sensitive?, attribute?)", (rt, value, cs = false, attribute) =>
    extreme(rt, value, isTrue(cs), attribute, "<")
  ),
  sort: native(
    "do_sort(value, reverse?, case_sensitive?, attribute?)",
    (rt, value, rev = false, cs = false, attribute) =>
      sortBy(rt, elementsOf(rt, value), sortKey(rt, attribute, isTrue(cs)), isTrue(rev))
  ),
  unique: native("do_unique(value, case_sensitive?, attribute?)", (rt, value, cs = false, attribute) =>
    unique(rt, value, isTrue(cs), attribute)
  )
}
