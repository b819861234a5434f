/** JavaScript's operators on the values of templates. Each pays for what it makes. */
import { limitFault } from "../../jinja/runtime/Fault.ts"
import { type Run, type List, LongNumber, Opaque, type Primitive, type Value } from "./Values.ts"
import { ExactNumber, compareWithRounded } from "../../postgres/ExactJson.ts"

/** The value as JavaScript converts an object before it computes: a list is its joined text. */
export const primitive = (run: Run, value: Value): Primitive => {
  if (typeof value !== "object" || value === null) return value
  if (value instanceof LongNumber) return value.number
  if (value instanceof Opaque) return value.text
  return Array.isArray(value) ? joined(run, value, ",") : "[object Object]"
}

export const text = (run: Run, value: Value): string => {
  if (typeof value === "string") return value
  return value instanceof LongNumber ? value.text : `${primitive(run, value)}`
}

export const numberOf = (run: Run, value: Value): number =>
  typeof value === "number" ? value : Number(primitive(run, value))

/** `list.join(separator)` */
export const joined = (run: Run, list: List, separator: string, depth = 0): string => {
  if (depth > run.limits.valueDepth) throw limitFault("depth")
  let all = ""
  for (let at = 0; at < list.length; at++) {
    const item = list[at]
    run.tick(1)
    const piece =
      item === undefined || item === null
        ? ""
        : Array.isArray(item)
          ? joined(run, item, ",", depth + 1)
          : text(run, item)
    run.alloc(piece.length + separator.length)
    all += at === 0 ? piece : separator + piece
  }
  return all
}

/** Both as primitives, typed as numbers: TypeScript does not know that JavaScript's operators take any of them. */
const primitives = (run: Run, a: Value, b: Value): readonly [number, number] => [side(run, a), side(run, b)]

const side = (run: Run, value: Value): number => {
  const found = primitive(run, value)
  if (typeof found === "string" && found.length > 63) run.tick(found.length >> 6)
  return found as number
}

const textIn = (value: Value): string | undefined => (value instanceof LongNumber ? value.text : undefined)

/** The order of two numbers of which one has more digits than JavaScript's; undefined for other values. */
const orderOf = (a: Value, b: Value): number | undefined => {
  if (a instanceof LongNumber) {
    const other = b instanceof LongNumber ? new ExactNumber(b.text) : b
    if (typeof other === "number" || other instanceof ExactNumber) {
      return compareWithRounded(new ExactNumber(a.text), other)
    }
    return undefined
  }
  const turned = b instanceof LongNumber ? orderOf(b, a) : undefined
  return turned === undefined ? undefined : -turned
}

export const add = (run: Run, a: Value, b: Value): Value => {
  if (typeof a === "number" && typeof b === "number") return a + b
  const [left, right] = primitives(run, a, b)
  const isText = [left, right].some((each: unknown) => typeof each === "string")
  // With a text, a long number is one with all its digits.
  const [first, second] = isText ? [textIn(a) ?? left, textIn(b) ?? right] : [left, right]
  const sum = ((first as number) + (second as number)) as number | string
  if (typeof sum === "string") run.alloc(sum.length)
  return sum
}

const isReference = (value: Value): boolean => typeof value === "object" && value !== null

const isNothing = (value: Value): boolean => value === undefined || value === null

const equals = (run: Run, a: Value, b: Value): boolean => {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b)
  const order = orderOf(a, b)
  if (order !== undefined) return order === 0
  if (isReference(a) && isReference(b)) return a === b
  const [left, right] = primitives(run, a, b)
  // oxlint-disable-next-line eqeqeq
  return left == right
}

const same = (run: Run, a: Value, b: Value): boolean => {
  if (typeof a === "string" && typeof b === "string" && a.length > 63) run.tick(a.length >> 6)
  const order = orderOf(a, b)
  return order === undefined ? a === b : order === 0
}

export const less = (run: Run, a: Value, b: Value): boolean => {
  const order = orderOf(a, b)
  if (order !== undefined) return order < 0
  const [left, right] = primitives(run, a, b)
  return left < right
}

const lessOrEqual = (run: Run, a: Value, b: Value): boolean => {
  const order = orderOf(a, b)
  if (order !== undefined) return order <= 0
  const [left, right] = primitives(run, a, b)
  return left <= right
}

/** Operators that compute both sides first. */
export const operators: ReadonlyMap<string, (run: Run, a: Value, b: Value) => Value> = new Map([
  ["+", add],
  ["-", (run: Run, a: Value, b: Value) => numberOf(run, a) - numberOf(run, b)],
  ["*", (run: Run, a: Value, b: Value) => numberOf(run, a) * numberOf(run, b)],
  ["/", (run: Run, a: Value, b: Value) => numberOf(run, a) / numberOf(run, b)],
  ["%", (run: Run, a: Value, b: Value) => numberOf(run, a) % numberOf(run, b)],
  ["<", less],
  [">", (run: Run, a: Value, b: Value) => less(run, b, a)],
  ["<=", lessOrEqual],
  [">=", (run: Run, a: Value, b: Value) => lessOrEqual(run, b, a)],
  ["==", equals],
  ["!=", (run: Run, a: Value, b: Value) => !equals(run, a, b)],
  ["===", same],
  ["!==", (run: Run, a: Value, b: Value) => !same(run, a, b)]
])
