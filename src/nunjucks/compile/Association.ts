/**
 * Operators as JavaScript reads them.
 *
 * The package writes an expression as JavaScript without parentheses, so JavaScript decides what belongs together:
 * `not a == b` compares the negated a, and `1 ~ 2 + 3` is "123". The tree is written as a list of operators and
 * operands here, and read again by JavaScript's precedence.
 */
import type { Node } from "../syntax/Nodes.ts"
import { numberOf, operators } from "../value/Operators.ts"
import type { Evaluate, Unit } from "./Unit.ts"

type Item = string | Evaluate

const levels: ReadonlyArray<ReadonlyArray<string>> = [
  ["||"],
  ["&&"],
  ["==", "!=", "===", "!=="],
  ["<", ">", "<=", ">="],
  ["+", "-"],
  ["*", "/", "%"]
]

const level: ReadonlyMap<string, number> = new Map(levels.flatMap((names, at) => names.map((name) => [name, at])))

const signs: ReadonlyMap<string, string> = new Map([
  ["Or", "||"],
  ["And", "&&"],
  ["Add", "+"],
  ["Sub", "-"],
  ["Mul", "*"],
  ["Div", "/"],
  ["Mod", "%"],
  ["Not", "!"],
  ["Neg", "negative"],
  ["Pos", "positive"]
])

/** Compiles what is no operator. */
type CompileOperand = (node: Node) => Evaluate

export const compileOperators = (unit: Unit, node: Node, operand: CompileOperand): Evaluate => {
  const items: Array<Item> = []
  flatten(unit, node, operand, items, 0)
  unit.deeper(items.length / 2)
  return new Reader(items).binary(0)
}

/** Both sides of a division whose result is rounded: they are not in parentheses either. */
export const compileQuotient = (unit: Unit, left: Node, right: Node, operand: CompileOperand): Evaluate => {
  const items: Array<Item> = []
  flatten(unit, left, operand, items, 0)
  items.push("/")
  flatten(unit, right, operand, items, 0)
  unit.deeper(items.length / 2)
  return new Reader(items).binary(0)
}

const flatten = (unit: Unit, node: Node, operand: CompileOperand, items: Array<Item>, depth: number): void => {
  unit.deeper(depth)
  const inner = (part: Node) => flatten(unit, part, operand, items, depth + 1)
  switch (node.typename) {
    case "Or":
    case "And":
    case "Add":
    case "Sub":
    case "Mul":
    case "Div":
    case "Mod":
      inner(node.left)
      items.push(signs.get(node.typename)!)
      inner(node.right)
      return
    case "Concat":
      inner(node.left)
      items.push("+", () => "", "+")
      inner(node.right)
      return
    case "Not":
    case "Neg":
    case "Pos":
      items.push(signs.get(node.typename)!)
      inner(node.target)
      return
    case "Compare":
      inner(node.expr)
      for (const { type, expr } of node.ops) {
        items.push(type)
        inner(expr)
      }
      return
    case "Is":
      items.push(operand(node), "===", () => true)
      return
    default:
      items.push(operand(node))
  }
}

class Reader {
  private readonly items: ReadonlyArray<Item>
  private at = 0

  constructor(items: ReadonlyArray<Item>) {
    this.items = items
  }

  /** Operators of that level or a higher one. */
  binary(least: number): Evaluate {
    let left = this.unary()
    for (;;) {
      const sign = this.items[this.at]
      const found = typeof sign === "string" ? level.get(sign) : undefined
      if (typeof sign !== "string" || found === undefined || found < least) return left
      this.at++
      left = combined(sign, left, this.binary(found + 1))
    }
  }

  private unary(): Evaluate {
    const item = this.items[this.at++]
    if (typeof item === "function") return item
    const target = this.unary()
    if (item === "!") return (run) => !target(run)
    return item === "negative" ? (run) => -numberOf(run, target(run)) : (run) => numberOf(run, target(run))
  }
}

const combined = (sign: string, left: Evaluate, right: Evaluate): Evaluate => {
  if (sign === "||") return (run) => left(run) || right(run)
  if (sign === "&&") return (run) => left(run) && right(run)
  const compute = operators.get(sign)!
  return (run) => {
    run.tick(1)
    return compute(run, left(run), right(run))
  }
}
