/** Expressions to closures. */
import { typeFault } from "../../jinja/runtime/Fault.ts"
import { Pattern } from "../runtime/Pattern.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import { type Obj, SafeText, type Value, emptyObject, isObject } from "../value/Values.ts"
import type { ListNode, Node } from "../syntax/Nodes.ts"
import { lookup } from "../value/Lookup.ts"
import { numberOf, text } from "../value/Operators.ts"
import { compileOperators, compileQuotient } from "./Association.ts"
import { compileCall, compileFilter, compileTest } from "./Calls.ts"
import { compileCaller } from "./Macros.ts"
import type { Scope } from "./Scope.ts"
import type { Evaluate, Unit } from "./Unit.ts"

export const compileExpression = (unit: Unit, node: Node, scope: Scope): Evaluate =>
  compileOperators(unit, node, (operand) => compileOperand(unit, operand, scope))

const compileOperand = (unit: Unit, node: Node, scope: Scope): Evaluate => {
  const inner = (part: Node) => unit.expression(part, scope)
  switch (node.typename) {
    case "Literal":
      return literal(unit, node, node.value)
    case "Symbol":
      return scope.read(node.value)
    case "Group":
      return group(unit, node, node.children.map(inner))
    case "Array":
      return list(node.children.map(inner))
    case "Dict":
    case "KeywordArgs":
      return dict(unit, node, scope)
    case "InlineIf": {
      const [condition, body] = [inner(node.cond), inner(node.body)]
      const otherwise = node.else_ === null ? () => "" : inner(node.else_)
      return (run) => (condition(run) ? body(run) : otherwise(run))
    }
    case "FloorDiv": {
      const operand = (part: Node) => compileOperand(unit, part, scope)
      const quotient = compileQuotient(unit, node.left, node.right, operand)
      return (run) => Math.floor(numberOf(run, quotient(run)))
    }
    case "Pow": {
      const [base, exponent] = [inner(node.left), inner(node.right)]
      return (run) => Math.pow(numberOf(run, base(run)), numberOf(run, exponent(run)))
    }
    case "In": {
      const [item, container] = [inner(node.left), inner(node.right)]
      const at = unit.at(node)
      return (run) => {
        run.at = at
        return contains(run, item(run), container(run))
      }
    }
    case "LookupVal": {
      if (node.val === null) throw unit.fault(node, "the brackets are empty")
      const [target, key] = [inner(node.target), inner(node.val)]
      return (run) => {
        run.tick(1)
        return lookup(run, target(run), key(run))
      }
    }
    case "FunCall":
      return compileCall(unit, node, scope)
    case "Filter":
      return compileFilter(unit, node, scope)
    case "Is":
      return compileTest(unit, node, scope)
    case "Caller":
      return compileCaller(unit, node, scope)
    case "Capture": {
      const body = unit.body(node.body, scope)
      return (run) => run.capture(() => body(run))
    }
    default:
      throw unit.fault(node, "an expression is expected")
  }
}

const literal = (unit: Unit, node: Node, value: string | number | boolean | null | RegExp): Evaluate => {
  if (!(value instanceof RegExp)) return () => value
  if (value.sticky) throw unit.fault(node, "regular expressions have the flags g, i and m")
  const pattern = new Pattern(value)
  return () => pattern
}

/** JavaScript's comma: the last of them. */
const group = (unit: Unit, node: Node, parts: ReadonlyArray<Evaluate>): Evaluate => {
  const last = parts.at(-1)
  if (last === undefined) throw unit.fault(node, "the parentheses are empty")
  if (parts.length === 1) return last
  const before = parts.slice(0, -1)
  return (run) => {
    for (const part of before) part(run)
    return last(run)
  }
}

const list =
  (parts: ReadonlyArray<Evaluate>): Evaluate =>
  (run) => {
    run.alloc(parts.length * 8)
    return parts.map((part) => part(run))
  }

/** Keyword arguments are an object with a mark, as in the package. */
const dict = (unit: Unit, node: ListNode, scope: Scope): Evaluate => {
  const pairs = node.children.map((pair): readonly [string, Evaluate] => {
    if (pair.typename !== "Pair") throw unit.fault(pair, "a name and its value are expected")
    const { key, value } = pair
    const isName = key.typename === "Symbol" || (key.typename === "Literal" && typeof key.value === "string")
    if (!isName) throw unit.fault(key, "the keys of an object must be texts or names")
    return [String(key.value), unit.expression(value, scope)]
  })
  const isKeywords = node.typename === "KeywordArgs"
  return (run) => {
    run.alloc(pairs.length * 16)
    const object: Obj = emptyObject()
    for (const [name, value] of pairs) object[name] = value(run)
    if (isKeywords) object["__keywords"] = true
    return object
  }
}

const contains = (run: TemplateRun, item: Value, container: Value): boolean => {
  if (Array.isArray(container)) {
    run.tick(1 + container.length)
    return container.indexOf(item) >= 0
  }
  if (typeof container === "string") {
    run.tick(1 + (container.length >> 6))
    return container.includes(text(run, item))
  }
  // To the package it is an object with these properties.
  if (container instanceof SafeText) return item === "val" || item === "length"
  if (isObject(container)) return Object.hasOwn(container, text(run, item))
  throw typeFault(`Cannot use "in" operator to search for "${text(run, item)}" in unexpected types.`)
}
