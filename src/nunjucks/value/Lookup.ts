/** The parts of a value that a template reads: its own properties, and the methods that are listed for its kind. */
import { limitFault, typeFault } from "../../jinja/runtime/Fault.ts"
import { listMethods } from "../methods/ListMethods.ts"
import { numberMethods } from "../methods/NumberMethods.ts"
import { textMethods } from "../methods/TextMethods.ts"
import { Pattern } from "../runtime/Pattern.ts"
import { type Run, Callable, LongNumber, Opaque, SafeText, type Value, isObject, kindOf } from "./Values.ts"
import { text } from "./Operators.ts"

/** `value[key]`; undefined if there is no such property, and of undefined and null. */
export const lookup = (run: Run, value: Value, key: Value): Value => {
  if (value === undefined || value === null) return undefined
  const name = typeof key === "number" ? key : text(run, key)
  if (typeof value === "object" && !(value instanceof Opaque)) {
    if (Object.hasOwn(value, name)) return (value as Readonly<Record<string | number, Value>>)[name]
  } else if (typeof value === "string" && Object.hasOwn(Object(value) as object, name)) {
    return (value as unknown as Readonly<Record<string | number, Value>>)[name]
  } else if (value instanceof SafeText) {
    if (name === "length") return value.text.length
    if (name === "val") return value.text
  }
  return typeof name === "number" ? undefined : method(value, name)
}

const method = (value: Value, name: string): Callable | undefined => {
  if (name === "toString" && typeof value !== "number") return new Callable((run) => text(run, value))
  if (name === "hasOwnProperty" && isObject(value)) {
    return new Callable((run, key) => Object.hasOwn(value, text(run, key)))
  }
  const self = value instanceof SafeText ? value.text : value instanceof LongNumber ? value.number : value
  if (typeof self === "string") return bound(textMethods.get(name), self)
  if (typeof self === "number") return bound(numberMethods.get(name), self)
  if (Array.isArray(self)) return bound(listMethods.get(name), self)
  if (self instanceof Pattern && name === "test") {
    return new Callable((run, input) => self.matches(run, text(run, input)))
  }
  return undefined
}

const bound = <Self extends Value>(
  found: ((run: Run, self: Self, ...args: ReadonlyArray<Value>) => Value) | undefined,
  self: Self
): Callable | undefined => found && new Callable((run, ...args) => found(run, self, ...args))

/** The properties of an object in order; charged. */
export const keysOf = (run: Run, value: object): ReadonlyArray<string> => {
  const keys = Object.keys(value)
  run.alloc(keys.length * 8)
  return keys
}

/** Own properties along a path of names between dots, as some filters take it; undefined where there is none. */
export const follow = (run: Run, value: Value, path: Value): Value => {
  const parts = typeof path === "string" ? path.split(".") : [path]
  if (parts.length > run.limits.chain) throw limitFault("nesting")
  let found = value
  for (const part of parts) {
    run.tick(1)
    if (found === undefined || found === null) throw typeFault(`${kindOf(found)} has no ${text(run, part)}`)
    const next = lookup(run, found, part)
    if (next === undefined || next instanceof Callable) return undefined
    found = next
  }
  return found
}
