import { Schema } from "effect"
import { type TemplateFault, faultReasons, limitNames } from "../jinja/runtime/Fault.ts"

/**
 * A template that cannot be read or rendered, and where. The messages are Jinja's where Jinja has the error; the
 * reasons are in Fault.ts. The line is 0 if the fault is the whole template's: its size, its worker.
 */
export class TemplateError extends Schema.TaggedError<TemplateError>()("TemplateError", {
  reason: Schema.Literals(faultReasons),
  message: Schema.String,
  /** The budget that was exceeded, if the reason is Limit. */
  limit: Schema.optionalKey(Schema.Literals(limitNames)),
  line: Schema.Int,
  column: Schema.Int,
  /** The line itself. */
  snippet: Schema.String
}) {
  static from({ limit, ...fault }: TemplateFault): TemplateError {
    return new TemplateError(limit === undefined ? fault : { ...fault, limit })
  }

  /** The message with its line, for people. */
  get told(): string {
    return this.line === 0 ? this.message : `Line ${this.line}: ${this.message}`
  }

  /** Whether the same run may succeed later: it ran out of time, which depends on the load, or the pool ended it. */
  get mayRetry(): boolean {
    return this.limit === "time" || this.limit === "wall" || this.reason === "Internal"
  }
}

/** A plugin cannot be loaded, so the service does not start. The reasons are in PluginLoader.ts. */
export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  reason: Schema.Literals(["Unreadable", "NotAPlugin", "BadName", "Clash", "Example"]),
  message: Schema.String
}) {}
