/** Python's int and float: parsing, rounding and formatting. */
import { Fault, limitFault, valueFault } from "../runtime/Fault.ts"
import { limits } from "../runtime/Limits.ts"
import { asciiDigits, strip } from "../text/Text.ts"
import { Float } from "./Values.ts"

const largest = 1n << BigInt(limits.integerBits)

/** The bigint as an int: a number if it is safe. One that is too large exceeds the memory limit. */
export const integer = (value: bigint): number | bigint => {
  if (value >= -0x1fffffffffffffn && value <= 0x1fffffffffffffn) return Number(value)
  if (value > largest || value < -largest) throw limitFault("memory", "an integer became too large")
  return value
}

/** The number as a float. */
export const float = (value: boolean | number | bigint | Float): number => {
  if (value instanceof Float) return value.value
  const number = Number(value)
  if (!Number.isFinite(number)) throw new Fault("Overflow", "int too large to convert to float")
  return number
}

/** The float truncated to an int. */
export const truncate = (value: number): number | bigint => {
  if (Number.isNaN(value)) throw valueFault("cannot convert float NaN to integer")
  const whole = Math.trunc(value) + 0
  return Number.isSafeInteger(whole) ? whole : integer(BigInt(whole))
}

/** `repr(float)`: the shortest digits that parse to the same float. */
export const floatText = (value: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf"
  if (Object.is(value, -0)) return "-0.0"
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return exponentText(value.toExponential())
  const text = String(value)
  return text.includes(".") ? text : `${text}.0`
}

/** JavaScript writes `1e-7`, Python `1e-07`. */
const exponentText = (text: string): string => text.replace(/e([+-])(\d)$/, "e$10$2")

/** A finite number that is not negative, as `mantissa * 2 ** exponent`. */
const parts = (value: number): { readonly mantissa: bigint; readonly exponent: number } => {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const high = bits.getUint32(0)
  const biased = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4))
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

/** `value * 10 ** power`, rounded to an integer, ties to even; exact, unlike `toFixed`, which rounds ties up. */
const scaled = (value: number, power: number): bigint => {
  const { mantissa, exponent } = parts(value)
  const tens = 10n ** BigInt(Math.abs(power))
  const numerator = (power >= 0 ? mantissa * tens : mantissa) << BigInt(Math.max(0, exponent))
  const denominator = (power >= 0 ? 1n : tens) << BigInt(Math.max(0, -exponent))
  const whole = numerator / denominator
  const twice = (numerator % denominator) * 2n
  return twice > denominator || (twice === denominator && (whole & 1n) === 1n) ? whole + 1n : whole
}

/** Most significant digits of a float, after the point and in all; further ones are zeros. */
const fractionDigits = 1074
const significantDigits = 767

/** `'%.{digits}f'` of a finite number that is not negative. */
export const fixedText = (value: number, digits: number): string => {
  if (digits > fractionDigits) return fixedText(value, fractionDigits) + "0".repeat(digits - fractionDigits)
  const text = scaled(value, digits)
    .toString()
    .padStart(digits + 1, "0")
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** `'%.{digits}e'` of a finite number that is not negative. */
export const scientificText = (value: number, digits: number): string => {
  if (digits > significantDigits) {
    const exact = scientificText(value, significantDigits)
    const cut = exact.indexOf("e")
    return exact.slice(0, cut) + "0".repeat(digits - significantDigits) + exact.slice(cut)
  }
  if (value === 0) return `${digits === 0 ? "0" : `0.${"0".repeat(digits)}`}e+00`
  let power = Number(value.toExponential().split("e")[1])
  let text = scaled(value, digits - power).toString()
  if (text.length > digits + 1) text = scaled(value, digits - ++power).toString()
  const mantissa = digits === 0 ? text : `${text[0]}.${text.slice(1)}`
  return exponentText(`${mantissa}e${power < 0 ? "-" : "+"}${Math.abs(power)}`)
}

/** `'%.{digits}g'` of a finite number that is not negative; `keepZeros` is the `#` flag. */
export const generalText = (value: number, digits: number, keepZeros: boolean): string => {
  const precision = Math.max(1, digits)
  const scientific = scientificText(value, precision - 1)
  const cut = scientific.indexOf("e")
  const power = Number(scientific.slice(cut + 1))
  const tidy = (text: string) => (keepZeros || !text.includes(".") ? text : text.replace(/\.?0+$/, ""))
  return power < -4 || power >= precision
    ? tidy(scientific.slice(0, cut)) + scientific.slice(cut)
    : tidy(fixedText(value, precision - 1 - power))
}

/** `round(value, digits)` of a float. */
export const roundFloat = (value: number, digits: number): number => {
  if (!Number.isFinite(value) || value === 0 || digits > 323) return value
  if (digits < -308) return value < 0 ? -0 : 0
  const size = Math.abs(value)
  const rounded = Number(`${scaled(size, digits)}e${-digits}`)
  return value < 0 ? -rounded : rounded
}

/** `round(value, digits)` of an int, for digits below zero: ties to even. */
export const roundInteger = (value: number | bigint, digits: number): number | bigint => {
  const unit = 10n ** BigInt(-digits)
  const exact = BigInt(value)
  const rest = ((exact % unit) + unit) % unit
  const low = exact - rest
  const up = rest * 2n > unit || (rest * 2n === unit && (low / unit) % 2n !== 0n)
  return integer(up ? low + unit : low)
}

const prefixes: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 }

/** `int(text, base)`; undefined where Python raises ValueError. */
export const parseInteger = (text: string, base: number): number | bigint | undefined => {
  const clean = asciiDigits(strip(text, undefined, true, true)).toLowerCase()
  const match = /^([+-]?)(?:0([box])(?=_?[0-9a-z]))?(_?[0-9a-z]+(?:_[0-9a-z]+)*)$/.exec(clean)
  if (match === null) return undefined
  const [, sign, prefix, found = ""] = match
  let digits = found
  let radix = base
  if (prefix !== undefined) {
    if (base === 0) radix = prefixes[prefix] ?? base
    // In another base a prefix may be digits: int("0b1", 16).
    else if (base !== prefixes[prefix]) digits = `0${prefix}${digits}`
  } else if (digits.startsWith("_")) return undefined
  else if (base === 0) {
    if (/^0[0_]*[1-9]/.test(digits)) return undefined
    radix = 10
  }
  return digitsValue(digits.replaceAll("_", ""), radix, sign === "-")
}

/** Most digits of an int that Python parses. */
const digitsMax = 4300

const digitsValue = (digits: string, radix: number, negative: boolean): number | bigint | undefined => {
  if (digits.length > digitsMax) return undefined
  if (radix === 10) return /^\d+$/.test(digits) ? integer(negative ? -BigInt(digits) : BigInt(digits)) : undefined
  let value = 0n
  const exactRadix = BigInt(radix)
  for (const digit of digits) {
    const amount = parseInt(digit, 36)
    if (amount >= radix) return undefined
    value = value * exactRadix + BigInt(amount)
  }
  return integer(negative ? -value : value)
}

/** `float(text)`; undefined where Python raises ValueError. */
export const parseFloatText = (text: string): Float | undefined => {
  const clean = asciiDigits(strip(text, undefined, true, true)).toLowerCase()
  const named = /^([+-]?)(inf|infinity|nan)$/.exec(clean)
  if (named !== null) {
    return new Float(named[2] === "nan" ? Number.NaN : named[1] === "-" ? -Infinity : Infinity)
  }
  const number = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/
  return number.test(clean) ? new Float(Number(clean.replaceAll("_", ""))) : undefined
}
