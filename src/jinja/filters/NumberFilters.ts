/** Filters on numbers. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import { native } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText, integerOr } from "../value/Arguments.ts"
import { isTrue, refuseUndefined } from "../value/Compare.ts"
import {
  fixedText,
  float,
  floatText,
  parseFloatText,
  parseInteger,
  roundFloat,
  roundInteger,
  truncate
} from "../value/Numbers.ts"
import { divide, multiply, negate, positive, power } from "../value/Operators.ts"
import { quote } from "../print/Repr.ts"
import { Float, isInteger, isNumber, isText, orElse, plain, typeName } from "../value/Values.ts"

const abs = (runtime: Runtime, value: Value): Value => {
  if (!isNumber(value)) throw typeFault(`bad operand type for abs(): '${typeName(value)}'`)
  if (value instanceof Float) return new Float(Math.abs(value.value))
  return Number(value) < 0 ? negate(runtime, value) : positive(runtime, value)
}

/** `float(value)`; undefined where Python raises TypeError or ValueError. */
const toFloat = (value: Value): Float | undefined => {
  refuseUndefined(value)
  if (isText(value)) return parseFloatText(plain(value))
  return isNumber(value) ? new Float(float(value)) : undefined
}

/** An int from a float; undefined for NaN. */
const cut = (value: number): Value | undefined => {
  if (Number.isNaN(value)) return undefined
  if (!Number.isFinite(value)) throw new Fault("Overflow", "cannot convert float infinity to integer")
  return truncate(value)
}

const toInteger = (value: Value, absent: Value, base: number): Value => {
  if (isInteger(value)) return typeof value === "boolean" ? Number(value) : value
  if (isText(value) && (base === 0 || (base >= 2 && base <= 36))) {
    const exact = parseInteger(plain(value), base)
    if (exact !== undefined) return exact
  }
  // This makes "42.23"|int equal 42.
  const inexact = toFloat(value)
  return orElse(inexact === undefined ? undefined : cut(inexact.value), () => absent)
}

const round = (runtime: Runtime, value: Value, precision: Value, method: string): Value => {
  if (method !== "common" && method !== "ceil" && method !== "floor") {
    throw new Fault("FilterArgument", "method must be common, ceil or floor")
  }
  if (method !== "common") {
    const scale = power(runtime, 10, precision)
    const scaled = multiply(runtime, value, scale)
    if (!isNumber(scaled)) throw typeFault(`must be real number, not ${typeName(scaled)}`)
    const whole = isInteger(scaled) ? scaled : cut(Math[method](scaled.value))
    if (whole === undefined) throw valueFault("cannot convert float NaN to integer")
    return divide(runtime, whole, scale)
  }
  if (!isNumber(value)) throw typeFault(`type ${typeName(value)} doesn't define __round__ method`)
  const digits = precision === null ? 0 : asInteger(precision)
  if (value instanceof Float) {
    return precision === null
      ? orElse(cut(roundFloat(value.value, 0)), () => 0)
      : new Float(roundFloat(value.value, digits))
  }
  const exact = typeof value === "boolean" ? Number(value) : value
  return digits >= 0 ? exact : digits < -2000 ? 0 : roundInteger(exact, digits)
}

const decimalUnits = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]
const binaryUnits = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]

const fileSize = (value: Value, binary: boolean): string => {
  const parsed = toFloat(value)
  if (parsed === undefined) {
    throw isText(value)
      ? valueFault(`could not convert string to float: ${quote(plain(value))}`)
      : typeFault(`float() argument must be a string or a real number, not '${typeName(value)}'`)
  }
  const bytes = parsed.value
  const base = binary ? 1024 : 1000
  if (bytes === 1) return "1 Byte"
  if (bytes < base) {
    if (bytes === -Infinity) throw new Fault("Overflow", "cannot convert float infinity to integer")
    return `${truncate(bytes)} Bytes`
  }
  const units = binary ? binaryUnits : decimalUnits
  const fits = units.findIndex((_, index) => bytes < base ** (index + 2))
  const index = fits < 0 ? units.length - 1 : fits
  const shown = (base * bytes) / base ** (index + 2)
  return `${Number.isFinite(shown) ? fixedText(shown, 1) : floatText(shown)} ${units[index]}`
}

export const numberFilters: Readonly<Record<string, Native>> = {
  abs: native("abs(x, /)", (rt, x) => abs(rt, x)),
  filesizeformat: native("do_filesizeformat(value, binary?)", (_rt, value, binary = false) =>
    fileSize(value, isTrue(binary))
  ),
  float: native("do_float(value, default?)", (_rt, value, absent = new Float(0)) =>
    orElse(toFloat(value), () => absent)
  ),
  int: native("do_int(value, default?, base?)", (_rt, value, absent = 0, base) =>
    toInteger(value, absent, integerOr(base, 10))
  ),
  round: native("do_round(value, precision?, method?)", (rt, value, precision = 0, method = "common") =>
    round(rt, value, precision, asText(method, "method must be str"))
  )
}
