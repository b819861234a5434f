import { Schema } from "effect"
import { type TemplateFault, faultReasons, limitNames } from "../jinja/runtime/Fault.ts"

/**
 * A template that cannot be read or rendered, and where. The messages are Jinja's where Jinja has the error; the
 * reasons stand in Fault.ts. No line is to blame (0) where the whole template is: its size, its worker.
 */
export class TemplateError extends Schema.TaggedError<TemplateError>()("TemplateError", {
  reason: Schema.Literals(faultReasons),
  message: Schema.String,
  /** Which budget was passed, where the reason is Limit. */
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

  /** Whether the same may succeed later: where a clock ended it, which a busy machine makes tick faster, or we did. */
  get mayRetry(): boolean {
    return this.limit === "time" || this.limit === "wall" || this.reason === "Internal"
  }
}

/** A plugin that is not loaded, which keeps the service from starting. The reasons stand in PluginLoader.ts. */
export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  reason: Schema.Literals(["Unreadable", "NotAPlugin", "BadName", "Clash", "Example"]),
  message: Schema.String
}) {}
