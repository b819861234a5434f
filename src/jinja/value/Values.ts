/**
 * The values of templates: Python's types in JavaScript.
 *
 * None is null, bool is boolean, int is a safe integer number or else a bigint, str is a string (of code points: see
 * Text.ts), list is an array; any other type is a class in this module or another. A JavaScript
 * function or a plain object is never a template value, so a template has no prototype to follow.
 */
import type { Fault } from "../runtime/Fault.ts"
import { Obj, type Next, type Runtime, type Value, address } from "./Value.ts"

/** All floats, integral or not. A bare number is an int. */
export class Float extends Obj {
  readonly typeName = "float"
  readonly value: number
  /** The digits of a number in JSON that JavaScript rounds: it is printed with all of them. */
  readonly digits: string | undefined

  constructor(value: number, digits?: string) {
    super()
    this.value = value
    this.digits = digits
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return name === "real" ? this : name === "imag" ? new Float(0) : undefined
  }
}

/** Text that is safe in HTML: markupsafe's `Markup`. */
export class Markup extends Obj {
  readonly typeName = "Markup"
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override get module(): string {
    return "markupsafe"
  }

  override get size(): number {
    return this.text.length
  }
}

export class Tuple extends Obj {
  readonly typeName: string = "tuple"
  readonly items: ReadonlyArray<Value>
  /** Cost of hashing, in UTF-16 units: the sum over all elements at any depth, repeated ones included. */
  readonly weight: number

  constructor(items: ReadonlyArray<Value>) {
    super()
    this.items = items
    let weight = 8
    for (const item of items) {
      weight += typeof item === "string" ? item.length : item instanceof Tuple ? item.weight : 8
    }
    this.weight = weight
  }

  override get size(): number {
    return this.items.length
  }
}

/** An element of `groupby`: a tuple with named fields. */
export class GroupTuple extends Tuple {
  override readonly typeName = "_GroupTuple"

  override get module(): string {
    return "jinja2.filters"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return name === "grouper" ? this.items[0] : name === "list" ? this.items[1] : undefined
  }
}

export class Bytes extends Obj {
  readonly typeName = "bytes"
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }

  override get size(): number {
    return this.bytes.length
  }
}

/** `range(start, stop, step)`: safe integers, at most `maxRange` elements. */
export class Range extends Obj {
  readonly typeName = "range"
  readonly start: number
  readonly stop: number
  readonly step: number
  private readonly length: number

  constructor(start: number, stop: number, step: number) {
    super()
    this.start = start
    this.stop = stop
    this.step = step
    this.length = Math.max(0, Math.ceil((stop - start) / step))
  }

  override get size(): number {
    return this.length
  }

  at(index: number): number {
    return this.start + index * this.step
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return name === "start" || name === "stop" || name === "step" ? this[name] : undefined
  }

  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? "" : `, ${this.step}`})`
  }
}

/** A generator or iterator: lazy, and empty after it was read. */
export class Iterator extends Obj {
  readonly typeName: string
  readonly next: Next
  private readonly label: string

  /** `label` is its text in Python: `generator object do_unique`, `list_reverseiterator object`. */
  constructor(label: string, next: Next) {
    super()
    this.typeName = label.slice(0, label.indexOf(" "))
    this.label = label
    this.next = next
  }

  override repr(): string {
    return `<${this.label} at ${address}>`
  }
}

/**
 * The value of a missing name, attribute or item. It prints as empty text and is false and empty; any other use fails
 * with the reason why it is missing.
 */
export class Undefined extends Obj {
  readonly typeName = "Undefined"
  /** Builds the message only on failure: most undefined values are printed and never fail. */
  readonly fault: () => Fault

  constructor(fault: () => Fault) {
    super()
    this.fault = fault
  }

  override get module(): string {
    return "jinja2.runtime"
  }

  override get size(): number {
    return 0
  }

  override repr(): string {
    return "Undefined"
  }
}

export const isText = (value: Value): value is string | Markup => typeof value === "string" || value instanceof Markup

export const plain = (value: string | Markup): string => (typeof value === "string" ? value : value.text)

/** The value, or the default if it is absent; None is not absent. */
export const orElse = (value: Value | undefined, otherwise: () => Value): Value =>
  value === undefined ? otherwise() : value

/** Whether the value is an int in Python, bool included. */
export const isInteger = (value: Value): value is boolean | number | bigint =>
  typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"

export const isNumber = (value: Value): value is boolean | number | bigint | Float =>
  isInteger(value) || value instanceof Float

/** `type(value).__name__` */
export const typeName = (value: Value): string => {
  if (value === null) return "NoneType"
  switch (typeof value) {
    case "boolean":
      return "bool"
    case "number":
    case "bigint":
      return "int"
    case "string":
      return "str"
    default:
      return Array.isArray(value) ? "list" : value.typeName
  }
}

/** The name of an object in Jinja's messages. */
export const objectName = (value: Value): string => {
  if (value === null) return "None"
  const module = value instanceof Obj ? value.module : ""
  return `${module === "" ? "" : `${module}.`}${typeName(value)} object`
}
