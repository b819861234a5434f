/** Makes closures of assignments. */
import { Fault } from "../Fault.ts"
import { Namespace } from "../Globals.ts"
import type { Target } from "../syntax/Ast.ts"
import { unpack } from "../value/Iterate.ts"
import type { Value } from "../value/Values.ts"
import type { Frame } from "./Frame.ts"
import type { Scope } from "./Scope.ts"

export type Assign = (frame: Frame, value: Value) => void

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
      const namespace = scope.reader(scope.symbols.ref(target.name))
      return (frame, value) => {
        const object = namespace(frame)
        if (!(object instanceof Namespace)) {
          throw new Fault("Runtime", "cannot assign attribute on non-namespace object")
        }
        frame.runtime.alloc(16)
        object.names.set(target.attribute, value)
      }
    }
  }
}
