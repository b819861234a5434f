/**
 * Renders templates of every engine: what runs in a worker, and in the main thread where templates are only checked.
 */
import type { Context } from "./Context.ts"
import { Environment } from "../jinja/Environment.ts"
import { Fault, PlacedFault, type TemplateFault, faultAt, limitFault, toFault } from "../jinja/runtime/Fault.ts"
import { type Limits, limits } from "../jinja/runtime/Limits.ts"
import { EngineFault } from "./plugin/Plugin.ts"
import { pluginFault } from "./plugin/PluginBridge.ts"
import { type Engines, type LoadedPlugin, install } from "./plugin/PluginLoader.ts"

/** A compiled template of any engine. */
export type Render = (context: Context) => string

/** Templates that are kept compiled, and the characters of their sources. */
const keptTemplates = 1000
const keptChars = 4 << 20

export class Renderer {
  private readonly environment: Environment
  private readonly engines: Engines
  private readonly limits: Limits
  /** By engine and source; those used last stand last. */
  private readonly compiled = new Map<string, Render>()
  private compiledChars = 0

  constructor(plugins: ReadonlyArray<LoadedPlugin>, sizes: Limits = limits) {
    this.limits = sizes
    const installed = install(plugins, new Environment({ limits: sizes }))
    this.environment = installed.environment
    this.engines = installed.engines
  }

  get engineNames(): ReadonlyArray<string> {
    return ["jinja", ...this.engines.keys()]
  }

  /** What is wrong with the source, if anything. */
  check(source: string, engine: string): TemplateFault | undefined {
    try {
      this.compile(source, engine)
      return undefined
    } catch (error) {
      return faultOf(error)
    }
  }

  /** The template, ready to render; throws a PlacedFault. Kept, because the same few templates render all events. */
  template(source: string, engine: string, headers = false): Render {
    // An engine that there is has neither in its name, so a key says all three without doubt.
    if (engine !== "jinja" && !this.engines.has(engine)) throw noEngine(engine)
    const key = `${engine}${headers ? "\n" : " "}${source}`
    const known = this.compiled.get(key)
    if (known !== undefined) {
      this.compiled.delete(key)
      this.compiled.set(key, known)
      return known
    }
    const render = this.compile(source, engine, headers)
    this.compiled.set(key, render)
    this.compiledChars += key.length
    for (const oldest of this.compiled.keys()) {
      if (this.compiled.size <= keptTemplates && this.compiledChars <= keptChars) break
      this.compiled.delete(oldest)
      this.compiledChars -= oldest.length
    }
    return render
  }

  private compile(source: string, engine: string, headers = false): Render {
    if (engine !== "jinja") return this.compileForeign(source, engine, headers)
    const template = this.environment.compile(source, headers)
    return (context) => template.render(context.dict(), () => context.seed)
  }

  private compileForeign(source: string, name: string, headers: boolean): Render {
    const found = this.engines.get(name)
    if (found === undefined) throw noEngine(name)
    if (source.length > this.limits.sourceChars) throw placeless(limitFault("source"))
    const where = `${found.plugin}.${name}`
    const render = engineGuard(where, () => found.engine.compile(source, { ...this.limits, headers }))
    return (context) => {
      const output = engineGuard(where, () => render(context.plain()))
      if (output.length > this.limits.outputChars) throw placeless(limitFault("output"))
      return output
    }
  }
}

const placeless = (fault: Fault): PlacedFault => new PlacedFault(faultAt(fault, 0, 0), fault)

const noEngine = (name: string): PlacedFault =>
  placeless(new Fault("Syntax", `there is no template engine ${JSON.stringify(name)}`))

/** Runs a plugin's engine; every error becomes a fault with a place, as far as the engine tells one. */
const engineGuard = <A>(where: string, compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    if (error instanceof EngineFault) {
      const { reason, message, limit, line, column } = error
      throw new PlacedFault(faultAt(new Fault(reason, message, undefined, limit), line, column), error)
    }
    throw placeless(toFault(pluginFault(where, error)))
  }
}

/** The fault that an error carries; anything else is a bug of ours, of which nothing is said. */
export const faultOf = (error: unknown): TemplateFault =>
  error instanceof PlacedFault ? error.fault : faultAt(toFault(error), 0, 0)
