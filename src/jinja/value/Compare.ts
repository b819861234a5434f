/** Python's `==`, `<`, `in`, truth and `len`. */
import { type Fault, limitFault, typeFault } from "../runtime/Fault.ts"
import { type Runtime, Obj, type Value } from "./Value.ts"
import { Dict, View } from "./Dict.ts"
import { iterate } from "./Iterate.ts"
import { viewItems } from "../print/Repr.ts"
import { compareText, find, lengthOf } from "../text/Text.ts"
import {
  Bytes,
  Float,
  Iterator,
  Range,
  Tuple,
  Undefined,
  isInteger,
  isNumber,
  isText,
  plain,
  typeName
} from "./Values.ts"

/** `bool(value)` */
export const isTrue = (value: Value): boolean => {
  switch (typeof value) {
    case "boolean":
      return value
    case "string":
      return value !== ""
    case "number":
      return value !== 0
    case "bigint":
      return true
    default:
      return value !== null && lengthIfAny(value) !== 0 && !(value instanceof Float && value.value === 0)
  }
}

const lengthIfAny = (value: Value): number | undefined =>
  Array.isArray(value) ? value.length : value instanceof Obj ? value.size : undefined

/** `len(value)`; undefined if it has no length. */
export const sizeOf = (value: Value): number | undefined =>
  isText(value) ? lengthOf(plain(value)) : lengthIfAny(value)

/** A number that JavaScript's operators compare exactly, also a bigint with a number. */
const amount = (value: boolean | number | bigint | Float): number | bigint =>
  value instanceof Float ? value.value : typeof value === "boolean" ? Number(value) : value

/** `a == b` */
export const equals = (runtime: Runtime, a: Value, b: Value, depth = 0): boolean => {
  runtime.tick(1)
  // Texts come first: `===` reads equal texts to their end, and textEquals charges for that.
  if (typeof a === "string") return isText(b) && textEquals(runtime, a, plain(b))
  if (a === b) return !(a instanceof Float && Number.isNaN(a.value))
  if (a === null || b === null) return false
  if (depth > runtime.limits.valueDepth) throw limitFault("depth")
  if (isNumber(a)) return isNumber(b) && amount(a) == amount(b) // eslint-disable-line eqeqeq -- number with bigint
  if (isText(a)) return isText(b) && textEquals(runtime, plain(a), plain(b))
  if (Array.isArray(a)) return Array.isArray(b) && itemsEqual(runtime, a, b, depth)
  if (a instanceof Tuple) return b instanceof Tuple && itemsEqual(runtime, a.items, b.items, depth)
  if (a instanceof Dict) return b instanceof Dict && dictsEqual(runtime, a, b, depth)
  if (a instanceof Undefined) return b instanceof Undefined
  if (a instanceof Range) return b instanceof Range && rangesEqual(a, b)
  if (a instanceof Bytes) return b instanceof Bytes && Buffer.compare(a.bytes, b.bytes) === 0
  if (a instanceof View && b instanceof View && a.what !== "values" && b.what !== "values") {
    return a.size === b.size && viewItems(a).every((item) => contains(runtime, item, b))
  }
  return false
}

const textEquals = (runtime: Runtime, a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  if (a.length > 63) runtime.tick(a.length >> 6)
  return a === b
}

/** Equality of elements: in Python an element equals itself, even NaN. */
export const elementsEqual = (runtime: Runtime, a: Value, b: Value, depth = 0): boolean =>
  (typeof a !== "string" && a === b) || equals(runtime, a, b, depth + 1)

const itemsEqual = (runtime: Runtime, a: ReadonlyArray<Value>, b: ReadonlyArray<Value>, depth: number): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!elementsEqual(runtime, a[i]!, b[i]!, depth)) return false
  return true
}

const dictsEqual = (runtime: Runtime, a: Dict, b: Dict, depth: number): boolean => {
  if (a.size !== b.size) return false
  for (const [key, value] of a.entries()) {
    runtime.charge(key)
    const other = b.get(key)
    if (other === undefined || !elementsEqual(runtime, value, other, depth)) return false
  }
  return true
}

const rangesEqual = (a: Range, b: Range): boolean =>
  a.size === b.size && (a.size === 0 || (a.start === b.start && (a.size === 1 || a.step === b.step)))

/**
 * Negative if `a` is less than `b`, zero if equal, positive if greater, NaN if unordered. `operator` is for messages.
 */
export const compare = (runtime: Runtime, a: Value, b: Value, operator: string): number => {
  runtime.tick(1)
  if (isNumber(a) && isNumber(b)) {
    const x = amount(a)
    const y = amount(b)
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : Number.NaN // eslint-disable-line eqeqeq -- number with bigint
  }
  if (isText(a) && isText(b)) {
    runtime.charge(a)
    return compareText(plain(a), plain(b))
  }
  const left = sequence(a)
  const right = sequence(b)
  if (left !== undefined && right !== undefined && Array.isArray(a) === Array.isArray(b)) {
    return compareItems(runtime, left, right, operator)
  }
  if (a instanceof Bytes && b instanceof Bytes) return Buffer.compare(a.bytes, b.bytes)
  refuseUndefined(a, b)
  throw typeFault(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

const sequence = (value: Value): ReadonlyArray<Value> | undefined =>
  Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined

const compareItems = (runtime: Runtime, a: ReadonlyArray<Value>, b: ReadonlyArray<Value>, operator: string): number => {
  runtime.enter()
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (elementsEqual(runtime, a[i]!, b[i]!, 0)) continue
    const order = compare(runtime, a[i]!, b[i]!, operator)
    runtime.leave()
    return order
  }
  runtime.leave()
  return a.length - b.length
}

/** Fails if either value is undefined, as every operation except printing does. */
export const refuseUndefined = (a: Value, b?: Value): void => {
  if (a instanceof Undefined) throw a.fault()
  if (b instanceof Undefined) throw b.fault()
}

/** `item in container` */
export const contains = (runtime: Runtime, item: Value, container: Value): boolean => {
  if (isText(container)) {
    if (!isText(item)) throw notText(item)
    return find(runtime, plain(container), plain(item)) >= 0
  }
  if (container instanceof Dict) {
    runtime.charge(item)
    return container.has(item)
  }
  if (container instanceof View && container.what === "keys") return contains(runtime, item, container.dict)
  if (container instanceof Range && isInteger(item)) return inRange(Number(item), container)
  if (!isIterable(container)) throw typeFault(`argument of type '${typeName(container)}' is not iterable`)
  const next = iterate(runtime, container)
  for (let element = next(); element !== undefined; element = next()) {
    if (elementsEqual(runtime, element, item, 0)) return true
  }
  return false
}

const notText = (item: Value): Fault =>
  typeFault(`'in <string>' requires string as left operand, not ${typeName(item)}`)

const inRange = (item: number, range: Range): boolean => {
  const index = (item - range.start) / range.step
  return Number.isInteger(index) && index >= 0 && index < range.size
}

/** Whether `iter(value)` succeeds. */
export const isIterable = (value: Value): boolean =>
  lengthIfAny(value) !== undefined || typeof value === "string" || value instanceof Iterator
