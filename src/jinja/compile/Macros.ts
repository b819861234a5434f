/** Compiles macros and call blocks to closures. */
import { Fault } from "../runtime/Fault.ts"
import type { CallBlock, Macro as MacroNode } from "../syntax/Ast.ts"
import { quote } from "../print/Repr.ts"
import { Undefined } from "../value/Values.ts"
import { compileCall } from "./Calls.ts"
import { factsOf } from "./Facts.ts"
import { type Evaluate, type Execute, Frame, proceed } from "../runtime/Frame.ts"
import { Macro } from "../runtime/Macro.ts"
import { printText } from "./Output.ts"
import { FunctionScope, type Scope } from "./Scope.ts"
import type { Unit } from "./Unit.ts"

/** Names that a macro has without declaring them, in the order in which they are passed. */
const specialNames = ["caller", "kwargs", "varargs"] as const

const compileMacroValue = (unit: Unit, outer: Scope, node: MacroNode | CallBlock): ((frame: Frame) => Macro) => {
  const owner = new FunctionScope(outer.owner)
  const scope = outer.inner({ inLoop: false }, owner)
  const { symbols } = scope
  const names = node.params.map(({ name }) => name)
  const used = factsOf(node.body).reads
  if (used.has("caller") && names.includes("caller") && defaultIndex(node, names.indexOf("caller")) < 0) {
    throw new Fault(
      "Assertion",
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.at
    )
  }
  const specials = specialNames.filter((name) => used.has(name) && !names.includes(name))
  symbols.visit(node.params)
  symbols.visit(node.defaults)
  for (const name of specials) symbols.declareParameter(name)
  symbols.visit(node.body)
  const indexes = [...names, ...specials].map((name) => scope.indexOf(symbols.ref(name)))
  const defaults = node.params.map(({ name }, index) => compileDefault(unit, scope, node, name, index))
  const entry = scope.entry()
  const body = unit.body(scope, node.body)
  const shape = {
    name: node.kind === "Macro" ? node.name : undefined,
    params: names,
    takesCaller: specials.includes("caller"),
    takesKeywords: specials.includes("kwargs"),
    takesRest: specials.includes("varargs")
  }
  return (outerFrame) =>
    new Macro(shape, (values) => {
      const frame = new Frame(outerFrame.runtime, outerFrame, owner.size)
      indexes.forEach((index, position) => {
        frame.slots[index] = values[position]
      })
      entry?.(frame)
      defaults.forEach((evaluate, position) => {
        if (frame.slots[indexes[position]!] === undefined) frame.slots[indexes[position]!] = evaluate(frame)
      })
      return frame.runtime.capture(() => body(frame))
    })
}

/** Index of the parameter's default; negative if it has none. */
const defaultIndex = (node: MacroNode | CallBlock, param: number): number =>
  param - (node.params.length - node.defaults.length)

const compileDefault = (
  unit: Unit,
  scope: Scope,
  node: MacroNode | CallBlock,
  name: string,
  param: number
): Evaluate => {
  const index = defaultIndex(node, param)
  if (index >= 0) return unit.expression(scope, node.defaults[index]!)
  const missing = new Undefined(() => new Fault("Undefined", `parameter ${quote(name)} was not provided`))
  return () => missing
}

export const compileMacro = (unit: Unit, scope: Scope, node: MacroNode): Execute => {
  const make = compileMacroValue(unit, scope, node)
  const index = scope.indexOf(scope.symbols.ref(node.name))
  return (frame) => {
    const macro = make(frame)
    frame.slots[index] = macro
    if (scope.topLevel) frame.runtime.exported.set(node.name, macro)
    return proceed
  }
}

export const compileCallBlock = (unit: Unit, scope: Scope, node: CallBlock): Execute => {
  const value = compileCall(unit, scope, node.call, compileMacroValue(unit, scope, node))
  return (frame) => {
    frame.runtime.at = node.at
    printText(frame.runtime, value(frame))
    return proceed
  }
}
