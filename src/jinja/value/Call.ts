import { typeFault } from "../runtime/Fault.ts"
import { type Runtime, Callable, type Keywords, type Value } from "./Value.ts"
import { Undefined, typeName } from "./Values.ts"

/** `callee(*args, **keywords)` */
export const call = (runtime: Runtime, callee: Value, args: Array<Value>, keywords: Keywords | undefined): Value => {
  runtime.tick(2)
  for (const arg of args) runtime.charge(arg)
  if (callee instanceof Callable) return callee.call(runtime, args, keywords)
  if (callee instanceof Undefined) throw callee.fault()
  throw typeFault(`'${typeName(callee)}' object is not callable`)
}
