/** Python's `repr` and `str`. */
import { limitFault } from "../runtime/Fault.ts"
import { type Runtime, Obj, type Value } from "../value/Value.ts"
import { Dict, View } from "../value/Dict.ts"
import { floatText } from "../value/Numbers.ts"
import { characterChars, codePoint } from "../text/Text.ts"
import { Bytes, Float, Markup, Tuple, Undefined } from "../value/Values.ts"

/** `str(value)` */
export const text = (runtime: Runtime, value: Value): string => {
  if (typeof value === "string") return value
  if (typeof value === "number") return String(value)
  if (value instanceof Markup) return value.text
  if (value instanceof Undefined) return ""
  return repr(runtime, value)
}

/** `repr(value)` */
export const repr = (runtime: Runtime, value: Value): string => write(runtime, value, [])

/** A list within itself is printed as `[...]`; `open` has the values that are being written. */
const write = (runtime: Runtime, value: Value, open: Array<Value>): string => {
  runtime.tick(1)
  if (value === null) return "None"
  switch (typeof value) {
    case "boolean":
      return value ? "True" : "False"
    case "number":
      return String(value)
    case "bigint":
      return bigText(runtime, value)
    case "string":
      return textRepr(runtime, value)
    default:
      return writeObject(runtime, value, open)
  }
}

/** Conversion to decimal digits costs several steps. */
export const bigText = (runtime: Runtime, value: bigint): string => {
  runtime.tick(8)
  return value.toString()
}

const writeObject = (runtime: Runtime, value: Array<Value> | Obj, open: Array<Value>): string => {
  if (value instanceof Float) return value.digits ?? floatText(value.value)
  if (value instanceof Markup) return `Markup(${textRepr(runtime, value.text)})`
  if (value instanceof Bytes) return bytesRepr(runtime, value.bytes)
  const array = Array.isArray(value)
  if (!array && !(value instanceof Tuple) && !(value instanceof Dict) && !(value instanceof View)) {
    return value.repr(runtime)
  }
  if (open.includes(value)) return array ? "[...]" : value instanceof Dict ? "{...}" : "(...)"
  if (open.length >= runtime.limits.valueDepth) throw limitFault("depth")
  open.push(value)
  const written = writeContainer(runtime, value, open)
  open.pop()
  return written
}

const writeContainer = (runtime: Runtime, value: Array<Value> | Tuple | Dict | View, open: Array<Value>): string => {
  if (Array.isArray(value)) return `[${writeItems(runtime, value, open)}]`
  if (value instanceof Tuple) {
    return `(${writeItems(runtime, value.items, open)}${value.items.length === 1 ? "," : ""})`
  }
  if (value instanceof View) return `${value.typeName}([${writeItems(runtime, viewItems(value), open)}])`
  let all = ""
  for (const [key, item] of value.entries()) {
    const entry = `${all === "" ? "" : ", "}${write(runtime, key, open)}: ${write(runtime, item, open)}`
    runtime.alloc(entry.length)
    all += entry
  }
  return `{${all}}`
}

const writeItems = (runtime: Runtime, items: ReadonlyArray<Value>, open: Array<Value>): string => {
  let all = ""
  for (let i = 0; i < items.length; i++) {
    const item = write(runtime, items[i]!, open)
    runtime.alloc(item.length + 2)
    all += i === 0 ? item : `, ${item}`
  }
  return all
}

/** The elements of the view. */
export const viewItems = (view: View): Array<Value> => {
  if (view.what === "keys") return view.dict.keys()
  if (view.what === "values") return view.dict.values()
  return Array.from(view.dict.entries(), (entry) => new Tuple(entry))
}

/** Characters that `repr` escapes: quotes, backslashes, control codes, separators, unassigned and private ones. */
const special = /[\p{C}\p{Z}\\'"]/u
const unprintable = /[\p{C}\p{Z}]/u

/** `str.isprintable` of one character. */
export const isPrintable = (character: string): boolean => character === " " || !unprintable.test(character)

/** `repr(text)` */
const textRepr = (runtime: Runtime, value: string): string => {
  runtime.alloc(value.length * (special.test(value) ? characterChars : 1))
  return quote(value)
}

/** `repr(text)` without a charge, for texts that are already paid for. */
export const quote = (value: string): string => {
  if (!special.test(value)) return `'${value}'`
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'"
  let all = mark
  for (const character of value) {
    all += character === mark || character === "\\" ? `\\${character}` : escaped(character)
  }
  return all + mark
}

/** Escapes characters that are not ASCII, as Python's `ascii()` does. */
export const asciiOnly = (value: string): string =>
  value.replace(/[^\0-\x7f]/gu, (character) => hexEscape(codePoint(character)))

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }

const escaped = (character: string): string => {
  if (isPrintable(character)) return character
  const short = named[character]
  if (short !== undefined) return short
  return hexEscape(codePoint(character))
}

const hexEscape = (code: number): string => {
  const hex = code.toString(16)
  return code < 0x100
    ? `\\x${hex.padStart(2, "0")}`
    : code < 0x10000
      ? `\\u${hex.padStart(4, "0")}`
      : `\\U${hex.padStart(8, "0")}`
}

const bytesRepr = (runtime: Runtime, bytes: Uint8Array): string => {
  runtime.alloc(bytes.length * 4)
  const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  const mark = latin.includes("'") && !latin.includes('"') ? '"' : "'"
  let all = `b${mark}`
  for (const character of latin) {
    const code = character.charCodeAt(0)
    all +=
      character === mark || character === "\\"
        ? `\\${character}`
        : code >= 32 && code < 127
          ? character
          : (named[character] ?? `\\x${code.toString(16).padStart(2, "0")}`)
  }
  return all + mark
}
