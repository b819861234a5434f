/** Compiles assignments to closures. */
import { Fault } from "../runtime/Fault.ts"
import { Namespace } from "../runtime/Globals.ts"
import type { Target } from "../syntax/Ast.ts"
import { unpack } from "../value/Iterate.ts"
import type { Value } from "../value/Value.ts"
import type { Frame } from "../runtime/Frame.ts"
import type { Scope } from "./Scope.ts"

type Assign = (frame: Frame, value: Value) => void

export const compileAssignment = (scope: Scope, target: Target): Assign => {
  switch (target.kind) {
    case "Name": {
      const index = scope.indexOf(scope.symbols.ref(target.name))
      if (!scope.topLevel || target.use === "param") {
        return (frame, value) => {
          frame.slots[index] = value
        }
      }
      return (frame, value) => {
        frame.slots[index] = value
        frame.runtime.exported.set(target.name, value)
      }
    }
    case "Targets": {
      const parts = target.items.map((item) => compileAssignment(scope, item))
      return (frame, value) => {
        const items = unpack(frame.runtime, value, parts.length)
        parts.forEach((assign, position) => assign(frame, items[position]!))
      }
    }
    case "NamespaceTarget": {
      const namespace = namespaceReader(scope, target.name)
      return (frame, value) => {
        frame.runtime.alloc(16)
        namespace(frame).names.set(target.attribute, value)
      }
    }
  }
}

const namespaceReader = (scope: Scope, name: string): ((frame: Frame) => Namespace) => {
  const read = scope.reader(scope.symbols.ref(name))
  return (frame) => {
    const object = read(frame)
    if (object instanceof Namespace) return object
    throw new Fault("Runtime", "cannot assign attribute on non-namespace object")
  }
}

/** The check of a target that runs before the value is evaluated; undefined if the target needs none. */
export const compileCheck = (scope: Scope, target: Target): ((frame: Frame) => void) | undefined =>
  target.kind === "NamespaceTarget" ? namespaceReader(scope, target.name) : undefined
