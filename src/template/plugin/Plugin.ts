/**
 * A plugin: a file that adds filters, tests, globals, tags, whole engines and ready-made templates. Plugins
 * import this module only, as `rackwire/plugin` or, in `plugins/`, as `#plugin`, and the npm library that they bring.
 *
 * A plugin is code that the operator trusts. Its functions see plain JSON, never the engine's values, and their results
 * are copied: a template cannot reach through them. They are synchronous and have no budget of their own; a long loop
 * should call `call.charge` as it goes; if it does not, the pool terminates the worker that it runs in.
 */
import type { Plugin } from "./Contract.ts"

export type * from "./Contract.ts"
export { sampleContext, sampleEvent, sampleTurn } from "../Samples.ts"
export { jsonInteger, jsonText } from "./JsonText.ts"
export { type LiquidPlugin, fromLiquid, renderPlain } from "./LiquidFilters.ts"
export { LiquidNumber } from "./LiquidNumber.ts"
export { nunjucksEngine } from "./NunjucksEngine.ts"
export { type NunjucksCollection, fromNunjucks } from "./NunjucksFilters.ts"

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

export const definePlugin = (plugin: Plugin): Plugin => plugin
