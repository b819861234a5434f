/** Jinja's built-in tests, the names after `is`. */
import { native } from "./Native.ts"
import { type Native, type Runtime, Callable, type Value } from "../value/Value.ts"
import { isLower, isUpper } from "../text/Case.ts"
import { compare, contains, equals, isIterable } from "../value/Compare.ts"
import { Dict, hashKey } from "../value/Dict.ts"
import { modulo } from "../value/Operators.ts"
import { text } from "../print/Repr.ts"
import { Bytes, Float, Markup, Range, Tuple, Undefined, isInteger, isNumber, isText, plain } from "../value/Values.ts"

const test = (name: string, holds: (runtime: Runtime, value: Value) => boolean): Native =>
  native(`test_${name}(value)`, (runtime, value) => holds(runtime, value))

const comparison = (name: string, holds: (runtime: Runtime, a: Value, b: Value) => boolean): Native =>
  native(`${name}(a, b, /)`, (runtime, a, b) => holds(runtime, a, b))

const equal = comparison("eq", equals)
const unequal = comparison("ne", (rt, a, b) => !equals(rt, a, b))
const greater = comparison("gt", (rt, a, b) => compare(rt, a, b, ">") > 0)
const greaterOrEqual = comparison("ge", (rt, a, b) => compare(rt, a, b, ">=") >= 0)
const less = comparison("lt", (rt, a, b) => compare(rt, a, b, "<") < 0)
const lessOrEqual = comparison("le", (rt, a, b) => compare(rt, a, b, "<=") <= 0)

const isSequence = (value: Value): boolean =>
  isText(value) ||
  Array.isArray(value) ||
  [Tuple, Dict, Range, Bytes, Undefined].some((sequence) => value instanceof sequence)

/** Whether a filter or test of that name exists. Python looks it up, so a name must have a hash. */
const exists = (runtime: Runtime, all: ReadonlyMap<string, Native>, name: Value): boolean => {
  runtime.charge(name)
  hashKey(name)
  return isText(name) && all.has(plain(name))
}

export const builtinTests: ReadonlyMap<string, Native> = new Map(
  Object.entries({
    odd: test("odd", (rt, value) => equals(rt, modulo(rt, value, 2), 1)),
    even: test("even", (rt, value) => equals(rt, modulo(rt, value, 2), 0)),
    divisibleby: native("test_divisibleby(value, num)", (rt, value, num) => equals(rt, modulo(rt, value, num), 0)),
    defined: test("defined", (_rt, value) => !(value instanceof Undefined)),
    undefined: test("undefined", (_rt, value) => value instanceof Undefined),
    filter: test("filter", (rt, value) => exists(rt, rt.environment.filters, value)),
    test: test("test", (rt, value) => exists(rt, rt.environment.tests, value)),
    none: test("none", (_rt, value) => value === null),
    boolean: test("boolean", (_rt, value) => typeof value === "boolean"),
    false: test("false", (_rt, value) => value === false),
    true: test("true", (_rt, value) => value === true),
    integer: test("integer", (_rt, value) => isInteger(value) && typeof value !== "boolean"),
    float: test("float", (_rt, value) => value instanceof Float),
    lower: test("lower", (rt, value) => isLower(text(rt, value))),
    upper: test("upper", (rt, value) => isUpper(text(rt, value))),
    string: test("string", (_rt, value) => isText(value)),
    mapping: test("mapping", (_rt, value) => value instanceof Dict),
    number: test("number", (_rt, value) => isNumber(value)),
    sequence: test("sequence", (_rt, value) => isSequence(value)),
    iterable: test("iterable", (_rt, value) => isIterable(value)),
    callable: native("callable(obj, /)", (_rt, value) => value instanceof Callable || value instanceof Undefined),
    sameas: native("test_sameas(value, other)", (_rt, value, other) => value === other),
    escaped: test("escaped", (_rt, value) => value instanceof Markup),
    in: native("test_in(value, seq)", (rt, value, seq) => contains(rt, value, seq)),
    "==": equal,
    eq: equal,
    equalto: equal,
    "!=": unequal,
    ne: unequal,
    ">": greater,
    gt: greater,
    greaterthan: greater,
    ">=": greaterOrEqual,
    ge: greaterOrEqual,
    "<": less,
    lt: less,
    lessthan: less,
    "<=": lessOrEqual,
    le: lessOrEqual
  })
)
