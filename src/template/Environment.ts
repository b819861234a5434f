/** What templates of one kind share: filters, tests, globals, tags and budgets. */
import { Fault, type FaultReason, type LimitName, limitFault, valueFault } from "./Fault.ts"
import { builtinFilters } from "./filters/Filters.ts"
import { builtinGlobals } from "./Globals.ts"
import { type Limits, limits } from "./Limits.ts"
import type { Native } from "./Native.ts"
import { Runtime } from "./Runtime.ts"
import { builtinTests } from "./Tests.ts"
import { type Render, compileTemplate } from "./compile/CompiledTemplate.ts"
import { type Extension, parse } from "./syntax/Parser.ts"
import { type LexicalOptions, normalize } from "./syntax/Tokenizer.ts"
import type { Dict } from "./value/Dict.ts"
import type { Keywords, Value } from "./value/Values.ts"

/** A tag that a plugin brings. */
export interface Tag {
  readonly body: boolean
  readonly run: (runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined, body: () => string) => string
}

export interface EnvironmentOptions extends LexicalOptions {
  readonly extensions?: ReadonlySet<Extension>
  readonly limits?: Partial<Limits>
}

export class Environment {
  readonly filters = new Map<string, Native>(builtinFilters)
  readonly tests = new Map<string, Native>(builtinTests)
  readonly globals = new Map<string, Value>(builtinGlobals)
  readonly tags = new Map<string, Tag>()
  readonly limits: Limits
  private readonly options: EnvironmentOptions

  constructor(options: EnvironmentOptions = {}) {
    this.options = options
    this.limits = { ...limits, ...options.limits }
  }

  /** Parses and compiles; throws a TemplateFault. Runs nothing of the template. */
  compile(source: string): CompiledTemplate {
    const normal = normalize(source, this.options)
    const render = guarded(
      normal,
      () => 0,
      () => {
        if (source.length > this.limits.sourceChars) throw limitFault("source")
        const body = parse(normal, { ...this.options, tags: this.tags }, this.limits)
        return compileTemplate(this, normal, body)
      }
    )
    return new CompiledTemplate(this, normal, render)
  }
}

/** A fault with its place: all that anybody outside the engine learns of it. Plain data, to travel between threads. */
export interface TemplateFault {
  readonly reason: FaultReason
  readonly message: string
  /** Which budget was passed, where the reason is Limit. */
  readonly limit: LimitName | undefined
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The line. */
  readonly snippet: string
}

export class CompiledTemplate {
  private readonly environment: Environment
  private readonly source: string
  private readonly run: Render

  constructor(environment: Environment, source: string, run: Render) {
    this.environment = environment
    this.source = source
    this.run = run
  }

  /** The output; throws a TemplateFault. `seed` makes what is random come out the same again. */
  render(context: Dict, seed?: number): string {
    return this.measure(context, seed).output
  }

  /** The output, and the steps that it took. */
  measure(context: Dict, seed?: number): { readonly output: string; readonly steps: number } {
    const runtime = new Runtime(this.environment, this.environment.limits, context, seed)
    return guarded(
      this.source,
      () => runtime.at,
      () => {
        this.run(runtime)
        if (!runtime.out.isWellFormed())
          throw valueFault("'utf-8' codec can't encode characters: surrogates not allowed")
        return { output: runtime.out, steps: runtime.stepsUsed }
      }
    )
  }
}

export class PlacedFault extends Error {
  readonly fault: TemplateFault

  constructor(fault: TemplateFault, cause: unknown) {
    super(fault.message, { cause })
    this.fault = fault
  }
}

/** Characters of a line that a fault shows, and of a message, which may hold a template's values. */
const snippetChars = 120
const messageChars = 500

const guarded = <A>(source: string, position: () => number, compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    throw new PlacedFault(place(source, toFault(error), position()), error)
  }
}

/** What the engine itself runs into is a passed limit, or else a bug, of which the template's author learns nothing. */
const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof RangeError) return limitFault(/stack/.test(error.message) ? "depth" : "memory")
  return new Fault("Internal", "the template engine failed")
}

const place = (source: string, fault: Fault, position: number): TemplateFault => {
  const at = Math.min(fault.at ?? position, source.length)
  const start = at === 0 ? 0 : source.lastIndexOf("\n", at - 1) + 1
  const end = source.indexOf("\n", start)
  return {
    reason: fault.reason,
    message: fault.message.slice(0, messageChars),
    limit: fault.limit,
    line: source.slice(0, start).split("\n").length,
    column: at - start + 1,
    snippet: source.slice(start, end < 0 ? source.length : end).slice(0, snippetChars)
  }
}
