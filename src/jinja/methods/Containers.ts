/** Methods of list, tuple, dict and the views of dicts. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import { methodsOn, native, variadic } from "../runtime/Native.ts"
import type { Native, Runtime, Keywords, Value } from "../value/Value.ts"
import { asInteger, integerOr } from "../value/Arguments.ts"
import { contains, elementsEqual, isTrue } from "../value/Compare.ts"
import { call } from "../value/Call.ts"
import { Dict, View } from "../value/Dict.ts"
import { elementsOf, iterate, listOf } from "../value/Iterate.ts"
import { repr, viewItems } from "../print/Repr.ts"
import { sortBy } from "../value/Sort.ts"
import { Float, Range, Tuple, Undefined, orElse } from "../value/Values.ts"

/** Index of the item in items[start:stop]; -1 if it is not there. */
const indexOf = (
  runtime: Runtime,
  items: ReadonlyArray<Value>,
  item: Value,
  start: Value | undefined,
  stop: Value | undefined
): number => {
  const clip = (bound: Value | undefined, absent: number) => {
    const index = integerOr(bound, absent)
    return index < 0 ? Math.max(0, index + items.length) : index
  }
  const end = Math.min(clip(stop, items.length), items.length)
  for (let index = clip(start, 0); index < end; index++) {
    runtime.tick(1)
    if (elementsEqual(runtime, items[index]!, item)) return index
  }
  return -1
}

const countOf = (runtime: Runtime, items: ReadonlyArray<Value>, item: Value): number => {
  let count = 0
  for (const other of items) {
    runtime.tick(1)
    if (elementsEqual(runtime, other, item)) count++
  }
  return count
}

const itemsOf = (self: Array<Value> | Tuple): ReadonlyArray<Value> => (self instanceof Tuple ? self.items : self)

const ofSequence = methodsOn<Array<Value> | Tuple>()

const sequenceMethods = (missing: (runtime: Runtime, item: Value) => string): ReadonlyArray<Native> => [
  ofSequence("index(self, value, start?, stop?, /)", (rt, self, item, start, stop) => {
    const index = indexOf(rt, itemsOf(self), item, start, stop)
    if (index < 0) throw valueFault(missing(rt, item))
    return index
  }),
  ofSequence("count(self, value, /)", (rt, self, item) => countOf(rt, itemsOf(self), item))
]

export const tupleMethods = sequenceMethods(() => "tuple.index(x): x not in tuple")

/** Charges for moving the elements after an index. */
const shift = (runtime: Runtime, items: Array<Value>): void => runtime.tick(1 + (items.length >> 4))

const pop = (runtime: Runtime, items: Array<Value>, at: Value | undefined): Value => {
  const wanted = integerOr(at, -1)
  if (items.length === 0) throw new Fault("Index", "pop from empty list")
  const index = wanted < 0 ? wanted + items.length : wanted
  if (!(index >= 0 && index < items.length)) throw new Fault("Index", "pop index out of range")
  shift(runtime, items)
  return items.splice(index, 1)[0]!
}

const extend = (runtime: Runtime, items: Array<Value>, more: Value): void => {
  // A list may be extended with itself, so the new elements are collected before any is added.
  for (const item of Array.isArray(more) ? more.slice() : elementsOf(runtime, more)) {
    runtime.alloc(8)
    items.push(item)
  }
}

const sort = (
  runtime: Runtime,
  items: Array<Value>,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined
): null => {
  if (args.length > 0) throw typeFault("sort() takes no positional arguments")
  const key = keywords?.get("key") ?? null
  const keyOf = key === null ? (item: Value) => item : (item: Value) => call(runtime, key, [item], undefined)
  const sorted = sortBy(runtime, items, keyOf, isTrue(keywords?.get("reverse") ?? false))
  sorted.forEach((item, index) => {
    items[index] = item
  })
  return null
}

const ofList = methodsOn<Array<Value>>()

export const listMethods: ReadonlyArray<Native> = [
  ...sequenceMethods((rt, item) => `${repr(rt, item)} is not in list`),
  ofList("append(self, object, /)", (rt, self, item) => {
    rt.alloc(8)
    self.push(item)
    return null
  }),
  ofList("extend(self, iterable, /)", (rt, self, more) => {
    extend(rt, self, more)
    return null
  }),
  ofList("insert(self, index, object, /)", (rt, self, index, item) => {
    rt.alloc(8)
    shift(rt, self)
    self.splice(asInteger(index), 0, item)
    return null
  }),
  ofList("pop(self, index?, /)", (rt, self, index) => pop(rt, self, index)),
  ofList("remove(self, value, /)", (rt, self, item) => {
    const index = indexOf(rt, itemsOf(self), item, undefined, undefined)
    if (index < 0) throw valueFault("list.remove(x): x not in list")
    shift(rt, self)
    self.splice(index, 1)
    return null
  }),
  ofList("clear(self, /)", (_rt, self) => {
    self.length = 0
    return null
  }),
  ofList("copy(self, /)", (rt, self) => listOf(rt, self)),
  ofList("reverse(self, /)", (rt, self) => {
    shift(rt, self)
    self.reverse()
    return null
  }),
  variadic("sort", (rt, [self, ...args], keywords) => sort(rt, self as Array<Value>, args, keywords))
]

/** `dict.update(other, **keywords)`; `name` is for messages. */
export const update = (
  runtime: Runtime,
  dict: Dict,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined,
  name: string
): void => {
  if (args.length > 1) throw typeFault(`${name} expected at most 1 argument, got ${args.length}`)
  const [other] = args
  if (other instanceof Dict) {
    for (const [key, value] of Array.from(other.entries())) put(runtime, dict, key, value)
  } else if (other instanceof Undefined) throw other.fault()
  else if (other !== undefined) updateFromPairs(runtime, dict, other)
  for (const [key, value] of keywords ?? []) put(runtime, dict, key, value)
}

const updateFromPairs = (runtime: Runtime, dict: Dict, pairs: Value): void => {
  const next = iterate(runtime, pairs)
  let index = 0
  for (let pair = next(); pair !== undefined; pair = next()) {
    const items = pairItems(runtime, pair, index)
    if (items.length !== 2) {
      throw valueFault(`dictionary update sequence element #${index} has length ${items.length}; 2 is required`)
    }
    put(runtime, dict, items[0]!, items[1]!)
    index++
  }
}

const pairItems = (runtime: Runtime, pair: Value, index: number): ReadonlyArray<Value> => {
  try {
    return elementsOf(runtime, pair)
  } catch (error) {
    if (error instanceof Fault && error.reason === "Type") {
      throw typeFault(`cannot convert dictionary update sequence element #${index} to a sequence`)
    }
    throw error
  }
}

const put = (runtime: Runtime, dict: Dict, key: Value, value: Value): void => {
  runtime.alloc(16)
  runtime.charge(key)
  dict.set(key, value)
}

const fromKeys = (runtime: Runtime, keys: Value, value: Value): Dict => {
  const dict = new Dict()
  const next = iterate(runtime, keys)
  for (let key = next(); key !== undefined; key = next()) put(runtime, dict, key, value)
  return dict
}

/** `dict.fromkeys`, which is also a method of the type itself. */
export const fromKeysMethod = native("fromkeys(self, iterable, value?, /)", (rt, _self, keys, value = null) =>
  fromKeys(rt, keys, value)
)

const ofDict = methodsOn<Dict>()

export const dictMethods: ReadonlyArray<Native> = [
  ofDict("items(self, /)", (_rt, self) => new View(self, "items")),
  ofDict("keys(self, /)", (_rt, self) => new View(self, "keys")),
  ofDict("values(self, /)", (_rt, self) => new View(self, "values")),
  ofDict("get(self, key, default?, /)", (_rt, self, key, absent = null) => orElse(self.get(key), () => absent)),
  ofDict("copy(self, /)", (rt, self) => {
    rt.alloc(self.size * 16)
    return self.copy()
  }),
  variadic("update", (rt, [self, ...args], keywords) => {
    update(rt, self as Dict, args, keywords, "update")
    return null
  }),
  ofDict("pop(self, key, default?, /)", (rt, dict, key, absent) => {
    const known = dict.get(key)
    const value = known === undefined ? absent : known
    if (value === undefined) throw new Fault("Key", repr(rt, key))
    dict.delete(key)
    return value
  }),
  ofDict("popitem(self, /)", (_rt, dict) => {
    const key = dict.lastKey()
    if (key === undefined) throw new Fault("Key", "'popitem(): dictionary is empty'")
    const item = new Tuple([key, dict.get(key)!])
    dict.delete(key)
    return item
  }),
  ofDict("setdefault(self, key, default?, /)", (rt, self, key, absent = null) => {
    const known = self.get(key)
    if (known === undefined) put(rt, self, key, absent)
    return known === undefined ? absent : known
  }),
  ofDict("clear(self, /)", (_rt, self) => {
    self.clear()
    return null
  }),
  fromKeysMethod
]

/** Methods of the keys and of the items of a dict; its values have none. */
export const viewMethods: ReadonlyArray<Native> = [
  methodsOn<View>()("isdisjoint(self, other, /)", (rt, view, other) => {
    return !viewItems(view).some((item) => contains(rt, item, other))
  })
]

const ofRange = methodsOn<Range>()

export const rangeMethods: ReadonlyArray<Native> = [
  ofRange("index(self, value, /)", (rt, range, value) => {
    if (!contains(rt, value, range)) throw valueFault(`${repr(rt, value)} is not in range`)
    const place = value instanceof Float ? value.value : asInteger(value)
    return (place - range.start) / range.step
  }),
  ofRange("count(self, value, /)", (rt, self, value) => (contains(rt, value, self) ? 1 : 0))
]
