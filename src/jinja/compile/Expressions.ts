/** Compiles expressions to closures. No text of a template becomes code: names stay data and are looked up in maps. */
import { Fault } from "../runtime/Fault.ts"
import { ofDict } from "../methods/Methods.ts"
import type { Expression, Arithmetic, Comparison, Operand } from "../syntax/Ast.ts"
import { compare, contains, equals, isTrue } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { escapeUnlessSafe } from "../text/Html.ts"
import { getAttribute, getItem, missing, slice } from "../value/Lookup.ts"
import { add, divide, floorDivide, modulo, multiply, negate, positive, power, subtract } from "../value/Operators.ts"
import { text } from "../print/Repr.ts"
import { Markup, Tuple, Undefined } from "../value/Values.ts"
import type { Value, Runtime } from "../value/Value.ts"
import { compileCall, compileFilter, compileTest } from "./Calls.ts"
import type { Evaluate } from "../runtime/Frame.ts"
import type { Scope } from "./Scope.ts"
import type { Unit } from "./Unit.ts"

export const compileExpression = (unit: Unit, scope: Scope, node: Expression): Evaluate => {
  switch (node.kind) {
    case "Const": {
      const { value } = node
      return () => value
    }
    case "Name":
      return scope.name(node.name)
    case "List":
    case "Tuple":
      return compileItems(unit, scope, node)
    case "Dict":
      return compileDict(unit, scope, node)
    case "Getattr":
      return compileGetattr(unit, scope, node)
    case "Getitem":
      return compileGetitem(unit, scope, node)
    case "Filter":
      return compileFilter(unit, scope, node, undefined)
    case "Test":
      return compileTest(unit, scope, node)
    case "Call":
      return compileCall(unit, scope, node, undefined)
    case "CondExpr":
      return compileCondition(unit, scope, node)
    case "Compare":
      return compileCompare(unit, scope, node)
    case "Concat":
      return compileConcat(unit, scope, node)
    case "Slice":
      throw new Fault("Syntax", "invalid syntax", node.at)
    default:
      return compileOperator(unit, scope, node)
  }
}

type Of<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>

const compileItems = (unit: Unit, scope: Scope, node: Of<"List" | "Tuple">): Evaluate => {
  const items = node.items.map((item) => unit.expression(scope, item))
  const evaluate: (frame: Parameters<Evaluate>[0]) => Array<Value> = (frame) => {
    frame.runtime.alloc(items.length * 8)
    return items.map((item) => item(frame))
  }
  return node.kind === "List" ? evaluate : (frame) => new Tuple(evaluate(frame))
}

const compileDict = (unit: Unit, scope: Scope, node: Of<"Dict">): Evaluate => {
  const pairs = node.items.map(({ key, value }) => ({
    key: unit.expression(scope, key),
    value: unit.expression(scope, value)
  }))
  return (frame) => {
    const { runtime } = frame
    runtime.alloc(pairs.length * 16)
    const dict = new Dict()
    for (const pair of pairs) {
      const key = pair.key(frame)
      runtime.charge(key)
      dict.set(key, pair.value(frame))
    }
    return dict
  }
}

const compileGetattr = (unit: Unit, scope: Scope, { node, name, at }: Of<"Getattr">): Evaluate => {
  const object = unit.expression(scope, node)
  // In a dict, a name that is neither a method nor hidden is an item. This is by far the most common look-up.
  const plainName = !ofDict.has(name) && !name.startsWith("_")
  return (frame) => {
    const { runtime } = frame
    const of = object(frame)
    runtime.at = at
    if (!plainName || !(of instanceof Dict)) return getAttribute(runtime, of, name)
    runtime.tick(1)
    const item = of.getName(name)
    return item === undefined ? missing(runtime, of, name) : item
  }
}

const compileGetitem = (unit: Unit, scope: Scope, { node, arg, at }: Of<"Getitem">): Evaluate => {
  const object = unit.expression(scope, node)
  if (arg.kind === "Slice") {
    const part = (expression: Expression | undefined): Evaluate =>
      expression === undefined ? () => null : unit.expression(scope, expression)
    const [start, stop, step] = [part(arg.start), part(arg.stop), part(arg.step)]
    return (frame) => {
      const [of, from, to, by] = [object(frame), start(frame), stop(frame), step(frame)]
      frame.runtime.at = at
      return slice(frame.runtime, of, from, to, by)
    }
  }
  const key = unit.expression(scope, arg)
  return (frame) => {
    const of = object(frame)
    const item = key(frame)
    frame.runtime.at = at
    return getItem(frame.runtime, of, item)
  }
}

const compileCondition = (unit: Unit, outer: Scope, node: Of<"CondExpr">): Evaluate => {
  const scope = outer.with({ soft: true })
  const test = unit.expression(scope, node.test)
  const chosen = unit.expression(scope, node.chosen)
  const nothing = new Undefined(
    () =>
      new Fault(
        "Undefined",
        `the inline if-expression on line ${unit.lineOf(node.at)} evaluated to false and no else section was defined.`
      )
  )
  const otherwise: Evaluate = node.otherwise === undefined ? () => nothing : unit.expression(scope, node.otherwise)
  return (frame) => (isTrue(test(frame)) ? chosen(frame) : otherwise(frame))
}

const comparisons: Readonly<Record<Comparison, (runtime: Runtime, a: Value, b: Value) => boolean>> = {
  "==": equals,
  "!=": (runtime, a, b) => !equals(runtime, a, b),
  "<": (runtime, a, b) => compare(runtime, a, b, "<") < 0,
  "<=": (runtime, a, b) => compare(runtime, a, b, "<=") <= 0,
  ">": (runtime, a, b) => compare(runtime, a, b, ">") > 0,
  ">=": (runtime, a, b) => compare(runtime, a, b, ">=") >= 0,
  in: contains,
  "not in": (runtime, a, b) => !contains(runtime, a, b)
}

const compileCompare = (unit: Unit, scope: Scope, { expr, operands, at }: Of<"Compare">): Evaluate => {
  const first = unit.expression(scope, expr)
  const links = operands.map(({ operator, expr: operand }: Operand) => ({
    holds: comparisons[operator],
    operand: unit.expression(scope, operand)
  }))
  return (frame) => {
    let left = first(frame)
    for (const { holds, operand } of links) {
      const right = operand(frame)
      frame.runtime.at = at
      if (!holds(frame.runtime, left, right)) return false
      left = right
    }
    return true
  }
}

const compileConcat = (unit: Unit, scope: Scope, { nodes }: Of<"Concat">): Evaluate => {
  const parts = nodes.map((node) => unit.expression(scope, node))
  if (scope.autoescape === true)
    return (frame) =>
      joinMarkup(
        frame.runtime,
        parts.map((part) => part(frame))
      )
  return (frame) => {
    let all = ""
    // All parts are evaluated before the first is written, as in Python.
    for (const value of parts.map((part) => part(frame))) all += text(frame.runtime, value)
    frame.runtime.alloc(all.length)
    return all
  }
}

/** Joins the parts; if any is Markup, the result is Markup and the others are escaped. */
const joinMarkup = (runtime: Runtime, parts: ReadonlyArray<Value>): Value => {
  const safe = parts.some((part) => part instanceof Markup)
  const all = parts.map((part) => (safe ? escapeUnlessSafe(runtime, part) : text(runtime, part))).join("")
  runtime.alloc(all.length)
  return safe ? new Markup(all) : all
}

const arithmetic: Readonly<Record<Arithmetic, (runtime: Runtime, a: Value, b: Value) => Value>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "//": floorDivide,
  "%": modulo,
  "**": power
}

const compileOperator = (
  unit: Unit,
  scope: Scope,
  node: Of<"Binary" | "And" | "Or" | "Not" | "Neg" | "Pos">
): Evaluate => {
  if ("node" in node) {
    const operand = unit.expression(scope, node.node)
    if (node.kind === "Not") return (frame) => !isTrue(operand(frame))
    const change = node.kind === "Neg" ? negate : positive
    return (frame) => change(frame.runtime, operand(frame))
  }
  const left = unit.expression(scope, node.left)
  const right = unit.expression(scope, node.right)
  if (node.kind !== "Binary") {
    const stopsAt = node.kind === "Or"
    return (frame) => {
      const value = left(frame)
      return isTrue(value) === stopsAt ? value : right(frame)
    }
  }
  const compute = arithmetic[node.operator]
  return (frame) => {
    const [a, b] = [left(frame), right(frame)]
    frame.runtime.at = node.at
    frame.runtime.tick(1)
    return compute(frame.runtime, a, b)
  }
}
