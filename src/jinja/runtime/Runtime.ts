/** The state of one run of a template. */
import { valueFault } from "./Fault.ts"
import { Budget } from "./Limits.ts"
import type { Environment } from "../Environment.ts"
import { Dict, adopt } from "../value/Dict.ts"
import { Markup, Tuple, type Value } from "../value/Values.ts"

export class Runtime extends Budget {
  readonly environment: Environment
  /** Names that the caller passed. */
  readonly context: Dict
  /** Names that the template set at its top level, as its blocks see them. */
  readonly exported = new Map<string, Value>()
  /** The output so far; a captured body, as of a macro, replaces it for a while. */
  out = ""
  /** Whether output is escaped for HTML. */
  autoescape = false
  /** Position of the run: the offset in the source of the node that is evaluated. */
  at = 0
  /** State of the random generator; a function until the first random number is needed. */
  private seed: number | (() => number)
  /** Nesting depth of captures. */
  private captures = 0
  private readonly dataGlobals = new Map<string, Value>()
  /** Whether the output is header lines. */
  private readonly headers: boolean

  constructor(environment: Environment, context: Dict, seed: number | (() => number), headers: boolean) {
    super(environment.limits)
    this.environment = environment
    this.context = context
    this.seed = seed
    this.headers = headers
  }

  /** Writes a computed value. In header lines only the template's own text may contain line breaks. */
  print(piece: string): void {
    if (this.headers && /[\r\n]/.test(piece)) throw valueFault("a header cannot hold a line break")
    this.write(piece)
  }

  /** Writes text unchanged. Captured text is charged as memory, other text as output. */
  write(piece: string): void {
    if (this.captures === 0) this.emit(piece.length)
    else this.alloc(piece.length)
    this.out += piece
  }

  /** Returns the text that the body writes. A fault ends the run, so the state need not be restored after one. */
  capture(body: () => void): string {
    const outer = this.out
    this.out = ""
    this.captures++
    body()
    this.captures--
    const captured = this.out
    this.out = outer
    return captured
  }

  /** Charges for reading a value once, by its size. */
  charge(value: Value): void {
    switch (typeof value) {
      case "string":
        if (value.length > 63) this.tick(value.length >> 6)
        return
      case "bigint":
        this.tick(8)
        return
      case "object":
        if (Array.isArray(value)) this.tick(value.length >> 4)
        else if (value instanceof Dict) this.tick(value.weight >> 4)
        else if (value instanceof Tuple) this.tick(Math.floor(value.weight / 64))
        else if (value instanceof Markup) this.tick(value.text.length >> 6)
    }
  }

  /** The value of a name: set by the template, else passed by the caller, else global. */
  resolve(name: string): Value | undefined {
    const exported = this.exported.get(name)
    if (exported !== undefined) return exported
    const given = this.context.get(name)
    if (given !== undefined) return given
    const global = this.environment.globals.get(name)
    return global === undefined ? this.dataGlobal(name) : global
  }

  /** Globals that are data are copied for each run, because templates can change lists and dicts. */
  private dataGlobal(name: string): Value | undefined {
    const copied = this.dataGlobals.get(name)
    if (copied !== undefined) return copied
    const data = this.environment.dataGlobals.get(name)
    if (data === undefined) return undefined
    const value = adopt(data)
    this.dataGlobals.set(name, value)
    return value
  }

  /** A random number in [0, 1). The same seed gives the same sequence (mulberry32). */
  random(): number {
    const before = typeof this.seed === "number" ? this.seed : this.seed()
    const state = (before + 0x6d2b79f5) | 0
    this.seed = state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
