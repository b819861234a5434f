/** Variables at run time, by the package's two rules: frames that are searched by name, and locals of a function. */
import type { Value } from "../value/Values.ts"

/** The names that loops, macros and `set` define. A name whose value is undefined counts as not defined. */
export class Frame {
  readonly variables = new Map<string, Value>()
  readonly parent: Frame | undefined
  /** Whether `set` stays within this frame. */
  private readonly isolated: boolean

  constructor(parent?: Frame, isolated = false) {
    this.parent = parent
    this.isolated = isolated
  }

  lookup(name: string): Value {
    return this.holder(name)?.variables.get(name)
  }

  /** Sets the name where it is defined, else here. */
  assign(name: string, value: Value): void {
    const holder = this.isolated && this.variables.get(name) === undefined ? this : (this.holder(name) ?? this)
    holder.variables.set(name, value)
  }

  private holder(name: string): Frame | undefined {
    // oxlint-disable-next-line no-this-alias, unicorn/no-this-assignment
    let frame: Frame | undefined = this
    while (frame !== undefined && frame.variables.get(name) === undefined) frame = frame.parent
    return frame
  }
}

/**
 * The variables of one call that are known when the template is compiled: those of loops, and parameters. A call block
 * sees those around it.
 */
export class Locals {
  readonly slots: Array<Value>
  readonly parent: Locals | undefined

  constructor(size: number, parent: Locals | undefined) {
    this.slots = []
    this.slots.length = size
    this.parent = parent
  }
}
