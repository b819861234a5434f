/**
 * Three nouns that refer to each other: a value of a template, the run that it is in, and the built-in functions that
 * the run calls with values.
 */
import type { Output } from "../runtime/Output.ts"

/* Because null is None, `??` must not follow a value that may be absent: `orElse` below distinguishes the two. */
export type Value = null | boolean | number | bigint | string | Array<Value> | Obj

/** Keyword arguments of a call. */
export type Keywords = ReadonlyMap<string, Value>

/** Returns the next value; undefined at the end. */
export type Next = () => Value | undefined

/** An instance of a Python class. Without overrides it is opaque: no attributes, no items, not callable. */
export abstract class Obj {
  /** `type(x).__name__`. */
  abstract readonly typeName: string

  /** Module of the type; empty for Python's builtins. */
  get module(): string {
    return ""
  }

  /** `len(x)`, in UTF-16 units for text; undefined if it has no length. */
  get size(): number | undefined {
    return undefined
  }

  /** A public attribute or method; undefined if there is none. */
  attribute(_runtime: Runtime, _name: string): Value | undefined {
    return undefined
  }

  repr(_runtime: Runtime): string {
    return `<${this.module === "" ? "" : `${this.module}.`}${this.typeName} object at ${address}>`
  }
}

/** A value that a template can call. */
export abstract class Callable extends Obj {
  abstract call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value
}

/** The memory address that `repr` prints. It is the same for all objects, so that equal runs print equal bytes. */
export const address = "0x7f0000000000"

/** A built-in function with fixed parameters. Omitted arguments are undefined. */
export type Fixed = (runtime: Runtime, ...args: Array<Value | undefined>) => Value

/** A built-in function that gets all arguments as they are, like Python's `*args, **kwargs`. */
export type Variadic = (runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined) => Value

/** A built-in function: a filter, a test, a method or a global. */
export interface Native {
  /** The function's name in Python, for messages. */
  readonly name: string
  /** Set if the parameters are fixed: a call with as many positional arguments may call it directly. */
  readonly run: Fixed | undefined
  readonly required: number
  readonly most: number
  readonly call: Variadic
  /** The class that Python names for a method that is not built in: `bound method Markup.join`. */
  readonly definedIn?: string
}

/** The filters, tests and methods that built-in functions find: `map("upper")` applies a filter by its name. */
export interface Library {
  readonly filters: ReadonlyMap<string, Native>
  readonly tests: ReadonlyMap<string, Native>
  /** The methods of a value's type. `str.format` looks up other methods, so values find them here. */
  readonly methodsOf: (value: Value) => ReadonlyMap<string, Native> | undefined
}

/** The run of a template, as values and built-in functions see it. */
export interface Runtime extends Output {
  readonly environment: Library
  /** Whether output is escaped for HTML. */
  autoescape: boolean
  /** Charges for reading a value once, by its size. */
  charge(value: Value): void
}

/** A tag that a plugin adds. */
export interface Tag {
  readonly body: boolean
  readonly run: (runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined, body: () => string) => string
}
