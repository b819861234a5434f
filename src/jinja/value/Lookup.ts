/**
 * `x.name` and `x[key]` as in Jinja's sandbox: the first prefers attributes, the second items. A hidden name of Python
 * gives an undefined value, and each use of it is a Security fault.
 */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { BoundMethod } from "../runtime/Native.ts"
import { type Runtime, Obj, type Value } from "./Value.ts"
import { Dict } from "./Dict.ts"
import { hiddenEverywhere, hiddenIn } from "./HiddenNames.ts"
import { quote, repr } from "../print/Repr.ts"
import { characterAt, characterChars, characters, lengthOf, sliceBounds, sliceIndex, sliceText } from "../text/Text.ts"
import {
  Bytes,
  Markup,
  Range,
  Tuple,
  Undefined,
  isInteger,
  isText,
  objectName,
  orElse,
  plain,
  typeName
} from "./Values.ts"

/** Whether a name that starts with an underscore exists in Python and is hidden from templates. */
const isHidden = (object: Value, name: string): boolean =>
  hiddenEverywhere.has(name) || hiddenIn(typeName(object)).has(name)

const unsafe = (object: Value, name: string): Undefined =>
  new Undefined(
    () => new Fault("Security", `access to attribute ${quote(name)} of ${quote(typeName(object))} object is unsafe.`)
  )

/** The undefined value of a missing attribute or item. */
export const missing = (runtime: Runtime, object: Value, key: Value): Undefined =>
  new Undefined(
    () =>
      new Fault(
        "Undefined",
        isText(key)
          ? `${quote(objectName(object))} has no attribute ${quote(plain(key))}`
          : `${objectName(object)} has no element ${repr(runtime, key)}`
      )
  )

/** `object.name` */
export const getAttribute = (runtime: Runtime, object: Value, name: string): Value => {
  runtime.tick(1)
  const attribute = attributeOf(runtime, object, name)
  if (attribute !== undefined) return attribute
  if (object instanceof Dict) return orElse(object.get(name), () => missing(runtime, object, name))
  if (object instanceof Undefined) throw object.fault()
  return missing(runtime, object, name)
}

/** An attribute in the strict sense: a method, a property or a hidden name, but never an item. */
export const attributeOf = (runtime: Runtime, object: Value, name: string): Value | undefined => {
  const method = runtime.environment.methodsOf(object)?.get(name)
  if (method !== undefined) return new BoundMethod(object, method)
  const own = object instanceof Obj ? object.attribute(runtime, name) : numberAttribute(object, name)
  if (!name.startsWith("_")) return own
  return own !== undefined || isHidden(object, name) ? unsafe(object, name) : undefined
}

const numberAttribute = (value: Value, name: string): Value | undefined => {
  if (!isInteger(value)) return undefined
  if (name === "real" || name === "numerator") return typeof value === "boolean" ? Number(value) : value
  return name === "imag" ? 0 : name === "denominator" ? 1 : undefined
}

/** `object[key]` */
export const getItem = (runtime: Runtime, object: Value, key: Value): Value => {
  runtime.tick(1)
  const item = itemOf(runtime, object, key)
  if (item !== undefined) return item
  if (object instanceof Undefined) throw object.fault()
  const attribute = isText(key) ? attributeOf(runtime, object, plain(key)) : undefined
  return orElse(attribute, () => missing(runtime, object, key))
}

const itemOf = (runtime: Runtime, object: Value, key: Value): Value | undefined => {
  if (object instanceof Dict) {
    if (Array.isArray(key) || key instanceof Dict) return undefined
    runtime.charge(key)
    return object.get(key)
  }
  if (!isInteger(key)) return undefined
  const index = Number(key)
  if (isText(object)) return characterOf(runtime, object, index)
  if (Array.isArray(object)) return object.at(index)
  if (object instanceof Tuple) return object.items.at(index)
  if (object instanceof Bytes) return object.bytes.at(index)
  if (!(object instanceof Range)) return undefined
  const position = index < 0 ? index + object.size : index
  return position >= 0 && position < object.size ? object.at(position) : undefined
}

const characterOf = (runtime: Runtime, object: string | Markup, index: number): Value | undefined => {
  const source = plain(object)
  runtime.charge(source)
  const character = characterAt(source, index)
  return object instanceof Markup && character !== undefined ? new Markup(character) : character
}

/** `object[start:stop:step]`; an omitted part is null. */
export const slice = (runtime: Runtime, object: Value, start: Value, stop: Value, step: Value): Value => {
  if (isText(object)) {
    const cut = textSlice(runtime, plain(object), start, stop, stride(step))
    return object instanceof Markup ? new Markup(cut) : cut
  }
  if (Array.isArray(object)) return sliceItems(runtime, object, start, stop, stride(step))
  if (object instanceof Tuple) return new Tuple(sliceItems(runtime, object.items, start, stop, stride(step)))
  if (object instanceof Range) {
    const { from, to } = sliceBounds(object.size, start, stop, stride(step))
    return new Range(object.at(from), object.at(to), object.step * stride(step))
  }
  if (object instanceof Bytes) {
    const bytes = sliceItems(runtime, Array.from(object.bytes), start, stop, stride(step))
    return new Bytes(Uint8Array.from(bytes))
  }
  if (object instanceof Undefined) throw object.fault()
  throw object instanceof Dict
    ? typeFault("unhashable type: 'slice'")
    : typeFault(`'${typeName(object)}' object is not subscriptable`)
}

const stride = (step: Value): number => {
  const by = step === null ? 1 : sliceIndex(step)
  if (by === 0) throw new Fault("Value", "slice step cannot be zero")
  return by
}

const textSlice = (runtime: Runtime, source: string, start: Value, stop: Value, step: number): string => {
  if (step === 1) {
    runtime.alloc(source.length)
    const { from, to } = sliceBounds(lengthOf(source), start, stop, step)
    return sliceText(source, from, to)
  }
  runtime.alloc(source.length * characterChars)
  return sliceItems(runtime, characters(source), start, stop, step).join("")
}

const sliceItems = <A>(
  runtime: Runtime,
  items: ReadonlyArray<A>,
  start: Value,
  stop: Value,
  step: number
): Array<A> => {
  const { from, to } = sliceBounds(items.length, start, stop, step)
  const length = Math.max(0, Math.ceil((to - from) / step))
  runtime.alloc(length * 8)
  return Array.from({ length }, (_, index) => items[from + index * step]!)
}

/** An undefined value whose use fails with the reason. */
export const nothing = (message: string): Undefined => new Undefined(() => new Fault("Undefined", message))
