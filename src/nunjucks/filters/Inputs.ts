/** How filters read their input: as the package's own do, which call methods that JavaScript's values have. */
import { type Fault, typeFault } from "../../jinja/runtime/Fault.ts"
import { type Run, type List, type Obj, SafeText, type Value, isObject, kindOf } from "../value/Values.ts"
import { lookup } from "../value/Lookup.ts"
import { numberOf } from "../value/Operators.ts"

const expected = (what: string, value: Value): Fault => typeFault(`${what} is expected, not ${kindOf(value)}`)

/** Undefined, null and false as an empty text, as most filters on texts have it. */
export const orEmpty = (value: Value): Value => (value === undefined || value === null || value === false ? "" : value)

/** The text of a text; a pass over it is charged. */
export const textOf = (run: Run, value: Value): string => {
  const found = value instanceof SafeText ? value.text : value
  if (typeof found !== "string") throw expected("text", value)
  run.tick(1 + (found.length >> 6))
  return found
}

/** `made`, as safe as the text that it was made of. */
export const likeInput = (run: Run, input: Value, made: string): Value => {
  run.alloc(made.length)
  return input instanceof SafeText ? new SafeText(made) : made
}

export const listOf = (run: Run, value: Value): List => {
  if (!Array.isArray(value)) throw expected("a list", value)
  run.tick(1 + (value.length >> 4))
  return value
}

/** `value.length`, of whatever has one. */
export const lengthOf = (run: Run, value: Value): number => {
  if (value === undefined || value === null) throw expected("a list", value)
  return numberOf(run, lookup(run, value, "length"))
}

/** `value[name]`; a fault if the value has no properties at all. */
export const propertyOf = (run: Run, value: Value, name: Value): Value => {
  if (value === undefined || value === null) throw expected("an object", value)
  return lookup(run, value, name)
}

/** A new list of what is in a list, a text or an object with a length; nothing of undefined and null. */
export const copied = (run: Run, value: Value): List => {
  if (value === undefined || value === null) return []
  const length = Array.isArray(value) ? value.length : lengthOf(run, value)
  const list: List = []
  for (let at = 0; at < length; at++) {
    run.tick(1)
    run.alloc(8)
    list.push(Array.isArray(value) ? value[at] : lookup(run, value, at))
  }
  return list
}

/** The same, but a fault for undefined and null. */
export const elements = (run: Run, value: Value): List => {
  lengthOf(run, value)
  return copied(run, value)
}

/** The value as an object, if it is one: to some of the package's filters safe text is one of two properties. */
export const objectOf = (value: Value): Obj | undefined => {
  if (value instanceof SafeText) return { val: value.text, length: value.text.length }
  return isObject(value) ? value : undefined
}

/** An argument that has a default, which also replaces zero. */
export const given = (run: Run, value: Value, otherwise: number): number => (value ? numberOf(run, value) : otherwise)
