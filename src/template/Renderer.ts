/**
 * Renders templates of every engine, in a worker; the main thread uses it only to check templates.
 */
import type { Context } from "./Context.ts"
import { Environment } from "../jinja/Environment.ts"
import { Fault, PlacedFault, type TemplateFault, faultAt, limitFault, toFault } from "../jinja/runtime/Fault.ts"
import { type Limits, limits } from "../jinja/runtime/Limits.ts"
import { lexicalOptions } from "./ConfigEngine.ts"
import { EngineFault } from "./plugin/Plugin.ts"
import type { Library } from "./plugin/Contract.ts"
import { pluginFault } from "./plugin/PluginBridge.ts"
import { type Engines, type LoadedPlugin, install } from "./plugin/PluginLoader.ts"
import { type Part, lengthProblem } from "./Part.ts"

/** A compiled template of any engine. */
export type Render = (context: Context) => string

/** Templates that are kept compiled, and the characters of their sources. */
const keptTemplates = 1000
const keptChars = 4 << 20

export class Renderer {
  private readonly environment: Environment
  /** Environments that treat white space otherwise, by the name of their engine. */
  private readonly others = new Map<string, Environment>()
  private readonly plugins: ReadonlyArray<LoadedPlugin>
  private readonly engines: Engines
  private readonly library: Library
  private readonly limits: Limits
  /** By engine and source, least recently used first. */
  private readonly compiled = new Map<string, Render>()
  private compiledChars = 0

  constructor(plugins: ReadonlyArray<LoadedPlugin>, sizes: Limits = limits) {
    this.limits = sizes
    this.plugins = plugins
    const installed = install(plugins, new Environment({ limits: sizes }))
    this.environment = installed.environment
    this.engines = installed.engines
    this.library = installed.library
  }

  get engineNames(): ReadonlyArray<string> {
    return ["jinja", ...this.engines.keys()]
  }

  /** The fault of the source, if it has one. */
  check(source: string, engine: string): TemplateFault | undefined {
    try {
      this.compile(source, engine)
      return undefined
    } catch (error) {
      return faultOf(error)
    }
  }

  /** Compiles the template; throws a PlacedFault. Cached, because the same few templates render all events. */
  template(source: string, engine: string, part: Part = "text"): Render {
    // No name of an engine contains the separators, so the key is unambiguous.
    if (engine !== "jinja" && lexicalOptions(engine) === undefined && !this.engines.has(engine)) throw noEngine(engine)
    const key = `${engine} ${part} ${source}`
    const known = this.compiled.get(key)
    if (known !== undefined) {
      this.compiled.delete(key)
      this.compiled.set(key, known)
      return known
    }
    const render = bounded(this.compile(source, engine, part === "headers"), part)
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
    const environment = engine === "jinja" ? this.environment : this.otherEnvironment(engine)
    if (environment === undefined) return this.compileForeign(source, engine, headers)
    const template = environment.compile(source, headers)
    return (context) => template.render(context.dict(), () => context.seed)
  }

  /** The environment of a config template; undefined for every other engine. */
  private otherEnvironment(engine: string): Environment | undefined {
    const options = lexicalOptions(engine)
    if (options === undefined) return undefined
    const known = this.others.get(engine)
    const environment = known ?? install(this.plugins, new Environment({ limits: this.limits, ...options })).environment
    this.others.set(engine, environment)
    return environment
  }

  private compileForeign(source: string, name: string, headers: boolean): Render {
    const found = this.engines.get(name)
    if (found === undefined) throw noEngine(name)
    if (source.length > this.limits.sourceChars) throw placeless(limitFault("source"))
    const where = `${found.plugin}.${name}`
    const { longNumber } = found.engine
    const render = engineGuard(where, () => found.engine.compile(source, { ...this.limits, headers }, this.library))
    return (context) => {
      const output = engineGuard(where, () => render(context.plain(longNumber), () => context.seed))
      if (output.length > this.limits.outputChars) throw placeless(limitFault("output"))
      return output
    }
  }
}

/** As `render`; fails where the output is longer than its part may be. */
const bounded = (render: Render, part: Part): Render => {
  if (part === "text" || part === "nothing") return render
  return (context) => {
    const output = render(context)
    const problem = lengthProblem(part, output.length)
    if (problem !== undefined) throw placeless(limitFault("output", problem))
    return output
  }
}

const placeless = (fault: Fault): PlacedFault => new PlacedFault(faultAt(fault, 0, 0), fault)

const noEngine = (name: string): PlacedFault =>
  placeless(new Fault("Syntax", `there is no template engine ${JSON.stringify(name)}`))

/** Runs a plugin's engine; every error becomes a fault, with the place if the engine names one. */
const engineGuard = <A>(where: string, compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    if (error instanceof PlacedFault) throw error
    if (error instanceof EngineFault) {
      const { reason, message, limit, line, column } = error
      throw new PlacedFault(faultAt(new Fault(reason, message, undefined, limit), line, column), error)
    }
    throw placeless(toFault(pluginFault(where, error)))
  }
}

/** The fault of an error; any other error is our bug, whose details stay hidden. */
export const faultOf = (error: unknown): TemplateFault =>
  error instanceof PlacedFault ? error.fault : faultAt(toFault(error), 0, 0)
