/** The state of one run of a template: its names, beside its output and its budget. */
import type { Limits } from "../../jinja/runtime/Limits.ts"
import { Output, type Seed } from "../../jinja/runtime/Output.ts"
import type { Environment, Obj, Run, Value } from "../value/Values.ts"
import { Frame, Locals } from "./Frame.ts"
import { globals } from "./Globals.ts"

interface RunOptions {
  readonly limits: Limits
  readonly headers: boolean
  readonly context: Obj
  readonly seed: Seed
  readonly localsSize: number
}

export class TemplateRun extends Output implements Run {
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
