/** Variables at run time: one frame for each call of something that Jinja would compile to a function. */
import type { Value } from "../value/Value.ts"
import type { TemplateRun } from "./TemplateRun.ts"

/** Undefined: the variable is missing. */
export type Slot = Value | undefined

export class Frame {
  readonly runtime: TemplateRun
  /** The frame of the enclosing function at the time this one was created. */
  readonly parent: Frame | undefined
  readonly slots: Array<Slot>
  /** Names that a scoped block sees in addition to the context. */
  readonly names: ReadonlyMap<string, Value> | undefined

  constructor(
    runtime: TemplateRun,
    parent: Frame | undefined,
    size: number,
    names: ReadonlyMap<string, Value> | undefined = parent?.names
  ) {
    runtime.tick(size >> 4)
    this.runtime = runtime
    this.parent = parent
    this.slots = []
    this.slots.length = size
    this.names = names
  }

  resolve(name: string): Slot {
    const own = this.names?.get(name)
    return own === undefined ? this.runtime.resolve(name) : own
  }
}

/** Where the run continues after a statement. */
export type Signal = typeof proceed | typeof breakLoop | typeof continueLoop
export const proceed = 0
export const breakLoop = 1
export const continueLoop = 2

export type Evaluate = (frame: Frame) => Value
export type Execute = (frame: Frame) => Signal
