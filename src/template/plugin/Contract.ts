/** The contract of plugins: their parts, and the calls of them. Plugins import it from Plugin.ts. */
import type { Limits } from "../../jinja/runtime/Limits.ts"

/** JSON, with integers beyond 2^53 as bigint. */
export type Json = null | boolean | number | bigint | string | ReadonlyArray<Json> | JsonObject
export type JsonObject = { readonly [name: string]: Json }

/** The call of a filter, test, global or tag. */
export interface Call {
  /** Keyword arguments. */
  readonly named: JsonObject
  /**
   * Pays for work (steps) and memory (UTF-16 units) in advance; throws if the template's budget or time is used up.
   */
  readonly charge: (work: number, chars?: number) => void
  /** Name of the plugin. */
  readonly plugin: string
}

/** `input` is undefined if the template's value is; an undefined result is undefined in the template. */
export type Filter = (call: Call, input: Json | undefined, ...args: ReadonlyArray<Json>) => Json | undefined

export type Test = (call: Call, input: Json | undefined, ...args: ReadonlyArray<Json>) => boolean

/** A function that templates call by its name. */
export type GlobalFunction = (call: Call, ...args: ReadonlyArray<Json>) => Json | undefined

/** `{% name args %}`, with a body up to `{% endname %}` where it has one. */
export interface Tag {
  readonly body: boolean
  readonly run: (call: Call, args: ReadonlyArray<Json>, body: () => string) => string
}

/** The limits that an engine must keep, as far as it can count them. */
export interface EngineLimits extends Limits {
  /** Whether the output is header lines. Printed values must then have no line break; the template's own text may. */
  readonly headers: boolean
}

/** A part of a plugin, and the plugin's name. */
export interface Provided<Part> {
  readonly plugin: string
  readonly part: Part
}

/** The parts that all plugins add to Jinja, for other engines, by their names there. */
export interface Library {
  readonly filters: ReadonlyMap<string, Provided<Filter>>
  readonly tests: ReadonlyMap<string, Provided<Test>>
  readonly globals: ReadonlyMap<string, Provided<Json | GlobalFunction>>
}

/** Another template language. It should throw EngineFaults only. */
export interface Engine {
  /**
   * The library is the same object for all templates of one environment. The seed of random choices is equal for equal
   * contexts.
   */
  readonly compile: (
    source: string,
    limits: EngineLimits,
    library: Library
  ) => (context: JsonObject, seed: () => number) => string
  /**
   * Makes the value of a number that JavaScript would round, from its digits as JSON has them. Usual is a bigint for an
   * integer, and the rounded number for another one.
   */
  readonly longNumber?: (digits: string) => unknown
}

/** Run when the plugin is loaded, and shown as its documentation. */
export interface Example {
  readonly template: string
  /** The default is `jinja`. */
  readonly engine?: string
  readonly context?: JsonObject
  /** The output, or the reason of the fault. */
  readonly expect: string | { readonly error: string }
}

/** A template to start from. */
export interface ReadyTemplate {
  readonly description: string
  readonly body: string
  /** Lines for the webhook's additional headers. */
  readonly headers?: string
  readonly contentType?: string
  readonly engine?: string
}

export interface Plugin {
  /** Lower case; for a file in `plugins/` the file's name. */
  readonly name: string
  readonly description?: string
  /** Names of others that this plugin may replace. A clash with any other name refuses the plugin. */
  readonly override?: ReadonlyArray<string>
  /** By name; a name may also be the plugin's own and a name in it: `liquid.sort`. */
  readonly filters?: Readonly<Record<string, Filter>>
  readonly tests?: Readonly<Record<string, Test>>
  readonly globals?: Readonly<Record<string, Json | GlobalFunction>>
  readonly tags?: Readonly<Record<string, Tag>>
  readonly engines?: Readonly<Record<string, Engine>>
  /** Adds names to the context of every template. It may be asynchronous but brief; its names must be free. */
  readonly extendContext?: (context: JsonObject) => JsonObject | Promise<JsonObject>
  readonly templates?: Readonly<Record<string, ReadyTemplate>>
  readonly examples: ReadonlyArray<Example>
}
