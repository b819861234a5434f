/**
 * The values of templates: JavaScript's own primitives, lists and plain objects, and four classes.
 *
 * An object is read by its own properties only (Lookup.ts), so the properties of its prototype are out of reach. No
 * JavaScript function is a value: templates call a Callable.
 */
import type { Output } from "../../jinja/runtime/Output.ts"

export type Value = undefined | null | boolean | number | string | Opaque | List | Obj
export type List = Array<Value>
export type Obj = { [name: string]: Value }
export type Primitive = undefined | null | boolean | number | string

/** A value without properties that templates could read. */
export abstract class Opaque {
  /** Its text where an operator needs one. */
  abstract get text(): string
}

/** Text that the filter `escape` leaves as it is. JavaScript takes it for an object: it is true even when it is empty. */
export class SafeText extends Opaque {
  override readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }
}

/**
 * A number of the context that JavaScript would round. It is printed with all its digits and compared by them; operators
 * that compute take the rounded number.
 */
export class LongNumber extends Opaque {
  override readonly text: string
  readonly number: number

  constructor(digits: string) {
    super()
    this.text = digits
    this.number = Number(digits)
  }
}

/** Filters, tests and globals that templates find by name. */
export interface Environment {
  readonly filter: (name: string) => Native | undefined
  readonly test: (name: string) => Native | undefined
  /** A new value for each run, which may change it. */
  readonly global: (run: Run, name: string) => Value
}

/** The run of a template, as built-in functions see it. */
export interface Run extends Output {
  readonly environment: Environment
}

/** A built-in function: missing arguments are undefined, as in JavaScript. */
export type Native = (run: Run, ...args: ReadonlyArray<Value>) => Value

/** A value that a template may call: a macro, a method with its value, a global function. */
export class Callable extends Opaque {
  readonly call: Native

  constructor(call: Native) {
    super()
    this.call = call
  }

  override get text(): string {
    return "[function]"
  }
}

/** An object without a prototype. */
export const emptyObject = (): Obj => Object.create(null) as Obj

export const isObject = (value: Value): value is Obj =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Opaque)

/** Whether a call passes these as its keyword arguments: the package marks them with a property. */
export const isKeywords = (value: Value): value is Obj => isObject(value) && Object.hasOwn(value, "__keywords")

/** The kind of a value, for messages. */
export const kindOf = (value: Value): string => {
  if (value === null || value === undefined) return String(value)
  if (value instanceof Callable) return "a function"
  if (value instanceof SafeText) return "safe text"
  if (value instanceof LongNumber) return "a number"
  if (value instanceof Opaque) return "a regular expression"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : typeof value === "string" ? "text" : `a ${typeof value}`
}
