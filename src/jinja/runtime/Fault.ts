/**
 * What went wrong in a template, as the engine throws it. Template.ts makes a TemplateError of it for everybody else.
 */

/**
 * The closed list of reasons. All but the last three are what Jinja2 on Python raises:
 *
 * - `Syntax`, `Assertion`: the source is not a template; the second where Jinja parses it and then refuses it.
 * - `Undefined`, `Security`: something that does not exist, or that the sandbox hides, was used.
 * - `Runtime`, `Type`, `Value`, `Key`, `Index`, `Attribute`, `ZeroDivision`, `Overflow`, `FilterArgument`,
 *   `AssertionFailed`: an operation refused its values.
 * - `Limit`: a budget was passed; `limit` names it.
 * - `Plugin`: a plugin failed.
 * - `Internal`: the engine failed. A bug of ours; never says more than that.
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

/** Budgets that can be passed; Limits.ts has their sizes. `wall` is the host's own clock, outside the engine. */
export const limitNames = ["source", "nodes", "nesting", "steps", "memory", "output", "depth", "time", "wall"] as const

export type LimitName = (typeof limitNames)[number]

export class Fault extends Error {
  readonly reason: FaultReason
  readonly limit: LimitName | undefined
  /** Offset in the source; undefined where only the run knows. */
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

/** A fault with its place: all that anybody outside the engine learns of it. Plain data, to travel between threads. */
export interface TemplateFault {
  readonly reason: FaultReason
  readonly message: string
  /** Which budget was passed, where the reason is Limit. */
  readonly limit: LimitName | undefined
  /** From 1; 0 where no line is to blame. */
  readonly line: number
  readonly column: number
  /** The line. */
  readonly snippet: string
}

export class PlacedFault extends Error {
  readonly fault: TemplateFault

  constructor(fault: TemplateFault, cause: unknown) {
    super(fault.message, { cause })
    this.fault = fault
  }
}

/** Characters of a line that a fault shows, and of a message, which may hold a template's values. */
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

/** The fault where it stands in the source; `position` is where the run stood. */
export const place = (source: string, fault: Fault, position: number): TemplateFault => {
  const at = Math.min(fault.at ?? position, source.length)
  const start = at === 0 ? 0 : source.lastIndexOf("\n", at - 1) + 1
  const end = source.indexOf("\n", start)
  const line = source.slice(0, start).split("\n").length
  return faultAt(fault, line, at - start + 1, source.slice(start, end < 0 ? source.length : end))
}

/** What the engine itself runs into is a passed limit, or else a bug, of which the template's author learns nothing. */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof RangeError) return limitFault(/stack/.test(error.message) ? "depth" : "memory")
  return new Fault("Internal", "the template engine failed")
}
