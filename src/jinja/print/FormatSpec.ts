/** `format(value, spec)`: Python's format specification mini-language. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import type { Runtime, Value } from "../value/Value.ts"
import { fixedText, float, floatText, generalText, scientificText } from "../value/Numbers.ts"
import { text } from "./Repr.ts"
import { headOf, lengthOf } from "../text/Text.ts"
import { Float, isInteger, isText, plain, typeName } from "../value/Values.ts"

interface Spec {
  readonly fill: string
  readonly align: string
  readonly sign: string
  readonly noNegativeZero: boolean
  readonly alternate: boolean
  readonly width: number
  readonly separator: string
  /** Undefined if none is given. */
  readonly precision: number | undefined
  readonly type: string
}

const grammar = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_]*)(\.\d*)?(.*)$/su

const parseSpec = (spec: string, value: Value): Spec => {
  const match = grammar.exec(spec)!
  const [, fill, align, sign, z, alternate, zero, width, separator = "", precision, type = ""] = match
  if ((width ?? "").length > 18 || (precision ?? "").length > 18) {
    throw valueFault("Too many decimal digits in format string")
  }
  if (separator.includes(",") && separator.includes("_")) throw valueFault("Cannot specify both ',' and '_'.")
  if (separator.length > 1) throw valueFault(`Cannot specify '${separator[0]}' with '${separator[1]}'.`)
  if (precision === ".") throw valueFault("Format specifier missing precision")
  if (lengthOf(type) > 1) {
    throw valueFault(`Invalid format specifier '${spec}' for object of type '${typeName(value)}'`)
  }
  const kind = type === "" && isText(value) ? "s" : type
  const groups = kind === "" || "defgEFG%".includes(kind) || (separator === "_" && "boxX".includes(kind))
  if (separator !== "" && !groups) throw valueFault(`Cannot specify '${separator}' with '${kind}'.`)
  const padsWithZeros = zero !== undefined && align === undefined
  return {
    fill: fill ?? (zero === undefined ? " " : "0"),
    align: align ?? (padsWithZeros && !isText(value) ? "=" : ""),
    sign: sign ?? "",
    noNegativeZero: z !== undefined,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    separator,
    precision: precision === undefined ? undefined : Number(precision.slice(1)),
    type
  }
}

/** `format(value, spec)` */
export const formatValue = (runtime: Runtime, value: Value, spec: string): string => {
  if (spec === "") return text(runtime, value)
  if (!isText(value) && !isInteger(value) && !(value instanceof Float)) {
    throw typeFault(`unsupported format string passed to ${typeName(value)}.__format__`)
  }
  const parsed = parseSpec(spec, value)
  runtime.alloc(parsed.width + (parsed.precision ?? 0))
  if (isText(value)) return formatText(plain(value), parsed)
  const integers = parsed.type === "" ? isInteger(value) : "bcdoxXn".includes(parsed.type)
  return integers ? formatInteger(value, parsed) : formatFloat(runtime, value, parsed)
}

const unknownCode = (type: string, value: Value | string): Fault =>
  valueFault(
    `Unknown format code '${type}' for object of type '${typeof value === "string" ? value : typeName(value)}'`
  )

const formatText = (value: string, spec: Spec): string => {
  if (spec.type !== "" && spec.type !== "s") throw unknownCode(spec.type, "str")
  if (spec.sign !== "") {
    throw valueFault(`${spec.sign === " " ? "Space" : "Sign"} not allowed in string format specifier`)
  }
  if (spec.noNegativeZero) throw valueFault("Negative zero coercion (z) not allowed in string format specifier")
  if (spec.alternate) throw valueFault("Alternate form (#) not allowed in string format specifier")
  if (spec.align === "=") throw valueFault("'=' alignment not allowed in string format specifier")
  const shown = spec.precision === undefined ? value : headOf(value, spec.precision)
  return pad("", shown, spec, "<")
}

const formatInteger = (value: boolean | number | bigint | Float, spec: Spec): string => {
  if (value instanceof Float) throw unknownCode(spec.type, "float")
  if (spec.precision !== undefined) throw valueFault("Precision not allowed in integer format specifier")
  if (spec.noNegativeZero) throw valueFault("Negative zero coercion (z) not allowed in format specifier with integer")
  if (spec.type === "c") return formatCharacter(value, spec)
  const exact = BigInt(value)
  const size = exact < 0n ? -exact : exact
  const radix = { b: 2, o: 8, x: 16, X: 16 }[spec.type] ?? 10
  const digits = size.toString(radix)
  const prefix = spec.alternate && radix !== 10 ? `0${spec.type}` : ""
  return padNumber(
    exact < 0n,
    prefix,
    spec.type === "X" ? digits.toUpperCase() : digits,
    "",
    spec,
    radix === 10 ? 3 : 4
  )
}

const formatCharacter = (value: boolean | number | bigint, spec: Spec): string => {
  if (spec.sign !== "") throw valueFault("Sign not allowed with integer format specifier 'c'")
  if (spec.alternate) throw valueFault("Alternate form (#) not allowed with integer format specifier 'c'")
  const code = Number(value)
  if (!(code >= 0 && code <= 0x10ffff)) throw new Fault("Overflow", "%c arg not in range(0x110000)")
  return pad("", String.fromCodePoint(code), spec, ">")
}

const formatFloat = (runtime: Runtime, value: boolean | number | bigint | Float, spec: Spec): string => {
  const { type } = spec
  if (type !== "" && !"eEfFgGn%".includes(type)) throw unknownCode(type, value)
  const number = float(value)
  const size = Math.abs(type === "%" ? number * 100 : number)
  const shown = sizeText(runtime, size, spec)
  const negative = (number < 0 || Object.is(number, -0)) && !(spec.noNegativeZero && !/[1-9a-z]/.test(shown))
  const match = /^(\d*)(.*)$/.exec(type === "E" || type === "F" || type === "G" ? shown.toUpperCase() : shown)!
  return padNumber(negative, "", match[1]!, match[2]!, spec, 3)
}

/** The number without its sign. */
const sizeText = (runtime: Runtime, size: number, { type, precision, alternate }: Spec): string => {
  const end = type === "%" ? "%" : ""
  if (!Number.isFinite(size)) return floatText(size) + end
  const digits = precision ?? 6
  runtime.alloc(digits + 310)
  switch (type.toLowerCase()) {
    case "e": {
      const shown = scientificText(size, digits)
      return alternate && digits === 0 ? shown.replace("e", ".e") : shown
    }
    case "f":
    case "%":
      return fixedText(size, digits) + (alternate && digits === 0 ? "." : "") + end
    case "":
      return precision === undefined ? floatText(size) : shortText(size, precision, alternate)
    default:
      return generalText(size, digits, alternate)
  }
}

/** A precision without a type is like `g`, but the result always has the form of a float. */
const shortText = (size: number, precision: number, alternate: boolean): string => {
  const digits = Math.max(1, precision)
  const power = size === 0 ? 0 : Number(scientificText(size, digits - 1).split("e")[1])
  const shown =
    power >= digits - 1 && size !== 0
      ? trimZeros(scientificText(size, digits - 1), alternate)
      : generalText(size, precision, alternate)
  return /[.e]/.test(shown) ? shown : `${shown}.0`
}

const trimZeros = (shown: string, keep: boolean): string => {
  const [mantissa = "", exponent = ""] = shown.split("e")
  return `${keep || !mantissa.includes(".") ? mantissa : mantissa.replace(/\.?0+$/, "")}e${exponent}`
}

const padNumber = (
  negative: boolean,
  prefix: string,
  digits: string,
  rest: string,
  spec: Spec,
  group: number
): string => {
  const lead = (negative ? "-" : spec.sign === "-" ? "" : spec.sign) + prefix
  if (spec.separator === "") return pad(lead, digits + rest, spec, ">")
  // Zeros that pad to the width are grouped with the digits.
  const fills = spec.fill === "0" && spec.align === "="
  const room = fills ? spec.width - lead.length - rest.length : 0
  return pad(lead, grouped(digits, spec.separator, group, room) + rest, spec, ">")
}

/** The digits in groups, padded with zeros to the width; never starts with a separator. */
const grouped = (digits: string, separator: string, group: number, width: number): string => {
  let source = digits
  while (source.length + Math.floor((source.length - 1) / group) < width) source = `0${source}`
  let all = ""
  for (let i = 0; i < source.length; i++) {
    if (i > 0 && (source.length - i) % group === 0) all += separator
    all += source.charAt(i)
  }
  return all
}

const pad = (lead: string, shown: string, { fill, align, width }: Spec, side: string): string => {
  const missing = width - lead.length - lengthOf(shown)
  if (missing <= 0) return lead + shown
  switch (align === "" ? side : align) {
    case "<":
      return lead + shown + fill.repeat(missing)
    case "=":
      return lead + fill.repeat(missing) + shown
    case "^":
      return fill.repeat(missing >> 1) + lead + shown + fill.repeat(missing - (missing >> 1))
    default:
      return fill.repeat(missing) + lead + shown
  }
}
