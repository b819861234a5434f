/** `loop` inside a for loop. */
import { typeFault } from "./Fault.ts"
import { BoundMethod, variadic } from "./Native.ts"
import { type Runtime, Callable, type Keywords, type Next, type Value } from "../value/Value.ts"
import { equals, sizeOf } from "../value/Compare.ts"
import { collect, iterateItems } from "../value/Iterate.ts"
import { nothing } from "../value/Lookup.ts"
import { Tuple, orElse } from "../value/Values.ts"

/** Renders the body of the loop for other elements, one level deeper. */
export type Recurse = (runtime: Runtime, iterable: Value, depth: number) => Value

export class LoopContext extends Callable {
  readonly typeName = "LoopContext"
  private readonly runtime: Runtime
  private readonly depth0: number
  private readonly recurse: Recurse | undefined
  private next: Next
  private index0 = -1
  private length: number | undefined
  private before: Value | undefined
  private current: Value | undefined
  /** The next element, if it was peeked at. */
  private after: Value | undefined
  private changedFrom: Tuple | undefined

  constructor(runtime: Runtime, iterable: Value, next: Next, recurse: Recurse | undefined, depth: number) {
    super()
    this.runtime = runtime
    this.next = next
    this.recurse = recurse
    this.depth0 = depth
    this.length = sizeOf(iterable)
  }

  override get module(): string {
    return "jinja2.runtime"
  }

  /** Moves to the next element and returns it; undefined at the end. */
  advance(): Value | undefined {
    const item = this.peek()
    this.after = undefined
    if (item === undefined) return undefined
    this.index0++
    this.before = this.current
    this.current = item
    return item
  }

  private peek(): Value | undefined {
    if (this.after === undefined) this.after = this.next()
    return this.after
  }

  override get size(): number {
    if (this.length !== undefined) return this.length
    const rest = collect(this.runtime, this.next)
    this.next = iterateItems(this.runtime, rest)
    this.length = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1)
    return this.length
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    switch (name) {
      case "index":
        return this.index0 + 1
      case "index0":
        return this.index0
      case "revindex":
        return this.size - this.index0
      case "revindex0":
        return this.size - this.index0 - 1
      case "first":
        return this.index0 === 0
      case "last":
        return this.peek() === undefined
      case "length":
        return this.size
      case "depth":
        return this.depth0 + 1
      case "depth0":
        return this.depth0
      case "previtem":
        return this.index0 === 0 ? nothing("there is no previous item") : this.before
      case "nextitem":
        return orElse(this.peek(), () => nothing("there is no next item"))
      case "cycle":
        return new BoundMethod(this, cycle)
      case "changed":
        return new BoundMethod(this, changed)
      default:
        return undefined
    }
  }

  cycle(items: ReadonlyArray<Value>): Value {
    if (items.length === 0) throw typeFault("no items for cycling given")
    return items[this.index0 % items.length]!
  }

  /** Whether the values differ from those of the previous call. */
  changed(values: ReadonlyArray<Value>): boolean {
    const now = new Tuple(values.slice())
    if (this.changedFrom !== undefined && equals(this.runtime, this.changedFrom, now)) return false
    this.changedFrom = now
    return true
  }

  override call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    if (this.recurse === undefined) {
      throw typeFault("The loop must have the 'recursive' marker to be called recursively.")
    }
    const [iterable = keywords?.get("iterable"), ...surplus] = args
    if (iterable === undefined || surplus.length > 0) {
      throw typeFault("LoopContext.__call__() takes 2 positional arguments")
    }
    return this.recurse(runtime, iterable, this.depth0 + 1)
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.size}>`
  }
}

const definedIn = "LoopContext"
const cycle = { ...variadic("cycle", (_rt, [self, ...items]) => (self as LoopContext).cycle(items)), definedIn }
const changed = { ...variadic("changed", (_rt, [self, ...now]) => (self as LoopContext).changed(now)), definedIn }
