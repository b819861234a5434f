/** Macros and the bodies of call blocks. */
import { bind } from "../filters/Signature.ts"
import { Frame, Locals } from "../runtime/Frame.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import { Callable, SafeText, type Value } from "../value/Values.ts"
import type { MacroNode, Node } from "../syntax/Nodes.ts"
import { Body, Scope } from "./Scope.ts"
import type { Evaluate, Execute, Unit } from "./Unit.ts"

export const compileMacro = (unit: Unit, node: MacroNode, scope: Scope): Execute => {
  if (node.name.typename !== "Symbol") throw unit.fault(node.name, "the name of the macro is expected")
  const name = node.name.value
  // A macro sees no variables around it, but what the template has set at its top level.
  const make = compileFunction(unit, node, new Scope(new Body()))
  scope.define(name)
  const write = scope.write(name)!
  const isTop = scope.parent === undefined
  return (run) => {
    const macro = make(run)
    write(run, macro)
    if (isTop) run.context.set(name, macro)
    else run.frame.variables.set(name, macro)
  }
}

/** The body of a call block, which its macro calls: it sees the locals around it, and the frames of its caller. */
export const compileCaller = (unit: Unit, node: MacroNode, scope: Scope): Evaluate =>
  compileFunction(unit, node, new Scope(new Body(scope.body), scope))

const compileFunction = (unit: Unit, node: MacroNode, scope: Scope): Evaluate => {
  const isCaller = node.typename === "Caller"
  const { parameters, defaults } = signatureOf(unit, node)
  for (const name of parameters) scope.define(name)
  const values = defaults.map(([, value]) => unit.expression(value, scope))
  const names = defaults.map(([name]) => name)
  const body = unit.body(node.body, scope)

  const fill = (run: TemplateRun, args: ReadonlyArray<Value>): void => {
    const { positional, keywords } = bind(parameters, names, args)
    const { variables } = run.frame
    if (Object.hasOwn(keywords, "caller")) variables.set("caller", keywords["caller"])
    parameters.forEach((name, at) => {
      run.locals.slots[at] = positional[at]
      variables.set(name, positional[at])
    })
    names.forEach((name, at) => {
      variables.set(name, Object.hasOwn(keywords, name) ? keywords[name] : values[at]!(run))
    })
  }
  return (run) => {
    const around = isCaller ? run.locals : undefined
    return new Callable((_run, ...args) => {
      run.enter()
      const { frame, locals, at } = run
      run.frame = isCaller ? new Frame(frame, true) : new Frame()
      run.locals = new Locals(scope.body.size, around)
      fill(run, args)
      const text = run.capture(() => body(run))
      run.frame = frame
      run.locals = locals
      run.at = at
      run.leave()
      return new SafeText(text)
    })
  }
}

interface Signature {
  readonly parameters: ReadonlyArray<string>
  readonly defaults: ReadonlyArray<readonly [name: string, value: Node]>
}

const signatureOf = (unit: Unit, node: MacroNode): Signature => {
  const parameters: Array<string> = []
  const defaults: Array<readonly [string, Node]> = []
  for (const arg of node.args.children) {
    if (arg.typename === "Symbol") parameters.push(arg.value)
    else if (arg.typename === "KeywordArgs") defaults.push(...arg.children.map((pair) => defaultOf(unit, pair)))
    else throw unit.fault(arg, "the name of a parameter is expected")
  }
  return { parameters, defaults }
}

const defaultOf = (unit: Unit, pair: Node): readonly [string, Node] => {
  if (pair.typename !== "Pair" || pair.key.typename !== "Symbol") {
    throw unit.fault(pair, "the name of a parameter is expected")
  }
  return [pair.key.value, pair.value]
}
