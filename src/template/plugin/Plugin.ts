/**
 * A plugin: a file that adds filters, tests, globals, tags, whole engines and ready-made templates. Plugins
 * import this module only, as `rackwire/plugin` or, in `plugins/`, as `#plugin`, and the npm library that they bring.
 *
 * A plugin is code that the operator trusts. Its functions see plain JSON, never the engine's values, and their results
 * are copied: a template cannot reach through them. They are synchronous and have no budget of their own; a long loop
 * should call `call.charge` as it goes; if it does not, the pool terminates the worker that it runs in.
 */

import type { Limits } from "../../jinja/runtime/Limits.ts"

export { jsonInteger, jsonText } from "./JsonText.ts"
export { type LiquidPlugin, fromLiquid, renderPlain } from "./LiquidFilters.ts"
export { LiquidNumber } from "./LiquidNumber.ts"
export { nunjucksEngine } from "./NunjucksEngine.ts"
export { type NunjucksCollection, fromNunjucks } from "./NunjucksFilters.ts"

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
  /** Whether the output is header lines. Printed values must then hold no line break; the template's own text may. */
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

/** A template that an engine cannot parse or render, and where. */
export class EngineFault extends Error {
  /** From 1; 0 if it is unknown. */
  readonly line: number
  readonly column: number
  readonly reason: "Syntax" | "Value" | "Undefined" | "Limit"
  /** The budget that was exceeded, if the reason is Limit. */
  readonly limit: "source" | "nesting" | "steps" | "memory" | "output" | "time" | undefined

  constructor(
    reason: EngineFault["reason"],
    message: string,
    place: { readonly line?: number; readonly column?: number; readonly limit?: EngineFault["limit"] } = {}
  ) {
    super(message)
    this.reason = reason
    this.line = place.line ?? 0
    this.column = place.column ?? 0
    this.limit = place.limit
  }
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

export const definePlugin = (plugin: Plugin): Plugin => plugin

/** The default body of an event, to try templates on. */
export const sampleEvent: JsonObject = {
  event: "updated",
  timestamp: "2024-05-06T07:08:09.123456+00:00",
  model: "device",
  username: "admin",
  request_id: "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
  data: {
    id: 7,
    url: "https://inventory.example.com/api/dcim/devices/7/",
    display: "sw-1",
    name: "sw-1",
    status: { value: "active", label: "Active" },
    site: { id: 3, name: "Amsterdam", slug: "ams" },
    primary_ip: { id: 11, address: "192.0.2.10/24" },
    tags: [
      { id: 1, name: "core", slug: "core" },
      { id: 2, name: "lab", slug: "lab" }
    ],
    custom_fields: { owner: "ops" },
    comments: 'first line\nsecond "line"'
  },
  snapshots: {
    prechange: { name: "sw-0", status: "planned", comments: "" },
    postchange: { name: "sw-1", status: "active", comments: 'first line\nsecond "line"' }
  }
}

/** An event in which a webhook begins to fail, to try alerts on. */
export const sampleTurn = {
  ...sampleEvent,
  model: "webhook",
  username: "",
  message: "The receiver answered 503.",
  data: { id: 3, url: "https://inventory.example.com/api/extras/webhooks/3/", display: "register", health: "failing" }
} satisfies JsonObject

/** The sample event as templates see it. */
export const sampleContext: JsonObject = {
  ...sampleEvent,
  object_type: "dcim.device",
  request: {
    id: "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
    method: "PATCH",
    path: "/api/dcim/devices/7/",
    user: "admin"
  },
  message: "replaced after the outage"
}
