/** The state of one run of a template: its names, beside its output and its budget. */
import { Output, type Seed } from "./Output.ts"
import type { Limits } from "./Limits.ts"
import { Dict, type JsonValue, adopt } from "../value/Dict.ts"
import { Markup, Tuple } from "../value/Values.ts"
import type { Library, Runtime, Value } from "../value/Value.ts"

/** The part of an environment that a run uses. */
interface Environment extends Library {
  readonly limits: Limits
  readonly globals: ReadonlyMap<string, Value>
  /** Globals that are data: each run gets a copy. */
  readonly dataGlobals: ReadonlyMap<string, JsonValue>
}

export class TemplateRun extends Output implements Runtime {
  readonly environment: Environment
  /** Names that the caller passed. */
  readonly context: Dict
  /** Names that the template set at its top level, as its blocks see them. */
  readonly exported = new Map<string, Value>()
  autoescape = false
  private readonly dataGlobals = new Map<string, Value>()

  constructor(environment: Environment, context: Dict, seed: Seed, headers: boolean) {
    super(environment.limits, headers, seed)
    this.environment = environment
    this.context = context
  }

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
}
