/** Python's arithmetic. */
import { Fault, limitFault, typeFault } from "../runtime/Fault.ts"
import { limits } from "../runtime/Limits.ts"
import type { Runtime, Value } from "./Value.ts"
import { asIndex } from "./Arguments.ts"
import { refuseUndefined } from "./Compare.ts"
import { escapeUnlessSafe } from "../text/Html.ts"
import { float, integer } from "./Numbers.ts"
import { formatMarkup, formatPercent } from "../print/Percent.ts"
import { Bytes, Float, Markup, Tuple, isInteger, isNumber, isText, plain, typeName } from "./Values.ts"

const unsupported = (operator: string, a: Value, b: Value): Fault => {
  refuseUndefined(a, b)
  return typeFault(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`)
}

const zeroDivision = (message: string) => new Fault("ZeroDivision", message)

/** A bool is an int. */
const whole = (value: boolean | number | bigint): number | bigint =>
  typeof value === "boolean" ? Number(value) : value

const exact = (runtime: Runtime, compute: () => bigint): number | bigint => {
  runtime.tick(4)
  return integer(compute())
}

/** `a + b` */
export const add = (runtime: Runtime, a: Value, b: Value): Value => {
  if (isInteger(a) && isInteger(b)) {
    const [x, y] = [whole(a), whole(b)]
    const sum = typeof x === "number" && typeof y === "number" ? x + y : Number.NaN
    return Number.isSafeInteger(sum) ? sum : exact(runtime, () => BigInt(x) + BigInt(y))
  }
  if (isNumber(a) && isNumber(b)) return new Float(float(a) + float(b))
  if (isText(a) && isText(b)) return concatenate(runtime, a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    runtime.alloc((a.length + b.length) * 8)
    return a.concat(b)
  }
  if (a instanceof Tuple && b instanceof Tuple) {
    runtime.alloc((a.items.length + b.items.length) * 8)
    return new Tuple(a.items.concat(b.items))
  }
  if (a instanceof Bytes && b instanceof Bytes) {
    runtime.alloc(a.bytes.length + b.bytes.length)
    return new Bytes(Buffer.concat([a.bytes, b.bytes]))
  }
  refuseUndefined(a, b)
  if (isText(a)) throw typeFault(`can only concatenate str (not "${typeName(b)}") to str`)
  if (Array.isArray(a) || a instanceof Tuple) {
    throw typeFault(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`)
  }
  throw unsupported("+", a, b)
}

const concatenate = (runtime: Runtime, a: string | Markup, b: string | Markup): Value => {
  if (typeof a === "string" && typeof b === "string") {
    runtime.alloc(a.length + b.length)
    return a + b
  }
  const joined = escapeUnlessSafe(runtime, a) + escapeUnlessSafe(runtime, b)
  runtime.alloc(joined.length)
  return new Markup(joined)
}

/** `a - b` */
export const subtract = (runtime: Runtime, a: Value, b: Value): Value => {
  if (isInteger(a) && isInteger(b)) {
    const [x, y] = [whole(a), whole(b)]
    const rest = typeof x === "number" && typeof y === "number" ? x - y : Number.NaN
    return Number.isSafeInteger(rest) ? rest : exact(runtime, () => BigInt(x) - BigInt(y))
  }
  if (isNumber(a) && isNumber(b)) return new Float(float(a) - float(b))
  throw unsupported("-", a, b)
}

/** `a * b` */
export const multiply = (runtime: Runtime, a: Value, b: Value): Value => {
  if (isInteger(a) && isInteger(b)) {
    const [x, y] = [whole(a), whole(b)]
    const product = typeof x === "number" && typeof y === "number" ? x * y : Number.NaN
    return Number.isSafeInteger(product) ? product + 0 : exact(runtime, () => BigInt(x) * BigInt(y))
  }
  if (isNumber(a) && isNumber(b)) return new Float(float(a) * float(b))
  if (isSequence(a) && isInteger(b)) return repeat(runtime, a, b)
  if (isSequence(b) && isInteger(a)) return repeat(runtime, b, a)
  refuseUndefined(a, b)
  if (isSequence(a)) throw typeFault(`can't multiply sequence by non-int of type '${typeName(b)}'`)
  if (isSequence(b)) throw typeFault(`can't multiply sequence by non-int of type '${typeName(a)}'`)
  throw unsupported("*", a, b)
}

const isSequence = (value: Value): value is string | Markup | Array<Value> | Tuple =>
  isText(value) || Array.isArray(value) || value instanceof Tuple

const repeat = (
  runtime: Runtime,
  sequence: string | Markup | Array<Value> | Tuple,
  times: boolean | number | bigint
): Value => {
  const count = Math.max(0, asIndex(times))
  if (isText(sequence)) {
    const source = plain(sequence)
    const repeated = source === "" || count === 0 ? "" : repeatText(runtime, source, count)
    return sequence instanceof Markup ? new Markup(repeated) : repeated
  }
  const source = Array.isArray(sequence) ? sequence : sequence.items
  // An empty list stays empty, whatever the count.
  const length = source.length === 0 ? 0 : source.length * count
  runtime.alloc(length * 8)
  const repeated = Array.from({ length }, (_, index) => source[index % source.length]!)
  return Array.isArray(sequence) ? repeated : new Tuple(repeated)
}

/** `text * count`, if the text is not empty and the count is not negative. */
const repeatText = (runtime: Runtime, source: string, count: number): string => {
  runtime.alloc(source.length * count)
  return source.repeat(count)
}

/** `a / b` */
export const divide = (_runtime: Runtime, a: Value, b: Value): Value => {
  if (!isNumber(a) || !isNumber(b)) throw unsupported("/", a, b)
  const integers = isInteger(a) && isInteger(b)
  if (float(b) === 0) throw zeroDivision(integers ? "division by zero" : "float division by zero")
  return new Float(integers ? quotient(whole(a), whole(b)) : float(a) / float(b))
}

/** Bits of a quotient: more than the 54 that decide how a float is rounded. */
const quotientBits = 66

/** The float nearest to a / b, even if neither fits a float exactly. */
const quotient = (a: number | bigint, b: number | bigint): number => {
  if (typeof a === "number" && typeof b === "number") return a / b
  const [x, y] = [BigInt(a), BigInt(b)]
  const shift = BigInt(Math.max(0, quotientBits - bitLength(x) + bitLength(y)))
  const exactly = (x << shift) / y
  // The remainder only decides the direction of a tie.
  const rest = (x << shift) % y === 0n ? 0n : 1n
  const result =
    Number(exactly < 0n || (exactly === 0n && x < 0n !== y < 0n) ? exactly - rest : exactly | rest) *
    2 ** -Number(shift)
  if (!Number.isFinite(result)) throw new Fault("Overflow", "integer division result too large for a float")
  return result
}

const bitLength = (value: bigint): number => value.toString(16).length * 4

/** `a // b` */
export const floorDivide = (runtime: Runtime, a: Value, b: Value): Value => {
  if (!isNumber(a) || !isNumber(b)) throw unsupported("//", a, b)
  if (!isInteger(a) || !isInteger(b)) {
    if (float(b) === 0) throw zeroDivision("float floor division by zero")
    return new Float(floatDivision(float(a), float(b)).quotient)
  }
  const [x, y] = [whole(a), whole(b)]
  if (Number(y) === 0) throw zeroDivision("integer division or modulo by zero")
  return exact(runtime, () => integerDivision(BigInt(x), BigInt(y)).quotient)
}

/** `a % b`: the remainder of a division, or formatting if `a` is text. */
export const modulo = (runtime: Runtime, a: Value, b: Value): Value => {
  if (typeof a === "string") return formatPercent(runtime, a, b)
  if (a instanceof Markup) return formatMarkup(runtime, a, b)
  if (!isNumber(a) || !isNumber(b)) throw unsupported("%", a, b)
  if (!isInteger(a) || !isInteger(b)) {
    if (float(b) === 0) throw zeroDivision("float modulo")
    return new Float(floatDivision(float(a), float(b)).rest)
  }
  const [x, y] = [whole(a), whole(b)]
  if (Number(y) === 0) throw zeroDivision("integer modulo by zero")
  if (typeof x === "number" && typeof y === "number") {
    const rest = x % y
    return (rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest) + 0
  }
  return exact(runtime, () => integerDivision(BigInt(x), BigInt(y)).rest)
}

/** Python rounds quotients down, and the remainder has the sign of the divisor. */
const integerDivision = (a: bigint, b: bigint): { readonly quotient: bigint; readonly rest: bigint } => {
  const quotient = a / b
  const rest = a % b
  return rest !== 0n && rest < 0n !== b < 0n ? { quotient: quotient - 1n, rest: rest + b } : { quotient, rest }
}

/** As CPython's `float_divmod` computes it, digit for digit. */
const floatDivision = (a: number, b: number): { readonly quotient: number; readonly rest: number } => {
  let rest = a % b
  let quotient = (a - rest) / b
  if (rest === 0) rest = b < 0 ? -0 : 0
  else if (rest < 0 !== b < 0) {
    rest += b
    quotient -= 1
  }
  if (quotient === 0) return { quotient: a / b < 0 || Object.is(a / b, -0) ? -0 : 0, rest }
  const floor = Math.floor(quotient)
  return { quotient: quotient - floor > 0.5 ? floor + 1 : floor, rest }
}

/** `a ** b` */
export const power = (runtime: Runtime, a: Value, b: Value): Value => {
  if (!isNumber(a) || !isNumber(b)) throw unsupported("** or pow()", a, b)
  if (isInteger(a) && isInteger(b) && Number(b) >= 0) {
    const [base, exponent] = [whole(a), whole(b)]
    const quick = Number(base) ** Number(exponent)
    if (Number.isSafeInteger(quick)) return quick + 0
    const bits = Math.log2(Math.abs(Number(base)))
    const bitsOfResult = (Number.isFinite(bits) ? bits : base.toString(16).length * 4) * Number(exponent)
    if (!(bitsOfResult <= limits.integerBits + 1)) throw limitFault("memory", "an integer became too large")
    return exact(runtime, () => BigInt(base) ** BigInt(exponent))
  }
  const [base, exponent] = [float(a), float(b)]
  if (base === 0 && exponent < 0) throw zeroDivision("0.0 cannot be raised to a negative power")
  if (base === 1 || exponent === 0) return new Float(1)
  const result = base ** exponent
  if (Number.isNaN(result) && base < 0 && Number.isFinite(exponent))
    throw typeFault("complex numbers are not available")
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent)) {
    throw new Fault("Overflow", "(34, 'Numerical result out of range')")
  }
  return new Float(result)
}

/** `-a` */
export const negate = (_runtime: Runtime, a: Value): Value => {
  if (isInteger(a)) return typeof a === "bigint" ? integer(-a) : -Number(a) + 0
  if (a instanceof Float) return new Float(-a.value)
  refuseUndefined(a)
  throw typeFault(`bad operand type for unary -: '${typeName(a)}'`)
}

/** `+a` */
export const positive = (_runtime: Runtime, a: Value): Value => {
  if (isInteger(a)) return whole(a)
  if (a instanceof Float) return a
  refuseUndefined(a)
  throw typeFault(`bad operand type for unary +: '${typeName(a)}'`)
}
