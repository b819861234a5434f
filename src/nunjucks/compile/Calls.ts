/** Calls of functions, filters and tests. Filters and tests are looked up when the template is compiled. */
import { Fault } from "../../jinja/runtime/Fault.ts"
import type { BinaryNode, CallNode, FilterNode, Node } from "../syntax/Nodes.ts"
import { Callable, type Native } from "../value/Values.ts"
import type { Scope } from "./Scope.ts"
import type { Evaluate, Unit } from "./Unit.ts"

/** How messages name what is called. */
const nameOf = (node: Node): string => {
  switch (node.typename) {
    case "Symbol":
      return node.value
    case "FunCall":
      return `the return value of (${nameOf(node.name)})`
    case "LookupVal":
      return `${nameOf(node.target)}["${node.val === null ? "" : nameOf(node.val)}"]`
    case "Literal":
      return String(node.value)
    default:
      return "--expression--"
  }
}

export const compileCall = (unit: Unit, node: CallNode, scope: Scope): Evaluate => {
  const callee = unit.expression(node.name, scope)
  const args = node.args.children.map((arg) => unit.expression(arg, scope))
  const name = nameOf(node.name)
  const at = unit.at(node)
  return (run) => {
    const found = callee(run)
    run.at = at
    if (!(found instanceof Callable)) {
      if (!found) throw new Fault("Undefined", `Unable to call \`${name}\`, which is undefined or falsey`)
      throw new Fault("Type", `Unable to call \`${name}\`, which is not a function`)
    }
    const values = args.map((arg) => arg(run))
    run.at = at
    run.tick(2)
    return found.call(run, ...values)
  }
}

export const compileFilter = (unit: Unit, node: FilterNode, scope: Scope): Evaluate => {
  const name = node.name.value
  const filter = unit.environment.filter(name)
  if (filter === undefined) throw unit.fault(node, `filter not found: ${name}`)
  return applied(
    filter,
    node.args.children.map((arg) => unit.expression(arg, scope)),
    unit.at(node)
  )
}

export const compileTest = (unit: Unit, node: BinaryNode, scope: Scope): Evaluate => {
  const { left, right } = node
  const named = right.typename === "FunCall" ? right.name : right
  if (named.typename !== "Symbol" && named.typename !== "Literal") {
    throw unit.fault(right, "the name of a test is expected")
  }
  const name = String(named.value)
  const test = unit.environment.test(name)
  if (test === undefined) throw unit.fault(right, `test not found: ${name}`)
  const args = right.typename === "FunCall" ? right.args.children : []
  return applied(
    test,
    [left, ...args].map((arg) => unit.expression(arg, scope)),
    unit.at(right)
  )
}

const applied = (native: Native, args: ReadonlyArray<Evaluate>, at: number): Evaluate => {
  const [first, second] = args
  if (args.length === 1) {
    return (run) => {
      const input = first!(run)
      run.at = at
      run.tick(2)
      return native(run, input)
    }
  }
  if (args.length === 2) {
    return (run) => {
      const [input, argument] = [first!(run), second!(run)]
      run.at = at
      run.tick(2)
      return native(run, input, argument)
    }
  }
  return (run) => {
    const values = args.map((arg) => arg(run))
    run.at = at
    run.tick(2)
    return native(run, ...values)
  }
}
