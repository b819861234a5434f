/** The state of one run of a template. */
import type { Limits } from "../../jinja/runtime/Limits.ts"
import { Output, type Seed } from "../../jinja/runtime/Output.ts"
import type { Native, Obj, Value } from "../value/Values.ts"
import { Frame, Locals } from "./Frame.ts"
import { globals } from "./Globals.ts"

/** Filters, tests and globals that templates find by name. */
export interface Environment {
  readonly filter: (name: string) => Native | undefined
  readonly test: (name: string) => Native | undefined
  /** A new value for each run, which may change it. */
  readonly global: (run: Run, name: string) => Value
}

interface RunOptions {
  readonly limits: Limits
  readonly headers: boolean
  readonly context: Obj
  readonly seed: Seed
  readonly localsSize: number
}

export class Run extends Output {
  /** Names that the caller passed, and names that the template sets at its top level. */
  readonly context: Map<string, Value>
  readonly top: Frame = new Frame()
  frame: Frame = this.top
  locals: Locals
  readonly environment: Environment
  private readonly found = new Map<string, Value>()

  constructor(environment: Environment, { limits, headers, context, seed, localsSize }: RunOptions) {
    super(limits, headers, seed)
    this.context = new Map(Object.entries(context))
    this.locals = new Locals(localsSize, undefined)
    this.environment = environment
  }

  /** The value of a name that no local has. */
  resolve(name: string): Value {
    this.tick(1)
    const value = this.frame.lookup(name)
    if (value !== undefined) return value
    return this.context.has(name) ? this.context.get(name) : this.global(name)
  }

  private global(name: string): Value {
    if (this.found.has(name)) return this.found.get(name)
    const value = globals.get(name) ?? this.environment.global(this, name)
    this.found.set(name, value)
    return value
  }
}
