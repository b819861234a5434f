/** Compiles calls, filters and tests to closures. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { methodsOf } from "../methods/Methods.ts"
import type { Native, Runtime, Keywords, Value } from "../value/Value.ts"
import type { Arguments, Call, Filter, Test } from "../syntax/Ast.ts"
import { call } from "../value/Call.ts"
import { Dict } from "../value/Dict.ts"
import { iterate } from "../value/Iterate.ts"
import { getAttribute } from "../value/Lookup.ts"
import { quote } from "../print/Repr.ts"
import { Undefined, isText, plain, typeName } from "../value/Values.ts"
import type { Evaluate, Frame } from "../runtime/Frame.ts"
import type { Scope } from "./Scope.ts"
import type { Unit } from "./Unit.ts"

/** Evaluates the arguments and returns them after `first`. */
interface CompiledArguments {
  /** The positional arguments, if the call has no others: no keywords, no `*` or `**`. */
  readonly fixed: ReadonlyArray<Evaluate> | undefined
  readonly args: (frame: Frame, first: ReadonlyArray<Value>) => Array<Value>
  readonly keywords: (frame: Frame) => Keywords | undefined
}

export const compileArguments = (unit: Unit, scope: Scope, node: Arguments, at: number): CompiledArguments => {
  const args = node.args.map((arg) => unit.expression(scope, arg))
  const keywords = node.keywords.map(({ key, value }) => ({ key, value: unit.expression(scope, value) }))
  const keys = new Set<string>()
  for (const { key } of keywords) {
    if (keys.has(key)) throw new Fault("Syntax", `keyword argument repeated: ${key}`, at)
    keys.add(key)
  }
  const restArgs = node.restArgs === undefined ? undefined : unit.expression(scope, node.restArgs)
  const restKeywords = node.restKeywords === undefined ? undefined : unit.expression(scope, node.restKeywords)
  const simple = keywords.length === 0 && restArgs === undefined && restKeywords === undefined
  return {
    fixed: simple ? args : undefined,
    args: (frame, first) => {
      const all = first.slice()
      for (const arg of args) all.push(arg(frame))
      if (restArgs !== undefined) spread(frame.runtime, restArgs(frame), all)
      return all
    },
    keywords: (frame) => {
      if (keywords.length === 0 && restKeywords === undefined) return undefined
      const all = new Map<string, Value>()
      for (const { key, value } of keywords) all.set(key, value(frame))
      if (restKeywords !== undefined) spreadKeywords(frame.runtime, restKeywords(frame), all)
      return all.size === 0 ? undefined : all
    }
  }
}

const spread = (runtime: Runtime, value: Value, all: Array<Value>): void => {
  const next = iterate(runtime, value)
  for (let item = next(); item !== undefined; item = next()) {
    runtime.alloc(8)
    all.push(item)
  }
}

const spreadKeywords = (runtime: Runtime, value: Value, all: Map<string, Value>): void => {
  if (value instanceof Undefined) throw value.fault()
  if (!(value instanceof Dict)) throw typeFault(`argument after ** must be a mapping, not ${typeName(value)}`)
  for (const [key, item] of value.entries()) {
    runtime.alloc(16)
    if (!isText(key)) throw typeFault("keywords must be strings")
    if (all.has(plain(key))) throw typeFault(`got multiple values for keyword argument '${plain(key)}'`)
    all.set(plain(key), item)
  }
}

/** Calls a native with a value before its arguments. Filters, tests and methods are all called by it. */
const compileNative = (
  implementation: Native,
  { fixed, args, keywords }: CompiledArguments,
  steps: number,
  at: number
): ((frame: Frame, value: Value) => Value) => {
  const { run, call: callNative, required, most } = implementation
  const enter = (runtime: Runtime, value: Value) => {
    runtime.tick(steps)
    runtime.charge(value)
    runtime.at = at
  }
  if (run !== undefined && fixed !== undefined && fixed.length + 1 >= required && fixed.length < most) {
    const [first, second, ...more] = fixed
    if (first === undefined) {
      return (frame, value) => {
        enter(frame.runtime, value)
        return run(frame.runtime, value)
      }
    }
    if (second === undefined) {
      return (frame, value) => {
        const argument = first(frame)
        frame.runtime.charge(argument)
        enter(frame.runtime, value)
        return run(frame.runtime, value, argument)
      }
    }
    if (more.length === 0) {
      return (frame, value) => {
        const a = first(frame)
        const b = second(frame)
        frame.runtime.charge(a)
        frame.runtime.charge(b)
        enter(frame.runtime, value)
        return run(frame.runtime, value, a, b)
      }
    }
  }
  return (frame, value) => {
    const all = args(frame, [value])
    const named = keywords(frame)
    for (const argument of all) frame.runtime.charge(argument)
    for (const argument of named?.values() ?? []) frame.runtime.charge(argument)
    enter(frame.runtime, value)
    return callNative(frame.runtime, all, named)
  }
}

/** The placeholder for a filter or test that does not exist, inside an `if`: it fails when it is called. */
const absent = (kind: "filter" | "test", name: string): Native => ({
  name,
  run: undefined,
  required: 0,
  most: 0,
  call: () => {
    throw new Fault("Runtime", `No ${kind} named ${quote(name)} found.`)
  }
})

const lookUp = (unit: Unit, scope: Scope, kind: "filter" | "test", name: string, at: number): Native => {
  const all = kind === "filter" ? unit.names.filters : unit.names.tests
  const found = all.get(name)
  if (found !== undefined) return found
  if (!scope.soft) throw new Fault("Assertion", `No ${kind} named ${quote(name)}.`, at)
  return absent(kind, name)
}

/** Cost of a filter, a test and a call, in steps. */
const filterSteps = 2
const testSteps = 1
const callSteps = 2

/** `body` returns the input of a chain that is applied to a block. */
export const compileFilter = (unit: Unit, scope: Scope, node: Filter, body: Evaluate | undefined): Evaluate => {
  const filter = lookUp(unit, scope, "filter", node.name, node.at)
  const input =
    node.node === undefined
      ? body!
      : node.node.kind === "Filter"
        ? compileFilter(unit, scope, node.node, body)
        : unit.expression(scope, node.node)
  const apply = compileNative(filter, compileArguments(unit, scope, node, node.at), filterSteps, node.at)
  return (frame) => apply(frame, input(frame))
}

export const compileTest = (unit: Unit, scope: Scope, node: Test): Evaluate => {
  const test = lookUp(unit, scope, "test", node.name, node.at)
  const input = unit.expression(scope, node.node)
  const apply = compileNative(test, compileArguments(unit, scope, node, node.at), testSteps, node.at)
  return (frame) => apply(frame, input(frame))
}

/** `caller` returns the value that a call block passes to the macro as `caller`. */
export const compileCall = (
  unit: Unit,
  scope: Scope,
  node: Call,
  caller: ((frame: Frame) => Value) | undefined
): Evaluate => {
  const { args, keywords } = compileArguments(unit, scope, node, node.at)
  const invoke = (frame: Frame, callee: Value): Value => {
    const all = args(frame, [])
    const named = caller === undefined ? keywords(frame) : new Map(keywords(frame)).set("caller", caller(frame))
    for (const argument of named?.values() ?? []) frame.runtime.charge(argument)
    frame.runtime.at = node.at
    return call(frame.runtime, callee, all, named)
  }
  if (node.node.kind !== "Getattr" || caller !== undefined) {
    const callee = unit.expression(scope, node.node)
    return (frame) => invoke(frame, callee(frame))
  }
  return compileMethodCall(unit, scope, node, invoke)
}

/** `object.name(…)`: calls a method of a builtin type without creating a bound method. */
const compileMethodCall = (
  unit: Unit,
  scope: Scope,
  node: Call,
  invoke: (frame: Frame, callee: Value) => Value
): Evaluate => {
  const getattr = node.node as Extract<Call["node"], { readonly kind: "Getattr" }>
  const object = unit.expression(scope, getattr.node)
  const given = compileArguments(unit, scope, node, node.at)
  const applications = new Map<Native, (frame: Frame, value: Value) => Value>()
  return (frame) => {
    const of = object(frame)
    const method = methodsOf(of)?.get(getattr.name)
    if (method === undefined) {
      frame.runtime.at = getattr.at
      return invoke(frame, getAttribute(frame.runtime, of, getattr.name))
    }
    let apply = applications.get(method)
    if (apply === undefined) {
      apply = compileNative(method, given, callSteps + 1, node.at)
      applications.set(method, apply)
    }
    return apply(frame, of)
  }
}
