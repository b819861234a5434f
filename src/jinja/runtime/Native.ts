/** Built-in functions that templates may call: filters, tests, methods, globals. */
import { typeFault } from "./Fault.ts"
import {
  Callable,
  type Fixed,
  type Keywords,
  type Native,
  type Runtime,
  type Value,
  type Variadic,
  address
} from "../value/Value.ts"
import { repr } from "../print/Repr.ts"
import { typeName } from "../value/Values.ts"

/** The arguments of a signature (see `parseSignature`): an optional one may be undefined, `self` is a Self. */
type Arguments<Signature extends string, Self> = Signature extends `${string}(${infer Params})`
  ? ArgumentsOf<Params, Self>
  : Array<Value | undefined>
type ArgumentsOf<Params extends string, Self> = Params extends "" | "/"
  ? []
  : Params extends `${infer First}, ${infer Rest}`
    ? [ArgumentOf<First, Self>, ...ArgumentsOf<Rest, Self>]
    : [ArgumentOf<Params, Self>]
type ArgumentOf<Param extends string, Self> = Param extends "self"
  ? Self
  : Param extends `${string}?`
    ? Value | undefined
    : Value

/** A function that implements a signature. */
export type Implementation<Signature extends string, Self = Value> = (
  runtime: Runtime,
  ...args: Arguments<Signature, Self>
) => Value

interface Signature {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly required: number
  /** Whether a call may pass parameters by name. */
  readonly byName: boolean
}

/** Parses `do_center(value, width?)`: `?` marks an optional parameter, a final `/` forbids arguments by name. */
const parseSignature = (source: string): Signature => {
  const open = source.indexOf("(")
  const all = source
    .slice(open + 1, -1)
    .split(",")
    .map((param) => param.trim())
    .filter((param) => param !== "")
  const byName = all.at(-1) !== "/"
  const params = byName ? all : all.slice(0, -1)
  return {
    name: source.slice(0, open),
    params: params.map((param) => param.replace("?", "")),
    required: params.filter((param) => !param.endsWith("?")).length,
    byName
  }
}

/** A function with fixed parameters: `native("do_center(value, width?)", (runtime, value, width) => …)`. */
export const native = <const S extends string>(source: S, implementation: Implementation<S>): Native => {
  const signature = parseSignature(source)
  const run = implementation as Fixed
  return {
    name: signature.name,
    run,
    required: signature.required,
    most: signature.params.length,
    call: (runtime, args, keywords) => run(runtime, ...bind(signature, args, keywords))
  }
}

export const variadic = (name: string, call: Variadic): Native => ({ name, run: undefined, required: 0, most: 0, call })

/** Returns `native` for the methods of one type. They are found by the type, so `self` is always of it. */
export const methodsOn =
  <Self extends Value>() =>
  <const S extends string>(source: S, implementation: Implementation<S, Self>): Native =>
    native<string>(source, implementation as Fixed)

const bind = (
  signature: Signature,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined
): Array<Value | undefined> => {
  const { name, params, required, byName } = signature
  if (args.length > params.length) throw typeFault(`${name}() ${tooMany(signature, args.length)}`)
  const bound: Array<Value | undefined> = args.slice()
  for (const [key, value] of keywords ?? []) {
    if (!byName) throw typeFault(`${name}() takes no keyword arguments`)
    const index = params.indexOf(key)
    if (index < 0) throw typeFault(`${name}() got an unexpected keyword argument '${key}'`)
    if (bound[index] !== undefined) throw typeFault(`${name}() got multiple values for argument '${key}'`)
    bound[index] = value
  }
  for (let index = 0; index < required; index++) {
    if (bound[index] === undefined) {
      throw typeFault(`${name}() missing 1 required positional argument: '${params[index]}'`)
    }
  }
  return bound
}

const tooMany = ({ params, required }: Signature, given: number): string => {
  const most = params.length
  const takes = most === required ? `${most}` : `from ${required} to ${most}`
  return `takes ${takes} positional argument${most === 1 && most === required ? "" : "s"} but ${given} were given`
}

/** A method with its object: `'a'.upper`. */
export class BoundMethod extends Callable {
  readonly typeName = "builtin_function_or_method"
  readonly self: Value
  readonly method: Native

  constructor(self: Value, method: Native) {
    super()
    this.self = self
    this.method = method
  }

  override call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    runtime.charge(this.self)
    return this.method.call(runtime, [this.self, ...args], keywords)
  }

  override repr(runtime: Runtime): string {
    // Jinja's sandbox wraps these two in functions of its own.
    if (this.method.name === "format" || this.method.name === "format_map") {
      return `<function ${typeName(this.self)}.${this.method.name} at ${address}>`
    }
    const { definedIn } = this.method
    if (definedIn !== undefined) return `<bound method ${definedIn}.${this.method.name} of ${repr(runtime, this.self)}>`
    return `<built-in method ${this.method.name} of ${typeName(this.self)} object at ${address}>`
  }
}
