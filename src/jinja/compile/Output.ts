/** Compiles output to closures. */
import { typeFault } from "../runtime/Fault.ts"
import type { Runtime, Value } from "../value/Value.ts"
import type { Output } from "../syntax/Ast.ts"
import { escapeHtml } from "../text/Html.ts"
import { text } from "../print/Repr.ts"
import { Markup, isText, plain, typeName } from "../value/Values.ts"
import { type Execute, type Frame, proceed } from "../runtime/Frame.ts"
import type { Scope } from "./Scope.ts"
import type { Unit } from "./Unit.ts"

/** Prints a value that must be text: the result of a macro or of a block's filter. */
export const printText = (runtime: Runtime, value: Value): void => {
  if (!isText(value)) throw typeFault(`sequence item 0: expected str instance, ${typeName(value)} found`)
  runtime.print(plain(value))
}

const writer = (autoescape: boolean | undefined): ((runtime: Runtime, value: Value) => void) => {
  const escape = (runtime: Runtime, value: Value) =>
    runtime.print(value instanceof Markup ? value.text : escapeHtml(runtime, text(runtime, value)))
  const write = (runtime: Runtime, value: Value) => runtime.print(text(runtime, value))
  if (autoescape === undefined) {
    return (runtime, value) => (runtime.autoescape ? escape(runtime, value) : write(runtime, value))
  }
  return autoescape ? escape : write
}

export const compileOutput = (unit: Unit, scope: Scope, { nodes }: Output): Execute => {
  const write = writer(scope.autoescape)
  const parts = nodes.map((node): ((frame: Frame) => void) => {
    if (node.kind === "TemplateData") {
      const { text: data } = node
      return (frame) => frame.runtime.write(data)
    }
    const value = unit.expression(scope, node)
    return (frame) => {
      const { runtime } = frame
      runtime.at = node.at
      runtime.tick(1)
      write(runtime, value(frame))
    }
  })
  return (frame) => {
    for (const part of parts) part(frame)
    return proceed
  }
}
