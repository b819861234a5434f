/** `text % values`: Python's printf-style formatting, as CPython's `unicode_format` does it. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import { type Runtime, Obj, type Value } from "../value/Value.ts"
import { refuseUndefined } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { escapeHtml, escapeUnlessSafe } from "../text/Html.ts"
import { fixedText, float, floatText, generalText, scientificText, truncate } from "../value/Numbers.ts"
import { asciiOnly, quote, repr, text } from "./Repr.ts"
import { codePoint, headOf, lengthOf } from "../text/Text.ts"
import { Float, Markup, Range, Tuple, Undefined, isInteger, isNumber, typeName } from "../value/Values.ts"

interface Specifier {
  readonly flags: string
  readonly width: number
  /** -1 if none is given. */
  readonly precision: number
  readonly type: string
}

/** Converts values to text: unchanged, or escaped for Markup. */
interface Show {
  readonly str: (value: Value) => string
  readonly repr: (value: Value) => string
}

/** `source % values` */
export const formatPercent = (runtime: Runtime, source: string, values: Value): string =>
  new Percent(runtime, source, values, {
    str: (value) => text(runtime, value),
    repr: (value) => repr(runtime, value)
  }).format()

/** `Markup(source) % values`: the inserted values are escaped. */
export const formatMarkup = (runtime: Runtime, source: Markup, values: Value): Markup =>
  new Markup(
    new Percent(runtime, source.text, values, {
      str: (value) => escapeUnlessSafe(runtime, value),
      repr: (value) => escapeHtml(runtime, repr(runtime, value))
    }).format()
  )

class Percent {
  private at = 0
  private taken = 0
  private all = ""
  private readonly runtime: Runtime
  private readonly source: string
  private readonly values: Value
  private readonly show: Show

  constructor(runtime: Runtime, source: string, values: Value, show: Show) {
    this.runtime = runtime
    this.source = source
    this.values = values
    this.show = show
  }

  format(): string {
    const { source, values } = this
    for (;;) {
      const percent = source.indexOf("%", this.at)
      this.append(source.slice(this.at, percent < 0 ? source.length : percent))
      if (percent < 0) break
      this.at = percent + 1
      this.specifier()
    }
    const count = values instanceof Tuple ? values.items.length : 1
    if (this.taken < count && !hasItems(values)) {
      throw typeFault("not all arguments converted during string formatting")
    }
    return this.all
  }

  private append(piece: string): void {
    this.runtime.alloc(piece.length)
    this.all += piece
  }

  private specifier(): void {
    this.runtime.tick(1)
    if (this.source[this.at] === "%") return this.append(this.source.charAt(this.at++))
    const key = this.source[this.at] === "(" ? this.key() : undefined
    const flags = this.match(/[#0\- +]*/y)[0]
    const width = this.count("*")
    const precision = this.match(/\.?/y)[0] === "" ? undefined : (this.count("*") ?? 0)
    this.match(/[hlL]?/y)
    const type = this.match(/[^]?/uy)[0]
    if (type === "") throw valueFault("incomplete format")
    const value = key === undefined ? this.next() : key
    const leftFlag = width !== undefined && width < 0 ? "-" : ""
    this.append(
      this.convert(value, {
        flags: flags + leftFlag,
        width: Math.abs(width ?? 0),
        precision: precision === undefined ? -1 : Math.max(0, precision),
        type
      })
    )
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.source)!
    this.at = pattern.lastIndex
    return match
  }

  /** Reads the value of `%(key)`, from the parenthesis. */
  private key(): Value {
    const { values } = this
    if (!hasItems(values) || values instanceof Tuple) throw typeFault("format requires a mapping")
    let open = 1
    const start = ++this.at
    for (; open > 0; this.at++) {
      const unit = this.source[this.at]
      if (unit === undefined) throw valueFault("incomplete format key")
      open += unit === "(" ? 1 : unit === ")" ? -1 : 0
    }
    const key = this.source.slice(start, this.at - 1)
    if (values instanceof Undefined) throw values.fault()
    if (!(values instanceof Dict)) throw typeFault(`${typeName(values)} indices must be integers or slices, not str`)
    const value = values.get(key)
    if (value === undefined) throw new Fault("Key", quote(key))
    this.taken = 1
    return value
  }

  private count(star: string): number | undefined {
    if (this.source[this.at] !== star) {
      const digits = this.match(/\d*/y)[0]
      if (digits.length > 9) throw valueFault("width too big")
      return digits === "" ? undefined : Number(digits)
    }
    this.at++
    const value = this.next()
    if (!isInteger(value)) throw typeFault("* wants int")
    return Number(value)
  }

  private next(): Value {
    const { values } = this
    const value = values instanceof Tuple ? values.items[this.taken] : this.taken === 0 ? values : undefined
    if (value === undefined) throw typeFault("not enough arguments for format string")
    this.taken++
    return value
  }

  private convert(value: Value, spec: Specifier): string {
    this.runtime.alloc(spec.width + Math.max(0, spec.precision))
    switch (spec.type) {
      case "s":
        return padText(this.cut(this.show.str(value), spec), spec)
      case "r":
        return padText(this.cut(this.show.repr(value), spec), spec)
      case "a":
        return padText(this.cut(asciiOnly(this.show.repr(value)), spec), spec)
      case "c":
        return padText(this.character(value), spec)
      case "d":
      case "i":
      case "u":
        return this.decimal(value, spec)
      case "x":
      case "X":
      case "o":
        return this.radix(value, spec)
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
        return this.float(value, spec)
      default:
        throw this.unsupported(spec.type)
    }
  }

  private unsupported(type: string): Fault {
    const code = codePoint(type).toString(16)
    return valueFault(
      `unsupported format character '${type}' (0x${code}) at index ${lengthOf(this.source.slice(0, this.at)) - 1}`
    )
  }

  private cut(shown: string, { precision }: Specifier): string {
    return precision < 0 ? shown : headOf(shown, precision)
  }

  private character(value: Value): string {
    if (typeof value === "string" && lengthOf(value) === 1) return value
    if (!isInteger(value)) throw typeFault("%c requires int or char")
    const code = Number(value)
    if (!(code >= 0 && code <= 0x10ffff)) throw new Fault("Overflow", "%c arg not in range(0x110000)")
    return String.fromCodePoint(code)
  }

  private decimal(value: Value, spec: Specifier): string {
    if (!isNumber(value)) {
      refuseUndefined(value)
      throw typeFault(`%${spec.type} format: a real number is required, not ${typeName(value)}`)
    }
    return padNumber(value instanceof Float ? BigInt(truncate(value.value)) : BigInt(value), 10, spec)
  }

  private radix(value: Value, spec: Specifier): string {
    if (!isInteger(value)) {
      throw typeFault(`%${spec.type} format: an integer is required, not ${typeName(value)}`)
    }
    return padNumber(BigInt(value), spec.type === "o" ? 8 : 16, spec)
  }

  private float(value: Value, spec: Specifier): string {
    if (!isNumber(value)) {
      refuseUndefined(value)
      throw typeFault(`must be real number, not ${typeName(value)}`)
    }
    const number = float(value)
    const shown = this.size(Math.abs(number), spec)
    const sign = number < 0 || Object.is(number, -0) ? "-" : plusOf(spec)
    return padSigned(sign, "", shown, spec)
  }

  private size(size: number, { type, precision, flags }: Specifier): string {
    const upper = type === type.toUpperCase()
    const digits = precision < 0 ? 6 : precision
    if (!Number.isFinite(size)) return upper ? floatText(size).toUpperCase() : floatText(size)
    this.runtime.alloc(digits + 310)
    const kind = type.toLowerCase()
    const alternate = flags.includes("#")
    const plain =
      kind === "f"
        ? fixedText(size, digits)
        : kind === "e"
          ? scientificText(size, digits)
          : generalText(size, digits, alternate)
    const pointed = alternate && !plain.includes(".") ? plain.replace(/(?=e|$)/, ".") : plain
    return upper ? pointed.toUpperCase() : pointed
  }
}

/** Whether CPython treats the value as a mapping here. A mapping may leave arguments unused. */
const hasItems = (values: Value): boolean =>
  Array.isArray(values) ||
  (values instanceof Obj && (values instanceof Dict || values instanceof Range || values instanceof Undefined))

const plusOf = ({ flags }: Specifier): string => (flags.includes("+") ? "+" : flags.includes(" ") ? " " : "")

const padText = (shown: string, { flags, width }: Specifier): string => {
  const fill = " ".repeat(Math.max(0, width - lengthOf(shown)))
  return flags.includes("-") ? shown + fill : fill + shown
}

const padNumber = (value: bigint, radix: number, spec: Specifier): string => {
  const digits = (value < 0n ? -value : value).toString(radix).padStart(spec.precision, "0")
  const shown = spec.type === "X" ? digits.toUpperCase() : digits
  const prefix = spec.flags.includes("#") && radix !== 10 ? `0${spec.type}` : ""
  return padSigned(value < 0n ? "-" : plusOf(spec), prefix, shown, spec)
}

const padSigned = (sign: string, prefix: string, shown: string, { flags, width }: Specifier): string => {
  const lead = sign + prefix
  const missing = Math.max(0, width - lead.length - shown.length)
  if (flags.includes("-")) return lead + shown + " ".repeat(missing)
  return flags.includes("0") ? lead + "0".repeat(missing) + shown : " ".repeat(missing) + lead + shown
}
