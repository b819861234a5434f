/** Filters on lists and other iterables. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { native } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText } from "../value/Arguments.ts"
import { equals, isTrue, sizeOf } from "../value/Compare.ts"
import { Dict, View } from "../value/Dict.ts"
import { escapeUnlessSafe } from "../text/Html.ts"
import { collect, elementsOf, iterate, lazily, listOf } from "../value/Iterate.ts"
import { attributeOf, missing, nothing } from "../value/Lookup.ts"
import { add, floorDivide, modulo } from "../value/Operators.ts"
import { text, viewItems } from "../print/Repr.ts"
import { characterAt, characterChars, characters } from "../text/Text.ts"
import {
  Iterator,
  Markup,
  Range,
  Tuple,
  Undefined,
  isNumber,
  isText,
  orElse,
  plain,
  typeName
} from "../value/Values.ts"
import { attributeGetter } from "./Attribute.ts"

/** `len(value)` */
const length = (value: Value): number => {
  const size = sizeOf(value)
  if (size === undefined) throw typeFault(`object of type '${typeName(value)}' has no len()`)
  return size
}

/** The elements from the end; undefined for a value that Python cannot reverse without a copy. */
const reversedElements = (value: Value): ReadonlyArray<Value> | undefined => {
  if (Array.isArray(value)) return value.toReversed()
  if (value instanceof Tuple) return value.items.toReversed()
  if (value instanceof Dict) return value.keys().toReversed()
  if (value instanceof View) return viewItems(value).toReversed()
  if (value instanceof Range) return Array.from({ length: value.size }, (_, i) => value.at(value.size - 1 - i))
  return value instanceof Undefined ? [] : undefined
}

/** Python's name for the type of the iterator that `reversed` returns. */
const reversedName = (value: Value): string => {
  if (Array.isArray(value)) return "list_reverseiterator"
  if (value instanceof Dict) return "dict_reversekeyiterator"
  if (value instanceof Range) return "range_iterator"
  if (value instanceof View) return `dict_reverse${value.what.slice(0, -1)}iterator`
  return "reversed"
}

const reverse = (runtime: Runtime, value: Value): Value => {
  if (isText(value)) {
    runtime.alloc(plain(value).length * characterChars)
    const backwards = characters(plain(value)).toReversed().join("")
    return value instanceof Markup ? new Markup(backwards) : backwards
  }
  const elements = reversedElements(value)
  if (elements !== undefined) {
    runtime.alloc(elements.length * 8)
    return new Iterator(`${reversedName(value)} object`, iterate(runtime, elements.slice()))
  }
  try {
    return listOf(runtime, value).toReversed()
  } catch (error) {
    if (error instanceof Fault && error.reason === "Type") {
      throw new Fault("FilterArgument", "argument must be iterable")
    }
    throw error
  }
}

const last = (runtime: Runtime, value: Value): Value => {
  runtime.charge(value)
  const elements = isText(value) ? [characterAt(plain(value), -1)] : reversedElements(value)
  if (elements === undefined) throw typeFault(`'${typeName(value)}' object is not reversible`)
  return orElse(elements[0], () => nothing("No last item, sequence was empty."))
}

const pickRandom = (runtime: Runtime, value: Value): Value => {
  const size = length(value)
  if (size === 0) return nothing("No random item, sequence was empty.")
  const index = Math.floor(runtime.random() * size)
  if (value instanceof Dict) {
    const item = value.get(index)
    if (item === undefined) throw new Fault("Key", String(index))
    return item
  }
  return elementsOf(runtime, value)[index]!
}

const sum = (runtime: Runtime, value: Value, attribute: Value | undefined, start: Value): Value => {
  if (isText(start)) throw typeFault("sum() can't sum strings [use ''.join(seq) instead]")
  const get = attributeGetter(runtime, attribute)
  const next = iterate(runtime, value)
  let total: Value = start
  for (let item = next(); item !== undefined; item = next()) total = add(runtime, total, get(item))
  return total
}

const join = (runtime: Runtime, value: Value, separator: Value, attribute: Value | undefined): Value => {
  const get = attributeGetter(runtime, attribute)
  const items = collect(runtime, iterate(runtime, value)).map(get)
  const safe = runtime.autoescape && (separator instanceof Markup || items.some((item) => item instanceof Markup))
  const show = (item: Value) => (safe ? escapeUnlessSafe(runtime, item) : text(runtime, item))
  const glue = show(separator)
  const pieces = items.map((item) => {
    const piece = show(item)
    runtime.alloc(piece.length + glue.length)
    return piece
  })
  const joined = pieces.join(glue)
  return safe ? new Markup(joined) : joined
}

const batch = (runtime: Runtime, value: Value, size: Value, fill: Value): Value =>
  lazily("do_batch", () => {
    const next = iterate(runtime, value)
    return () => {
      const items: Array<Value> = []
      for (let item = next(); item !== undefined; item = next()) {
        runtime.alloc(8)
        items.push(item)
        if (isNumber(size) && equals(runtime, items.length, size)) return items
      }
      if (items.length === 0) return undefined
      const missingCount = fill === null ? 0 : Math.max(0, asInteger(size) - items.length)
      runtime.alloc(missingCount * 8)
      for (let i = 0; i < missingCount; i++) items.push(fill)
      return items
    }
  })

const sliceInto = (runtime: Runtime, value: Value, slices: Value, fill: Value): Value =>
  lazily("sync_do_slice", () => {
    const items = listOf(runtime, value)
    const perSlice = asInteger(floorDivide(runtime, items.length, slices))
    const withExtra = asInteger(modulo(runtime, items.length, slices))
    const count = asInteger(slices)
    let offset = 0
    let number = 0
    return () => {
      if (number >= count) return undefined
      const start = offset + number * perSlice
      if (number < withExtra) offset++
      const part = items.slice(start, offset + (number + 1) * perSlice)
      runtime.alloc(part.length * 8 + 8)
      if (fill !== null && number >= withExtra) part.push(fill)
      number++
      return part
    }
  })

const attr = (runtime: Runtime, object: Value, name: string): Value => {
  const attribute = attributeOf(runtime, object, name)
  if (attribute !== undefined) return attribute
  if (object instanceof Undefined && !name.startsWith("__")) throw object.fault()
  return missing(runtime, object, name)
}

export const sequenceFilters: Readonly<Record<string, Native>> = {
  attr: native("do_attr(obj, name)", (rt, object, name) =>
    attr(rt, object, asText(name, "attribute name must be string"))
  ),
  batch: native("do_batch(value, linecount, fill_with?)", (rt, value, size, fill = null) =>
    batch(rt, value, size, fill)
  ),
  default: native("do_default(value, default_value?, boolean?)", (_rt, value, absent = "", boolean = false) =>
    value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? absent : value
  ),
  first: native("sync_do_first(seq)", (rt, seq) =>
    orElse(iterate(rt, seq)(), () => nothing("No first item, sequence was empty."))
  ),
  items: native("do_items(value)", (rt, value) =>
    lazily("do_items", () => {
      if (value instanceof Undefined) return () => undefined
      if (!(value instanceof Dict)) throw typeFault("Can only get item pairs from a mapping.")
      return iterate(rt, new View(value, "items"))
    })
  ),
  join: native("sync_do_join(value, d?, attribute?)", (rt, value, d = "", attribute) => join(rt, value, d, attribute)),
  last: native("do_last(seq)", (rt, seq) => last(rt, seq)),
  length: native("len(obj, /)", (_rt, value) => length(value)),
  list: native("sync_do_list(value)", (rt, value) => listOf(rt, value)),
  random: native("do_random(seq)", (rt, seq) => pickRandom(rt, seq)),
  reverse: native("do_reverse(value)", (rt, value) => reverse(rt, value)),
  slice: native("sync_do_slice(value, slices, fill_with?)", (rt, value, slices, fill = null) =>
    sliceInto(rt, value, slices, fill)
  ),
  sum: native("sync_do_sum(iterable, attribute?, start?)", (rt, value, attribute, start = 0) =>
    sum(rt, value, attribute, start)
  )
}
