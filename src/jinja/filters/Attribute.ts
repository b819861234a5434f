/** How filters look up `attribute="a.b.0"`. */
import type { Runtime, Value } from "../value/Value.ts"
import { getItem } from "../value/Lookup.ts"
import { Markup, Undefined, isText, plain } from "../value/Values.ts"

export type KeyOf = (item: Value) => Value

/** The steps of a path; a step of digits is a position. */
const steps = (attribute: Value | undefined): ReadonlyArray<Value> => {
  if (attribute === undefined || attribute === null) return []
  if (!isText(attribute)) return [attribute]
  return plain(attribute)
    .split(".")
    .map((step) => (/^\d+$/.test(step) && step.length < 16 ? Number(step) : step))
}

/** Looks up the attribute; returns the item itself if no attribute is named. */
export const attributeGetter = (runtime: Runtime, attribute: Value | undefined, absent?: Value): KeyOf => {
  const path = steps(attribute)
  const fallback = absent ?? null
  return (item) => {
    let value = item
    for (const step of path) {
      value = getItem(runtime, value, step)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return value
  }
}

/** Folds the case of text; returns any other value unchanged. */
export const ignoreCase = (runtime: Runtime, value: Value): Value => {
  if (!isText(value)) return value
  runtime.charge(value)
  return typeof value === "string" ? value.toLowerCase() : new Markup(value.text.toLowerCase())
}

/** Like attributeGetter, for sort keys: ignores case unless `caseSensitive`. */
export const keyGetter = (
  runtime: Runtime,
  attribute: Value | undefined,
  caseSensitive: boolean,
  absent?: Value
): KeyOf => {
  const get = attributeGetter(runtime, attribute, absent)
  return caseSensitive ? get : (item) => ignoreCase(runtime, get(item))
}
