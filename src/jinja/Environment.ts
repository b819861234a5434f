/** The settings that templates share: filters, tests, globals, tags and budgets. */
import { PlacedFault, limitFault, place, toFault, valueFault } from "./runtime/Fault.ts"
import { builtinFilters } from "./filters/Filters.ts"
import { methodsOf } from "./methods/Methods.ts"
import { builtinGlobals } from "./runtime/Globals.ts"
import { type Limits, limits } from "./runtime/Limits.ts"
import type { Tag, Library, Native, Value } from "./value/Value.ts"
import { TemplateRun } from "./runtime/TemplateRun.ts"
import type { Seed } from "./runtime/Output.ts"
import { builtinTests } from "./runtime/Tests.ts"
import { type Render, compileTemplate } from "./compile/CompiledTemplate.ts"
import { type Extension, parse } from "./syntax/Parser.ts"
import { type LexicalOptions, normalize } from "./syntax/Tokenizer.ts"
import type { Dict, JsonValue } from "./value/Dict.ts"

export interface EnvironmentOptions extends LexicalOptions {
  readonly extensions?: ReadonlySet<Extension>
  readonly limits?: Partial<Limits>
}

export class Environment implements Library {
  readonly filters = new Map<string, Native>(builtinFilters)
  readonly tests = new Map<string, Native>(builtinTests)
  readonly globals = new Map<string, Value>(builtinGlobals)
  /** Globals that are data: each run gets a copy. */
  readonly dataGlobals = new Map<string, JsonValue>()
  readonly tags = new Map<string, Tag>()
  readonly methodsOf = methodsOf
  readonly limits: Limits
  private readonly options: EnvironmentOptions

  constructor(options: EnvironmentOptions = {}) {
    this.options = options
    this.limits = { ...limits, ...options.limits }
  }

  /**
   * Parses and compiles the template without running it; throws a PlacedFault. With `headers` the output is header
   * lines, and a printed value must not contain a line break.
   */
  compile(source: string, headers = false): CompiledTemplate {
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
    return new CompiledTemplate(this, normal, headers, render)
  }
}

class CompiledTemplate {
  private readonly environment: Environment
  private readonly source: string
  private readonly headers: boolean
  private readonly run: Render

  constructor(environment: Environment, source: string, headers: boolean, run: Render) {
    this.environment = environment
    this.source = source
    this.headers = headers
    this.run = run
  }

  /** Returns the output; throws a PlacedFault. With the same `seed`, random choices are the same. */
  render(context: Dict, seed?: Seed): string {
    return this.measure(context, seed).output
  }

  /** Returns the output and the number of steps. */
  measure(context: Dict, seed: Seed = 0): { readonly output: string; readonly steps: number } {
    const runtime = new TemplateRun(this.environment, context, seed, this.headers)
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

const guarded = <A>(source: string, position: () => number, compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    throw new PlacedFault(place(source, toFault(error), position()), error)
  }
}
