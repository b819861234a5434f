/** `pprint.pformat(value)`: 80 columns, keys sorted. */
import { Fault, limitFault } from "../runtime/Fault.ts"
import { type Runtime, type Value, address } from "../value/Value.ts"
import { compare } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { repr } from "./Repr.ts"
import { lengthOf, linesWithEnds } from "../text/Text.ts"
import { Tuple, typeName } from "../value/Values.ts"

const columns = 80

export const prettyPrint = (runtime: Runtime, value: Value): string => new Printer(runtime).format(value, 0, 0)

class Printer {
  private readonly open: Array<Value> = []
  private readonly runtime: Runtime

  constructor(runtime: Runtime) {
    this.runtime = runtime
  }

  /** The value on a line that already has `indent` columns, with `allowance` more after the value. */
  format(value: Value, indent: number, allowance: number): string {
    if (this.open.includes(value)) return `<Recursion on ${typeName(value)} with id=${Number(address)}>`
    const line = this.line(value)
    if (lengthOf(line) <= columns - indent - allowance) return line
    if (this.open.length >= this.runtime.limits.valueDepth) throw limitFault("depth")
    this.open.push(value)
    const broken = this.broken(value, indent, allowance) ?? line
    this.open.pop()
    this.runtime.alloc(broken.length)
    return broken
  }

  /** The value on several lines; undefined if it cannot be broken. */
  private broken(value: Value, indent: number, allowance: number): string | undefined {
    if (value instanceof Dict) {
      return value.size === 0 ? "{}" : `{${this.entries(value, indent + 1, allowance + 1)}}`
    }
    if (Array.isArray(value)) return `[${this.items(value, indent + 1, allowance + 1)}]`
    if (value instanceof Tuple && value.typeName === "tuple") {
      const end = value.items.length === 1 ? ",)" : ")"
      return `(${this.items(value.items, indent + 1, allowance + end.length)}${end}`
    }
    return typeof value === "string" && value !== "" ? this.text(value, indent, allowance) : undefined
  }

  private items(items: ReadonlyArray<Value>, indent: number, allowance: number): string {
    this.runtime.alloc(items.length * indent)
    const last = items.length - 1
    return items
      .map((item, index) => this.format(item, indent, index === last ? allowance : 1))
      .join(`,\n${this.spaces(indent)}`)
  }

  private entries(dict: Dict, indent: number, allowance: number): string {
    const keys = this.sortedKeys(dict)
    this.runtime.alloc(keys.length * indent)
    const last = keys.length - 1
    return keys
      .map((key, index) => {
        const shown = this.line(key)
        const at = indent + lengthOf(shown) + 2
        return `${shown}: ${this.format(dict.get(key)!, at, index === last ? allowance : 1)}`
      })
      .join(`,\n${this.spaces(indent)}`)
  }

  private spaces(count: number): string {
    this.runtime.alloc(count)
    return " ".repeat(count)
  }

  /** Text split at line ends and white space, in parentheses if it is the whole value. */
  private text(value: string, indent: number, allowance: number): string {
    const alone = this.open.length === 1
    const at = alone ? indent + 1 : indent
    const after = alone ? allowance + 1 : allowance
    const lines = linesWithEnds(value)
    const chunks = lines.flatMap((line, index) =>
      this.textLine(line, columns - at, index === lines.length - 1 ? after : 0)
    )
    if (chunks.length === 1) return this.line(lines.at(-1)!)
    this.runtime.alloc(chunks.length * at)
    const joined = chunks.join(`\n${this.spaces(at)}`)
    return alone ? `(${joined})` : joined
  }

  private textLine(line: string, width: number, allowance: number): Array<string> {
    const whole = this.line(line)
    if (lengthOf(whole) <= width - allowance) return [whole]
    const parts = line.match(/\S+\s*|\s+/g) ?? []
    const chunks: Array<string> = []
    let current = ""
    parts.forEach((part, index) => {
      const room = index === parts.length - 1 ? width - allowance : width
      if (lengthOf(this.line(current + part)) > room) {
        if (current !== "") chunks.push(this.line(current))
        current = part
      } else current += part
    })
    if (current !== "") chunks.push(this.line(current))
    return chunks
  }

  /** The value on one line: its repr, but with sorted keys. */
  private line(value: Value): string {
    const container = value instanceof Dict || Array.isArray(value) || value instanceof Tuple
    if (!container || (value instanceof Tuple && value.typeName !== "tuple")) return repr(this.runtime, value)
    if (this.open.includes(value)) return `<Recursion on ${typeName(value)} with id=${Number(address)}>`
    if (this.open.length >= this.runtime.limits.valueDepth) throw limitFault("depth")
    this.open.push(value)
    const line = this.containerLine(value)
    this.open.pop()
    this.runtime.alloc(line.length)
    return line
  }

  private containerLine(value: Dict | Array<Value> | Tuple): string {
    if (value instanceof Dict) {
      return `{${this.sortedKeys(value)
        .map((key) => `${this.line(key)}: ${this.line(value.get(key)!)}`)
        .join(", ")}}`
    }
    if (Array.isArray(value)) return `[${value.map((item) => this.line(item)).join(", ")}]`
    const inner = value.items.map((item) => this.line(item)).join(", ")
    return `(${inner}${value.items.length === 1 ? "," : ""})`
  }

  /** Sorts keys that cannot be compared by the names of their types. */
  private sortedKeys(dict: Dict): Array<Value> {
    const order = (a: Value, b: Value): number => {
      try {
        return compare(this.runtime, a, b, "<")
      } catch (error) {
        if (!(error instanceof Fault) || error.reason === "Limit") throw error
        const [x, y] = [typeName(a), typeName(b)]
        return x < y ? -1 : x > y ? 1 : 0
      }
    }
    return dict.keys().sort(order)
  }
}
