/** Statements to closures. */
import type { ListNode, Node, SetNode, SwitchNode } from "../syntax/Nodes.ts"
import { text } from "../value/Operators.ts"
import { compileFor } from "./Loops.ts"
import { compileMacro } from "./Macros.ts"
import type { Scope } from "./Scope.ts"
import type { Execute, Unit } from "./Unit.ts"

/** The statements of a body, one after the other. */
export const compileBody = (unit: Unit, node: Node, scope: Scope): Execute => {
  if (node.typename !== "NodeList" && node.typename !== "Root") return compileStatement(unit, node, scope)
  const statements = node.children.map((child) => compileStatement(unit, child, scope))
  if (statements.length === 1) return statements[0]!
  return (run) => {
    for (const statement of statements) statement(run)
  }
}

const compileStatement = (unit: Unit, node: Node, scope: Scope): Execute => {
  switch (node.typename) {
    case "Output":
      return compileOutput(unit, node, scope)
    case "If": {
      const condition = unit.expression(node.cond, scope)
      const body = unit.body(node.body, scope)
      const otherwise = node.else_ === null ? undefined : unit.body(node.else_, scope)
      const at = unit.at(node)
      return (run) => {
        run.at = at
        if (condition(run)) body(run)
        else otherwise?.(run)
      }
    }
    case "For":
      return compileFor(unit, node, scope)
    case "Set":
      return compileSet(unit, node, scope)
    case "Macro":
      return compileMacro(unit, node, scope)
    case "Switch":
      return compileSwitch(unit, node, scope)
    default:
      throw unit.fault(node, "this cannot be used here")
  }
}

const compileOutput = (unit: Unit, node: ListNode, scope: Scope): Execute => {
  const pieces = node.children.map((child): Execute => {
    if (child.typename === "TemplateData") {
      const data = String(child.value)
      return (run) => run.write(data)
    }
    const value = unit.expression(child, scope)
    const at = unit.at(node)
    return (run) => {
      run.at = at
      run.tick(1)
      run.print(text(run, value(run) ?? ""))
    }
  })
  // The package makes one node for each.
  return pieces.length === 1 ? pieces[0]! : (run) => pieces.forEach((piece) => piece(run))
}

const compileSet = (unit: Unit, node: SetNode, scope: Scope): Execute => {
  const names = node.targets.map((target) => {
    if (target.typename !== "Symbol") throw unit.fault(target, "the name of a variable is expected")
    return target.value
  })
  const writes = names.flatMap((name) => scope.write(name) ?? [])
  const value = node.value === null ? unit.expression(node.body, scope) : unit.expression(node.value, scope)
  const at = unit.at(node)
  return (run) => {
    run.at = at
    run.tick(1)
    const found = value(run)
    for (const write of writes) write(run, found)
    for (const name of names) {
      run.frame.assign(name, found)
      if (run.frame === run.top) run.context.set(name, found)
    }
  }
}

/** As JavaScript's: strict equality, and a case without a body falls through. */
const compileSwitch = (unit: Unit, node: SwitchNode, scope: Scope): Execute => {
  const wanted = unit.expression(node.expr, scope)
  const cases = node.cases.map(({ cond, body }) => ({
    value: unit.expression(cond, scope),
    body: body.children.length === 0 ? undefined : unit.body(body, scope)
  }))
  const otherwise = node.default === null ? undefined : unit.body(node.default, scope)
  const at = unit.at(node)
  return (run) => {
    run.at = at
    const value = wanted(run)
    const first = cases.findIndex((each) => {
      run.tick(1)
      return each.value(run) === value
    })
    const body = first < 0 ? undefined : cases.slice(first).find((each) => each.body !== undefined)?.body
    const chosen = body ?? otherwise
    chosen?.(run)
  }
}
