/** `json.dumps(value, sort_keys=True, indent=…)`. */
import { limitFault, typeFault, valueFault } from "../runtime/Fault.ts"
import type { Runtime, Value } from "../value/Value.ts"
import { Dict } from "../value/Dict.ts"
import { floatText } from "../value/Numbers.ts"
import { bigText } from "./Repr.ts"
import { sortBy } from "../value/Sort.ts"
import { Float, Markup, Tuple, isText, plain, typeName } from "../value/Values.ts"

/** JSON in ASCII; `indent` is the indentation of one level, undefined for one line. */
export const toJson = (runtime: Runtime, value: Value, indent: string | undefined): string =>
  new Writer(runtime, indent).write(value)

class Writer {
  /** The lists and dicts that are being written, to detect one that contains itself. */
  private readonly open: Array<Value> = []
  private readonly runtime: Runtime
  private readonly indent: string | undefined
  private readonly comma: string

  constructor(runtime: Runtime, indent: string | undefined) {
    this.runtime = runtime
    this.indent = indent
    this.comma = indent === undefined ? ", " : ","
  }

  write(value: Value): string {
    this.runtime.tick(1)
    if (value === null) return "null"
    switch (typeof value) {
      case "boolean":
        return value ? "true" : "false"
      case "number":
        return String(value)
      case "bigint":
        return bigText(this.runtime, value)
      case "string":
        return this.string(value)
      default:
        break
    }
    if (value instanceof Float) return value.digits ?? floatJson(value.value)
    if (value instanceof Markup) return this.string(value.text)
    if (!Array.isArray(value) && !(value instanceof Tuple) && !(value instanceof Dict)) {
      throw typeFault(`Object of type ${typeName(value)} is not JSON serializable`)
    }
    return this.container(value)
  }

  private string(value: string): string {
    if (isPlain(value)) {
      this.runtime.alloc(value.length)
      return `"${value}"`
    }
    this.runtime.alloc(value.length * 6)
    return asciiJson(value)
  }

  private container(value: Array<Value> | Tuple | Dict): string {
    const { open, runtime } = this
    if (open.includes(value)) throw valueFault("Circular reference detected")
    if (open.length >= runtime.limits.valueDepth) throw limitFault("depth")
    open.push(value)
    const dict = value instanceof Dict
    const parts = dict
      ? this.entries(value)
      : (Array.isArray(value) ? value : value.items).map((item) => this.write(item))
    open.pop()
    if (parts.length === 0) return dict ? "{}" : "[]"
    const inner = this.line(open.length + 1)
    runtime.alloc(parts.length * inner.length)
    const all = inner + parts.join(this.comma + inner) + this.line(open.length)
    runtime.alloc(all.length)
    return dict ? `{${all}}` : `[${all}]`
  }

  /** The line break before an element at the depth. */
  private line(depth: number): string {
    if (this.indent === undefined) return ""
    this.runtime.alloc(this.indent.length * depth)
    return `\n${this.indent.repeat(depth)}`
  }

  private entries(dict: Dict): Array<string> {
    const keys = sortBy(this.runtime, dict.keys(), (key) => key, false)
    return keys.map((key) => `${asciiJson(keyText(key))}: ${this.write(dict.get(key)!)}`)
  }
}

const keyText = (key: Value): string => {
  if (isText(key)) return plain(key)
  if (key === null) return "null"
  if (key instanceof Float) return floatJson(key.value)
  if (typeof key === "object") {
    throw typeFault(`keys must be str, int, float, bool or None, not ${typeName(key)}`)
  }
  return String(key)
}

const floatJson = (value: number): string => {
  if (Number.isFinite(value)) return floatText(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
}

/** Whether no character needs an escape, for JSON or for HTML. */
const isPlain = (value: string): boolean => plainText.test(value)

const plainText = /^[ !#-%(-;=?-[\]-~]*$/

const asciiJson = (value: string): string =>
  JSON.stringify(value).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const hasMarkup = (json: string): boolean => /[<>&']/.test(json)

/** Escapes for characters that are markup in HTML, as `tojson` writes them. */
export const hideMarkup = (json: string): string =>
  json.replace(/[<>&']/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
