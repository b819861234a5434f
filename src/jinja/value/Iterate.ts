/** `iter(value)` and functions based on it. Each element that is read costs a step. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import type { Runtime, Next, Value } from "./Value.ts"
import { Dict, View } from "./Dict.ts"
import { characterChars, characters } from "../text/Text.ts"
import { Bytes, Iterator, Range, Tuple, Undefined, isText, plain, typeName } from "./Values.ts"

/** Iterates over the elements; throws a Type fault if the value is not iterable. */
export const iterate = (runtime: Runtime, value: Value): Next => {
  if (Array.isArray(value)) return iterateItems(runtime, value)
  if (isText(value)) {
    const source = plain(value)
    runtime.alloc(source.length * characterChars)
    return iterateItems(runtime, characters(source))
  }
  if (value instanceof Dict) return iterateDict(runtime, value, value.keys())
  if (value instanceof Tuple) return iterateItems(runtime, value.items)
  if (value instanceof Iterator) return value.next
  if (value instanceof Undefined) return () => undefined
  if (value instanceof Range) return iterateRange(runtime, value)
  if (value instanceof View) return iterateView(runtime, value)
  if (value instanceof Bytes) return iterateItems(runtime, Array.from(value.bytes))
  throw typeFault(`'${typeName(value)}' object is not iterable`)
}

/** Includes elements that are added during the iteration, as Python does. */
export const iterateItems = (runtime: Runtime, items: ReadonlyArray<Value>): Next => {
  let index = 0
  return () => {
    runtime.tick(1)
    return items[index++]
  }
}

const iterateRange = (runtime: Runtime, range: Range): Next => {
  let index = 0
  return () => {
    runtime.tick(1)
    return index < range.size ? range.at(index++) : undefined
  }
}

const iterateView = (runtime: Runtime, view: View): Next => {
  const { dict } = view
  if (view.what === "keys") return iterateDict(runtime, dict, dict.keys())
  if (view.what === "values") return iterateDict(runtime, dict, dict.values())
  runtime.alloc(dict.size * 16)
  return iterateDict(
    runtime,
    dict,
    Array.from(dict.entries(), (entry) => new Tuple(entry))
  )
}

const iterateDict = (runtime: Runtime, dict: Dict, items: ReadonlyArray<Value>): Next => {
  runtime.alloc(items.length * 8)
  const { size } = dict
  const next = iterateItems(runtime, items)
  return () => {
    if (dict.size !== size) throw new Fault("Runtime", "dictionary changed size during iteration")
    return next()
  }
}

/** All elements. For a list or tuple this is its own array, not a copy. */
export const elementsOf = (runtime: Runtime, value: Value): ReadonlyArray<Value> => {
  if (Array.isArray(value)) return value
  return value instanceof Tuple ? value.items : listOf(runtime, value)
}

/** `list(value)` */
export const listOf = (runtime: Runtime, value: Value): Array<Value> => collect(runtime, iterate(runtime, value))

export const collect = (runtime: Runtime, next: Next): Array<Value> => {
  const items: Array<Value> = []
  for (let item = next(); item !== undefined; item = next()) {
    runtime.alloc(8)
    items.push(item)
  }
  return items
}

/** A built-in generator: it runs nothing before its first element is read. */
export const lazily = (label: string, start: () => () => Value | undefined): Iterator => {
  let next: (() => Value | undefined) | undefined
  return new Iterator(`generator object ${label}`, () => (next ??= start())())
}

/** Fails as Python's unpacking does unless there are exactly `count` elements. */
export const unpack = (runtime: Runtime, value: Value, count: number): ReadonlyArray<Value> => {
  const next = iterateForUnpacking(runtime, value)
  const items: Array<Value> = []
  while (items.length < count) {
    const item = next()
    if (item === undefined) {
      throw new Fault("Value", `not enough values to unpack (expected ${count}, got ${items.length})`)
    }
    items.push(item)
  }
  if (next() !== undefined) throw new Fault("Value", `too many values to unpack (expected ${count})`)
  return items
}

const iterateForUnpacking = (runtime: Runtime, value: Value): Next => {
  try {
    return iterate(runtime, value)
  } catch (error) {
    if (error instanceof Fault && error.reason === "Type") {
      throw typeFault(`cannot unpack non-iterable ${typeName(value)} object`)
    }
    throw error
  }
}
