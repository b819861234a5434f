/** Filters on lists and objects. */
import { Fault, typeFault, valueFault } from "../../jinja/runtime/Fault.ts"
import { follow, keysOf, lookup } from "../value/Lookup.ts"
import { add, joined, less, numberOf, text } from "../value/Operators.ts"
import { type List, type Native, type Obj, type Value, emptyObject, isObject } from "../value/Values.ts"
import { copied, elements, lengthOf, listOf, objectOf, orEmpty, propertyOf } from "./Inputs.ts"
import { byName } from "./Signature.ts"

const batch: Native = (run, input, size, filling) => {
  const perRow = numberOf(run, size)
  const rows: Array<List> = []
  let row: List = []
  elements(run, input).forEach((item, at) => {
    if (at % perRow === 0 && row.length > 0) {
      rows.push(row)
      row = []
    }
    row.push(item)
  })
  if (row.length === 0) return rows
  if (filling) {
    run.alloc((perRow - row.length) * 8)
    while (row.length < perRow) row.push(filling)
  }
  rows.push(row)
  return rows
}

const dictsort: Native = (run, input, caseSensitive, by) => {
  if (!isObject(input)) throw typeFault("dictsort filter: val must be an object")
  if (by !== undefined && by !== "key" && by !== "value") {
    throw valueFault("dictsort filter: You can only sort by either key or value")
  }
  const keyed = keysOf(run, input).map((name): readonly [Value, List] => {
    const key = by === "value" ? input[name] : name
    run.alloc(24)
    return [!caseSensitive && typeof key === "string" ? key.toUpperCase() : key, [name, input[name]]]
  })
  keyed.sort(([a], [b]) => (less(run, b, a) ? 1 : a === b ? 0 : -1))
  return keyed.map(([, pair]) => pair)
}

const groupby: Native = (run, input, attribute) => {
  const groups: Obj = emptyObject()
  for (const item of elements(run, input)) {
    const key = text(run, attribute ? follow(run, item, attribute) : item)
    run.alloc(key.length + 16)
    const group = (groups[key] ??= [])
    if (Array.isArray(group)) group.push(item)
  }
  return groups
}

const join: Native = (run, input, separator, attribute) => {
  const items = attribute ? copied(run, input).map((item) => propertyOf(run, item, attribute)) : input
  return joined(run, listOf(run, items), separator ? text(run, separator) : "")
}

const length: Native = (run, input) => {
  const value = orEmpty(input)
  if (isObject(value)) return keysOf(run, value).length
  return lookup(run, value, "length")
}

const list: Native = (run, input) => {
  if (typeof input === "string") {
    run.alloc(input.length * 8)
    return input.split("")
  }
  if (Array.isArray(input)) return input
  const object = objectOf(input)
  if (object === undefined) throw typeFault("list filter: type not iterable")
  const keys = keysOf(run, object)
  run.alloc(keys.length * 32)
  return keys.map((key) => ({ key, value: object[key] }))
}

const random: Native = (run, input) => {
  const count = lengthOf(run, input)
  return propertyOf(run, input, Math.floor(run.random() * count))
}

const reverse: Native = (run, input) => {
  if (typeof input !== "string") return copied(run, input).toReversed()
  run.alloc(input.length * 9)
  return input.split("").toReversed().join("")
}

/** Keeps the items for which a test, given by its name, holds or does not. */
const testing =
  (wanted: boolean): Native =>
  (run, input, name = "truthy", argument) => {
    const test = run.environment.test(text(run, name))
    if (test === undefined) throw new Fault("Value", `test not found: ${text(run, name)}`)
    return elements(run, input).filter((item) => test(run, item, argument) === wanted)
  }

/** Keeps the items of which a property is true or is not. */
const having =
  (wanted: boolean): Native =>
  (run, input, attribute) =>
    listOf(run, input).filter((item) => !!propertyOf(run, item, attribute) === wanted)

const slice: Native = (run, input, count, filling) => {
  const items = typeof input === "string" ? input : listOf(run, input)
  const slices = numberOf(run, count)
  const size = Math.floor(items.length / slices)
  const extra = items.length % slices
  const rows: List = []
  let offset = 0
  for (let at = 0; at < slices; at++) {
    run.tick(1)
    const start = offset + at * size
    if (at < extra) offset++
    const row = items.slice(start, offset + (at + 1) * size)
    run.alloc(8 + row.length * 8)
    if (filling && at >= extra) listOf(run, row as Value).push(filling)
    rows.push(row as Value)
  }
  return rows
}

const sort: Native = byName(
  ["value", "reverse", "case_sensitive", "attribute"],
  (run, input, reversed, caseSensitive, attribute) => {
    const all = copied(run, input)
    // JavaScript leaves undefined out of the comparison, and puts it last.
    const items = all.filter((item) => item !== undefined)
    const keyed = items.map((item): readonly [Value, Value, string] => {
      const key = attribute ? follow(run, item, attribute) : item
      return [item, key, !caseSensitive && typeof key === "string" ? key.toLowerCase() : ""]
    })
    const before = reversed ? 1 : -1
    keyed.sort(([, a, lowerA], [, b, lowerB]) => {
      const [left, right] = caseSensitive || typeof a !== "string" || typeof b !== "string" ? [a, b] : [lowerA, lowerB]
      return less(run, left, right) ? before : less(run, right, left) ? -before : 0
    })
    return [...keyed.map(([item]) => item), ...Array<undefined>(all.length - items.length).fill(undefined)]
  }
)

const sum: Native = (run, input, attribute, start = 0) => {
  const items = attribute ? copied(run, input).map((item) => propertyOf(run, item, attribute)) : listOf(run, input)
  return add(
    run,
    start,
    items.reduce<Value>((total, item) => add(run, total, item), 0)
  )
}

export const listFilters: ReadonlyArray<readonly [string, Native]> = [
  ["batch", batch],
  ["dictsort", dictsort],
  ["first", (run, input) => propertyOf(run, input, 0)],
  ["groupby", groupby],
  ["join", join],
  ["last", (run, input) => propertyOf(run, input, lengthOf(run, input) - 1)],
  ["length", length],
  ["list", list],
  ["random", random],
  ["reject", testing(false)],
  ["rejectattr", having(false)],
  ["reverse", reverse],
  ["select", testing(true)],
  ["selectattr", having(true)],
  ["slice", slice],
  ["sort", sort],
  ["sum", sum]
]
