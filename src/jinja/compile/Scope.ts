/** Scopes of names while a template is compiled: Jinja's compiler frames. */
import { Fault } from "../runtime/Fault.ts"
import { quote } from "../print/Repr.ts"
import { Undefined } from "../value/Values.ts"
import type { Evaluate, Frame, Slot } from "../runtime/Frame.ts"
import { type Load, Symbols, levelOf } from "./Symbols.ts"

/** A scope with its own frame at run time: the template, a block, a macro, a recursive loop, a loop's filter. */
export class FunctionScope {
  readonly parent: FunctionScope | undefined
  private readonly indexes = new Map<string, number>()

  constructor(parent: FunctionScope | undefined) {
    this.parent = parent
  }

  /** Number of slots in a frame; final when the whole template is compiled. */
  get size(): number {
    return this.indexes.size
  }

  indexOf(variable: string): number {
    let index = this.indexes.get(variable)
    if (index === undefined) this.indexes.set(variable, (index = this.indexes.size))
    return index
  }
}

interface StoreReader {
  readonly name: string
  readonly read: (frame: Frame) => Slot
}

const storeReaders = new WeakMap<Symbols, ReadonlyArray<StoreReader>>()

interface Traits {
  /** Blocks see the names that are set here. */
  readonly topLevel: boolean
  /** Inside an `if`: filters and tests that do not exist fail only when they are used. */
  readonly soft: boolean
  /** Inside a loop of this function, where `break` is allowed. */
  readonly inLoop: boolean
  /** Whether output is escaped; undefined if it is only known at run time. */
  readonly autoescape: boolean | undefined
}

export class Scope implements Traits {
  readonly symbols: Symbols
  readonly owner: FunctionScope
  /** The function that holds the variables of each level. */
  private readonly owners: ReadonlyArray<FunctionScope>
  readonly topLevel: boolean
  readonly soft: boolean
  readonly inLoop: boolean
  readonly autoescape: boolean | undefined

  constructor(symbols: Symbols, owners: ReadonlyArray<FunctionScope>, traits: Traits) {
    this.symbols = symbols
    this.owners = owners
    this.owner = owners.at(-1)!
    this.topLevel = traits.topLevel
    this.soft = traits.soft
    this.inLoop = traits.inLoop
    this.autoescape = traits.autoescape
  }

  /** The scope of a template or a block: a block does not see the names around it. */
  static root(topLevel: boolean): Scope {
    return new Scope(new Symbols(undefined), [new FunctionScope(undefined)], {
      topLevel,
      soft: false,
      inLoop: false,
      autoescape: false
    })
  }

  with(traits: Partial<Traits>): Scope {
    return new Scope(this.symbols, this.owners, { ...this, ...traits })
  }

  /** A scope within this one; it has its own frame if it is a function. */
  inner(traits: Partial<Traits> = {}, owner: FunctionScope = this.owner): Scope {
    const symbols = new Symbols(this.symbols)
    return new Scope(symbols, [...this.owners, owner], { ...this, topLevel: false, soft: false, ...traits })
  }

  /** Reads a variable. */
  reader(variable: string): (frame: Frame) => Slot {
    const holder = this.owners[levelOf(variable)]!
    const index = holder.indexOf(variable)
    let depth = 0
    for (let owner = this.owner; owner !== holder; owner = owner.parent!) depth++
    if (depth === 0) return (frame) => frame.slots[index]
    if (depth === 1) return (frame) => frame.parent!.slots[index]
    return (frame) => {
      let outer = frame
      for (let up = depth; up > 0; up--) outer = outer.parent!
      return outer.slots[index]
    }
  }

  /** Index of a variable that is set here. It always belongs to this function. */
  indexOf(variable: string): number {
    return this.owner.indexOf(variable)
  }

  /** Reads a name as an expression. A missing name gives an undefined value, which names it when used. */
  name(name: string): Evaluate {
    const read = this.reader(this.symbols.ref(name))
    const missing = new Undefined(() => new Fault("Undefined", `${quote(name)} is undefined`))
    return (frame) => {
      const value = read(frame)
      return value === undefined ? missing : value
    }
  }

  /** Readers of all names that are set here or around. Built once for all blocks in the scope. */
  stores(): ReadonlyArray<StoreReader> {
    let readers = storeReaders.get(this.symbols)
    if (readers === undefined) {
      readers = Array.from(this.symbols.visibleStores(), ([name, variable]) => ({ name, read: this.reader(variable) }))
      storeReaders.set(this.symbols, readers)
    }
    return readers
  }

  /** The initialisation of variables on entering the scope; undefined if there is none. */
  entry(): ((frame: Frame) => void) | undefined {
    const steps = Array.from(this.symbols.loads, ([variable, load]) => this.loader(variable, load)).filter(
      (step) => step !== undefined
    )
    if (steps.length === 0) return undefined
    return (frame) => {
      frame.runtime.tick(steps.length >> 3)
      for (const step of steps) step(frame)
    }
  }

  private loader(variable: string, load: Load): ((frame: Frame) => void) | undefined {
    const index = this.indexOf(variable)
    switch (load.from) {
      case "param":
        return undefined
      case "nothing":
        return (frame) => {
          frame.slots[index] = undefined
        }
      case "context":
        return (frame) => {
          frame.slots[index] = frame.resolve(load.name)
        }
      case "variable": {
        const read = this.reader(load.variable)
        return (frame) => {
          frame.slots[index] = read(frame)
        }
      }
    }
  }

  /** Resets the variables on leaving a scope that shares its frame: they are missing again. */
  exit(): (frame: Frame) => void {
    const indexes = Array.from(this.symbols.loads.keys(), (variable) => this.indexOf(variable))
    return (frame) => {
      for (const index of indexes) frame.slots[index] = undefined
    }
  }
}
