/**
 * The errors of the engine. Template.ts converts them to TemplateErrors for the rest of the service.
 */

/**
 * The closed list of reasons. All but the last three correspond to exceptions of Jinja2 on Python:
 *
 * - `Syntax`, `Assertion`: the source is not a valid template; `Assertion` if Jinja refuses it after parsing.
 * - `Undefined`, `Security`: the template used something that does not exist, or that the sandbox hides.
 * - `Runtime`, `Type`, `Value`, `Key`, `Index`, `Attribute`, `ZeroDivision`, `Overflow`, `FilterArgument`,
 *   `AssertionFailed`: an operation refused its values.
 * - `Limit`: the template exceeded a budget; `limit` names it.
 * - `Plugin`: a plugin failed.
 * - `Internal`: a bug in the engine. The message gives no details.
 */
export const faultReasons = [
  "Syntax",
  "Assertion",
  "Undefined",
  "Security",
  "Runtime",
  "Type",
  "Value",
  "Key",
  "Index",
  "Attribute",
  "ZeroDivision",
  "Overflow",
  "FilterArgument",
  "AssertionFailed",
  "Limit",
  "Plugin",
  "Internal"
] as const

export type FaultReason = (typeof faultReasons)[number]

/** The budgets; Limits.ts has their sizes. `wall` is measured by the host, outside the engine. */
export const limitNames = ["source", "nodes", "nesting", "steps", "memory", "output", "depth", "time", "wall"] as const

export type LimitName = (typeof limitNames)[number]

export class Fault extends Error {
  readonly reason: FaultReason
  readonly limit: LimitName | undefined
  /** Offset in the source; undefined if it is only known at run time. */
  readonly at: number | undefined

  constructor(reason: FaultReason, message: string, at?: number, limit?: LimitName) {
    super(message)
    this.reason = reason
    this.at = at
    this.limit = limit
  }
}

export const limitFault = (limit: LimitName, message = `the template passed its ${limit} limit`): Fault =>
  new Fault("Limit", message, undefined, limit)

export const typeFault = (message: string): Fault => new Fault("Type", message)

export const valueFault = (message: string): Fault => new Fault("Value", message)

/** A fault with its place, as it leaves the engine. Plain data, so that it can be sent between threads. */
export interface TemplateFault {
  readonly reason: FaultReason
  readonly message: string
  /** The budget that was exceeded, if the reason is Limit. */
  readonly limit: LimitName | undefined
  /** From 1; 0 if the fault has no line. */
  readonly line: number
  readonly column: number
  /** The text of the line. */
  readonly snippet: string
}

export class PlacedFault extends Error {
  readonly fault: TemplateFault

  constructor(fault: TemplateFault, cause: unknown) {
    super(fault.message, { cause })
    this.fault = fault
  }
}

/** Most characters of a fault's line, and of its message, which may contain values of the template. */
const snippetChars = 120
const messageChars = 500

export const faultAt = (fault: Fault, line: number, column: number, snippet = ""): TemplateFault => ({
  reason: fault.reason,
  message: fault.message.slice(0, messageChars),
  limit: fault.limit,
  line,
  column,
  snippet: snippet.slice(0, snippetChars)
})

/** Adds line and column to a fault. `position` is the run's offset in the source, for a fault without one. */
export const place = (source: string, fault: Fault, position: number): TemplateFault => {
  const at = Math.min(fault.at ?? position, source.length)
  const start = at === 0 ? 0 : source.lastIndexOf("\n", at - 1) + 1
  const end = source.indexOf("\n", start)
  const line = source.slice(0, start).split("\n").length
  return faultAt(fault, line, at - start + 1, source.slice(start, end < 0 ? source.length : end))
}

/** Any other error in the engine is an exceeded limit or a bug. The fault hides the details of a bug. */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof RangeError) return limitFault(/stack/.test(error.message) ? "depth" : "memory")
  return new Fault("Internal", "the template engine failed")
}
