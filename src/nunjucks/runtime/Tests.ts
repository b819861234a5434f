/** Nunjucks' built-in tests, the names after `is`. */
import { typeFault } from "../../jinja/runtime/Fault.ts"
import { operators } from "../value/Operators.ts"
import { Callable, LongNumber, type Native, SafeText, type Value, isObject, kindOf, type Run } from "../value/Values.ts"

const operator = (name: string): Native => {
  const compute = operators.get(name)!
  return (run, one, two) => compute(run, one, two)
}

const modulo = operator("%")

const equal = operator("===")
const greater = operator(">")
const less = operator("<")

/** Compares a text with itself in another case. */
const inCase = (change: (text: string) => string): Native => {
  return (run: Run, value: Value) => {
    if (value instanceof SafeText) return false
    if (typeof value !== "string") throw typeFault(`text is expected, not ${kindOf(value)}`)
    run.tick(1 + (value.length >> 6))
    return change(value) === value
  }
}

const iterable: Native = (_run, value) => {
  if (value === undefined || value === null) throw typeFault(`${kindOf(value)} cannot be tested for it`)
  return typeof value === "string" || Array.isArray(value) || value instanceof SafeText
}

export const builtinTests: ReadonlyMap<string, Native> = new Map<string, Native>([
  ["callable", (_run, value) => value instanceof Callable],
  ["defined", (_run, value) => value !== undefined],
  ["divisibleby", (run, one, two) => modulo(run, one, two) === 0],
  ["escaped", (_run, value) => value instanceof SafeText],
  ["equalto", equal],
  ["eq", equal],
  ["sameas", equal],
  ["even", (run, value) => modulo(run, value, 2) === 0],
  ["odd", (run, value) => modulo(run, value, 2) === 1],
  ["falsy", (_run, value) => !value],
  ["truthy", (_run, value) => !!value],
  ["ge", operator(">=")],
  ["greaterthan", greater],
  ["gt", greater],
  ["le", operator("<=")],
  ["lessthan", less],
  ["lt", less],
  ["ne", operator("!==")],
  ["lower", inCase((text) => text.toLowerCase())],
  ["upper", inCase((text) => text.toUpperCase())],
  ["null", (_run, value) => value === null],
  ["undefined", (_run, value) => value === undefined],
  ["number", (_run, value) => typeof value === "number" || value instanceof LongNumber],
  ["string", (_run, value) => typeof value === "string"],
  ["iterable", iterable],
  ["mapping", (_run, value) => isObject(value) || value instanceof SafeText]
])
