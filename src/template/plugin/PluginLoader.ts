/**
 * Finds plugins, imports them and adds them to an environment. It refuses a plugin with an invalid name, a name that is
 * taken, or an example with another result; the message names both sides.
 */
import { readdirSync } from "node:fs"
import { registerHooks } from "node:module"
import { basename, extname, isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Environment } from "../../jinja/Environment.ts"
import { copyJson, filterOf, globalOf, tagOf, testOf } from "./PluginBridge.ts"
import type { Engine, Filter, GlobalFunction, Json, Library, Plugin, Provided, Test } from "./Contract.ts"

/** A plugin, and its module. */
export interface LoadedPlugin {
  readonly plugin: Plugin
  /** URL of the module. */
  readonly module: string
}

/**
 * Why a plugin is not loaded. `Unreadable`: its module cannot be imported. `NotAPlugin`: it exports no plugin.
 * `BadName`: a name is invalid. `Clash`: a name is taken. `Example`: an example has another result.
 */
export class PluginRefused extends Error {
  readonly reason: "Unreadable" | "NotAPlugin" | "BadName" | "Clash" | "Example"

  constructor(reason: PluginRefused["reason"], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Where the shipped plugins are. */
export const folder = new URL("../../../plugins/", import.meta.url)

// TypeScript in a clone, JavaScript in the package: like this module.
const extension = extname(import.meta.url)

const contract = new URL(`Plugin${extension}`, import.meta.url).href

/** The names of the contract: a plugin in `plugins/` may use the first, others the second. */
const contractNames: ReadonlySet<string> = new Set(["#plugin", "rackwire/plugin"])

// A plugin may be anywhere: Node would search for both in the plugin's package, and find none or another copy of it.
registerHooks({
  resolve: (specifier, context, next) =>
    contractNames.has(specifier) ? { url: contract, shortCircuit: true } : next(specifier, context)
})

/** URLs of the modules in `plugins/` and of the configured ones: paths, or names of npm packages. */
export const findPlugins = (configured: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shipped = readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .toSorted()
    .map((file) => new URL(file, folder).href)
  return [...shipped, ...configured.map(locate)]
}

const locate = (configured: string): string => {
  if (/^\.|[/\\].*\.[cm]?[jt]s$|^[^@/\\]+\.[cm]?[jt]s$/.test(configured) || isAbsolute(configured)) {
    return pathToFileURL(resolve(configured)).href
  }
  try {
    return import.meta.resolve(configured)
  } catch (cause) {
    throw new PluginRefused("Unreadable", `plugin ${configured}: there is no such file or package`, cause)
  }
}

/** Imports the modules in this order. A new `version` reads changed files again. */
export const readPlugins = async (
  modules: ReadonlyArray<string>,
  version?: string
): Promise<ReadonlyArray<LoadedPlugin>> => {
  const loaded: Array<LoadedPlugin> = []
  for (const module of modules) loaded.push({ module, plugin: await readPlugin(module, version) })
  return loaded
}

const readPlugin = async (module: string, version: string | undefined): Promise<Plugin> => {
  const exported = await importModule(version === undefined ? module : `${module}?${version}`).catch(
    (cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new PluginRefused("Unreadable", `plugin ${shown(module)}: ${why}`, cause)
    }
  )
  const plugin = exported.default
  if (!isPlugin(plugin)) {
    throw new PluginRefused(
      "NotAPlugin",
      `plugin ${shown(module)}: its default export is not a plugin with a name and examples`
    )
  }
  if (module.startsWith(folder.href) && plugin.name !== basename(fileURLToPath(module), extension)) {
    throw new PluginRefused(
      "BadName",
      `plugin ${shown(module)}: is called ${plugin.name}; a plugin is called like its file`
    )
  }
  return plugin
}

const importModule = async (module: string): Promise<{ readonly default?: unknown }> =>
  (await import(module)) as { readonly default?: unknown }

const isPlugin = (exported: unknown): exported is Plugin =>
  typeof exported === "object" &&
  exported !== null &&
  "name" in exported &&
  typeof exported.name === "string" &&
  "examples" in exported &&
  Array.isArray(exported.examples)

const shown = (module: string): string => (module.startsWith("file:") ? fileURLToPath(module) : module)

const pluginName = /^[a-z][a-z0-9-]*$/
/** Libraries of other engines have names such as `formatDate`. */
const partName = /^[a-z_][A-Za-z0-9_]*$/

/** The other engines of an environment, by name. */
export type Engines = ReadonlyMap<string, { readonly engine: Engine; readonly plugin: string }>

interface Installation {
  readonly environment: Environment
  readonly engines: Engines
  readonly library: Library
}

/** The environment with the plugins in it. */
export const install = (plugins: ReadonlyArray<LoadedPlugin>, environment: Environment): Installation => {
  const claims = new Claims(environment)
  const library = {
    filters: new Map<string, Provided<Filter>>(),
    tests: new Map<string, Provided<Test>>(),
    globals: new Map<string, Provided<Json | GlobalFunction>>()
  }
  const engines = new Map<string, { readonly engine: Engine; readonly plugin: string }>()
  for (const { plugin } of plugins) {
    claims.enter(plugin)
    for (const [name, filter] of Object.entries(plugin.filters ?? {})) {
      claims.claim(plugin, "filter", name)
      environment.filters.set(name, filterOf(plugin.name, name, filter))
      library.filters.set(name, { plugin: plugin.name, part: filter })
    }
    for (const [name, test] of Object.entries(plugin.tests ?? {})) {
      claims.claim(plugin, "test", name)
      environment.tests.set(name, testOf(plugin.name, name, test))
      library.tests.set(name, { plugin: plugin.name, part: test })
    }
    for (const [name, global] of Object.entries(plugin.globals ?? {})) {
      claims.claim(plugin, "global", name)
      environment.globals.delete(name)
      library.globals.set(name, { plugin: plugin.name, part: global })
      if (typeof global === "function") environment.globals.set(name, globalOf(plugin.name, name, global))
      else environment.dataGlobals.set(name, copyJson(global))
    }
    for (const [name, tag] of Object.entries(plugin.tags ?? {})) {
      claims.claim(plugin, "tag", name)
      environment.tags.set(name, tagOf(plugin.name, name, tag))
    }
    for (const [name, engine] of Object.entries(plugin.engines ?? {})) {
      claims.claim(plugin, "engine", name)
      engines.set(name, { engine, plugin: plugin.name })
    }
    for (const name of Object.keys(plugin.templates ?? {})) claims.claim(plugin, "template", name)
  }
  return { environment, engines, library }
}

/** Tags that Jinja has, or would have with its extensions. */
const jinjaTags =
  "for if set block macro call filter with print autoescape include import from extends raw do break continue trans debug elif else"

/** The owner of each name. */
class Claims {
  private readonly owners = new Map<string, string>()
  private readonly plugins = new Set<string>()

  constructor(environment: Environment) {
    const own = (kind: string, names: Iterable<string>) => {
      for (const name of names) this.owners.set(`${kind} ${name}`, "Jinja")
    }
    own("filter", environment.filters.keys())
    own("test", environment.tests.keys())
    own("global", environment.globals.keys())
    own("tag", jinjaTags.split(" "))
    own("engine", ["jinja"])
  }

  enter({ name }: Plugin): void {
    if (!pluginName.test(name)) {
      throw new PluginRefused("BadName", `plugin ${name}: a plugin's name is lower case letters, digits and hyphens`)
    }
    if (this.plugins.has(name)) throw new PluginRefused("Clash", `plugin ${name}: there is another plugin of that name`)
    this.plugins.add(name)
  }

  claim(plugin: Plugin, kind: string, name: string): void {
    const [prefix, part = "", ...more] = name.split(".")
    const dotted = kind === "filter" && prefix === plugin.name && more.length === 0 && partName.test(part)
    if (!partName.test(name) && !dotted) {
      throw new PluginRefused(
        "BadName",
        `plugin ${plugin.name}: ${kind} ${JSON.stringify(name)}: a name is letters, digits and underscores, and begins in lower case`
      )
    }
    const owner = this.owners.get(`${kind} ${name}`)
    if (owner !== undefined && plugin.override?.includes(name) !== true) {
      throw new PluginRefused("Clash", `plugin ${plugin.name}: ${kind} ${name} is already provided by ${owner}`)
    }
    this.owners.set(`${kind} ${name}`, plugin.name)
  }
}
