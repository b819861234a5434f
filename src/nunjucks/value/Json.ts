/** `JSON.stringify(value, null, indent)` for the values of templates, paid as it is written. */
import { limitFault } from "../../jinja/runtime/Fault.ts"
import { type Run, Callable, LongNumber, Opaque, SafeText, type Value } from "./Values.ts"

export const stringify = (run: Run, value: Value, indent: string): string | undefined =>
  new Writer(run, indent).write(value, "\n", 0)

class Writer {
  private readonly run: Run
  private readonly indent: string

  constructor(run: Run, indent: string) {
    this.run = run
    this.indent = indent
  }

  /** `line` is the line break with the indentation of what holds the value. */
  write(value: Value, line: string, depth: number): string | undefined {
    const { run } = this
    run.tick(1)
    if (depth > run.limits.valueDepth) throw limitFault("depth")
    if (value === null) return "null"
    switch (typeof value) {
      case "string": {
        run.alloc(value.length)
        return JSON.stringify(value)
      }
      case "number":
        return Number.isFinite(value) ? `${value + 0}` : "null"
      case "boolean":
        return `${value}`
      case "undefined":
        return undefined
    }
    if (value instanceof Callable) return undefined
    if (value instanceof LongNumber) return value.text
    // The form of the package's class in JSON.
    if (value instanceof SafeText) return this.write({ val: value.text, length: value.text.length }, line, depth)
    if (value instanceof Opaque) return "{}"
    const inner = line + this.indent
    if (Array.isArray(value)) {
      return this.wrap(
        "[",
        "]",
        line,
        value.map((item) => this.write(item, inner, depth + 1) ?? "null")
      )
    }
    const pieces: Array<string> = []
    for (const name of Object.keys(value)) {
      const written = this.write(value[name], inner, depth + 1)
      if (written === undefined) continue
      run.alloc(name.length + 4)
      pieces.push(`${JSON.stringify(name)}:${this.indent === "" ? "" : " "}${written}`)
    }
    return this.wrap("{", "}", line, pieces)
  }

  private wrap(open: string, close: string, line: string, pieces: ReadonlyArray<string>): string {
    if (pieces.length === 0) return open + close
    if (this.indent === "") return `${open}${pieces.join(",")}${close}`
    this.run.alloc(pieces.length * (line.length + this.indent.length + 1))
    return `${open}${line}${this.indent}${pieces.join(`,${line}${this.indent}`)}${line}${close}`
  }
}
