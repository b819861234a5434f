/** What went wrong in a template, as the engine throws it. Template.ts makes a TemplateError of it for everybody else. */

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
