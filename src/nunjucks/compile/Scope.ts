/**
 * Names that are known when a template is compiled: variables of loops, parameters, macros. The package makes JavaScript
 * variables of them, so they are read even while their value is undefined; other names are looked up in frames.
 */
import type { Locals } from "../runtime/Frame.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import type { Value } from "../value/Values.ts"

/** The template, a macro or a call block. */
export class Body {
  readonly parent: Body | undefined
  size = 0

  constructor(parent?: Body) {
    this.parent = parent
  }
}

interface Slot {
  readonly body: Body
  readonly index: number
}

export class Scope {
  readonly body: Body
  readonly parent: Scope | undefined
  private readonly slots = new Map<string, Slot>()

  constructor(body: Body, parent?: Scope) {
    this.body = body
    this.parent = parent
  }

  define(name: string): void {
    this.slots.set(name, { body: this.body, index: this.body.size++ })
  }

  read(name: string): (run: TemplateRun) => Value {
    const slot = this.find(name)
    if (slot === undefined) return (run) => run.resolve(name)
    const { index } = slot
    const hops = this.hops(slot)
    return hops === 0 ? (run) => run.locals.slots[index] : (run) => outer(run, hops).slots[index]
  }

  /** Sets the local of that name, if there is one. */
  write(name: string): ((run: TemplateRun, value: Value) => void) | undefined {
    const slot = this.find(name)
    if (slot === undefined) return undefined
    const { index } = slot
    const hops = this.hops(slot)
    return (run, value) => {
      outer(run, hops).slots[index] = value
    }
  }

  private find(name: string): Slot | undefined {
    return this.slots.get(name) ?? this.parent?.find(name)
  }

  /** How many bodies the slot's one is outside of this one. */
  private hops(slot: Slot): number {
    let hops = 0
    for (let body: Body | undefined = this.body; body !== slot.body && body !== undefined; body = body.parent) hops++
    return hops
  }
}

const outer = (run: TemplateRun, hops: number): Locals => {
  let locals = run.locals
  for (let at = 0; at < hops; at++) locals = locals.parent!
  return locals
}
