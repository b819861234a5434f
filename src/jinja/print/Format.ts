/**
 * `str.format` as in Jinja's sandbox: with `string.Formatter`, and with attributes looked up as in a template.
 */
import { Fault, valueFault } from "../runtime/Fault.ts"
import type { Runtime, Keywords, Value } from "../value/Value.ts"
import { Dict } from "../value/Dict.ts"
import { formatValue } from "./FormatSpec.ts"
import { escapeHtml } from "../text/Html.ts"
import { getAttribute, getItem } from "../value/Lookup.ts"
import { asciiOnly, quote, repr, text } from "./Repr.ts"
import { Markup, typeName } from "../value/Values.ts"

/** A piece of a format string: text, and the replacement field that follows it, if any. */
interface Piece {
  readonly literal: string
  readonly field: string | undefined
  readonly spec: string
  readonly conversion: string | undefined
}

/** Splits a format string into pieces, as CPython's `MarkupIterator` does. */
function* pieces(format: string): Generator<Piece> {
  let at = 0
  while (at < format.length) {
    const { literal, next, opens } = readLiteral(format, at)
    if (!opens) {
      if (literal !== "") yield { literal, field: undefined, spec: "", conversion: undefined }
      at = next
      continue
    }
    const end = closingBrace(format, next)
    yield { literal, ...splitField(format.slice(next, end)) }
    at = end + 1
  }
}

/** Reads text up to a field (`opens`), a doubled brace or the end. */
const readLiteral = (format: string, from: number): { literal: string; next: number; opens: boolean } => {
  const found = format.slice(from).search(/[{}]/)
  if (found < 0) return { literal: format.slice(from), next: format.length, opens: false }
  const at = from + found
  const brace = format.charAt(at)
  if (format[at + 1] === brace) return { literal: format.slice(from, at + 1), next: at + 2, opens: false }
  if (brace === "}") throw valueFault("Single '}' encountered in format string")
  if (at + 1 >= format.length) throw valueFault("Single '{' encountered in format string")
  return { literal: format.slice(from, at), next: at + 1, opens: true }
}

/** Position of the brace that closes a field; braces within brackets are skipped, but only in the name. */
const closingBrace = (format: string, from: number): number => {
  let open = 1
  let bracket = false
  let inName = true
  for (let at = from; at < format.length; at++) {
    const unit = format[at]
    if (inName && unit === "[") bracket = true
    else if (unit === "]") bracket = false
    else if (bracket) continue
    else if (unit === "{") open++
    else if (unit === "}" && --open === 0) return at
    else if (unit === ":" || unit === "!") inName = false
  }
  throw valueFault("expected '}' before end of string")
}

const splitField = (field: string): Omit<Piece, "literal"> => {
  let at = 0
  let bracket = false
  for (; at < field.length; at++) {
    const unit = field[at]
    if (unit === "{") throw valueFault("unexpected '{' in field name")
    if (unit === "[") bracket = true
    else if (unit === "]") bracket = false
    else if (!bracket && (unit === ":" || unit === "!")) break
  }
  const name = field.slice(0, at)
  if (field[at] === undefined) return { field: name, spec: "", conversion: undefined }
  if (field[at] === ":") return { field: name, spec: field.slice(at + 1), conversion: undefined }
  const conversion = field.slice(at + 1, at + 2)
  if (conversion === "") throw valueFault("end of string while looking for conversion specifier")
  const rest = field.slice(at + 2)
  if (rest !== "" && !rest.startsWith(":")) throw valueFault("expected ':' after conversion specifier")
  return { field: name, spec: rest.slice(1), conversion }
}

class Formatter {
  /** Number of the next unnumbered field; -1 after a numbered one. */
  private automatic = 0
  private readonly runtime: Runtime
  private readonly args: ReadonlyArray<Value>
  private readonly named: (name: string) => Value
  private readonly safe: boolean

  constructor(runtime: Runtime, args: ReadonlyArray<Value>, named: (name: string) => Value, safe: boolean) {
    this.runtime = runtime
    this.args = args
    this.named = named
    this.safe = safe
  }

  format(source: string, depth: number): string {
    if (depth < 0) throw valueFault("Max string recursion exceeded")
    let all = ""
    for (const { literal, field, spec, conversion } of pieces(source)) {
      this.runtime.tick(1)
      all += literal
      if (field === undefined) continue
      const value = this.convert(this.value(field), conversion)
      const shown = this.show(value, this.format(spec, depth - 1))
      this.runtime.alloc(shown.length)
      all += shown
    }
    return all
  }

  private show(value: Value, spec: string): string {
    if (!this.safe) return formatValue(this.runtime, value, spec)
    if (value instanceof Markup) {
      if (spec !== "") throw valueFault("Unsupported format specification for Markup.")
      return value.text
    }
    return escapeHtml(this.runtime, formatValue(this.runtime, value, spec))
  }

  private convert(value: Value, conversion: string | undefined): Value {
    switch (conversion) {
      case undefined:
        return value
      case "s":
        return text(this.runtime, value)
      case "r":
        return repr(this.runtime, value)
      case "a":
        return asciiOnly(repr(this.runtime, value))
      default:
        throw valueFault(`Unknown conversion specifier ${conversion}`)
    }
  }

  private value(field: string): Value {
    const numbered = this.number(field)
    const cut = numbered.search(/[.[]/)
    const first = cut < 0 ? numbered : numbered.slice(0, cut)
    let value = isIndex(first) ? this.positional(Number(first)) : this.named(first)
    let rest = cut < 0 ? "" : numbered.slice(cut)
    while (rest !== "") {
      const step = splitStep(rest)
      value = step.attribute
        ? getAttribute(this.runtime, value, step.name)
        : getItem(this.runtime, value, isIndex(step.name) ? Number(step.name) : step.name)
      rest = step.rest
    }
    return value
  }

  /** Replaces an empty name by the next number. */
  private number(field: string): string {
    if (field === "") {
      if (this.automatic < 0) {
        throw valueFault("cannot switch from manual field specification to automatic field numbering")
      }
      return String(this.automatic++)
    }
    if (isIndex(field)) {
      if (this.automatic > 0) {
        throw valueFault("cannot switch from manual field specification to automatic field numbering")
      }
      this.automatic = -1
    }
    return field
  }

  private positional(index: number): Value {
    const value = this.args[index]
    if (value === undefined) {
      throw new Fault("Index", "tuple index out of range")
    }
    return value
  }
}

const isIndex = (name: string): boolean => /^\d+$/.test(name)

const splitStep = (rest: string): { attribute: boolean; name: string; rest: string } => {
  if (rest[0] === ".") {
    const cut = rest.slice(1).search(/[.[]/)
    const end = cut < 0 ? rest.length : cut + 1
    if (end === 1) throw valueFault("Empty attribute in format string")
    return { attribute: true, name: rest.slice(1, end), rest: rest.slice(end) }
  }
  if (rest[0] !== "[") throw valueFault("Only '.' or '[' may follow ']' in format field specifier")
  const close = rest.indexOf("]")
  if (close < 0) throw valueFault("Missing ']' in format string")
  if (close === 1) throw valueFault("Empty attribute in format string")
  return { attribute: false, name: rest.slice(1, close), rest: rest.slice(close + 1) }
}

/** Nesting depth of fields in format specifications. */
const specDepth = 2

const missing = (name: string) => new Fault("Key", quote(name))

/** `source.format(*args, **keywords)`. In Markup the inserted values are escaped. */
export const format = (
  runtime: Runtime,
  source: string | Markup,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined
): Value =>
  run(runtime, source, args, (name) => {
    const value = keywords?.get(name)
    if (value === undefined) throw missing(name)
    return value
  })

/** `source.format_map(mapping)` */
export const formatMap = (runtime: Runtime, source: string | Markup, mapping: Value): Value =>
  run(runtime, source, [], (name) => {
    if (!(mapping instanceof Dict)) throw new Fault("Type", `'${typeName(mapping)}' object is not subscriptable`)
    const value = mapping.get(name)
    if (value === undefined) throw missing(name)
    return value
  })

const run = (
  runtime: Runtime,
  source: string | Markup,
  args: ReadonlyArray<Value>,
  named: (name: string) => Value
): Value => {
  if (typeof source === "string") return new Formatter(runtime, args, named, false).format(source, specDepth)
  return new Markup(new Formatter(runtime, args, named, true).format(source.text, specDepth))
}
