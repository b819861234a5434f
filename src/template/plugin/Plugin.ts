/**
 * A plugin: a file that adds filters, tests, globals, tags, whole engines and ready-made templates. Plugins
 * import this module only, as `rackwire/plugin` or, in `plugins/`, as `#plugin`, and the npm library that they bring.
 *
 * A plugin is code that the operator trusts. Its functions see plain JSON, never the engine's values, and their results
 * are copied: a template cannot reach through them. They are synchronous and have no budget of their own; a long loop
 * should call `call.charge` as it goes; if it does not, the pool terminates the worker that it runs in.
 */
import type { JsonObject, Plugin } from "./Contract.ts"

export type * from "./Contract.ts"
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
