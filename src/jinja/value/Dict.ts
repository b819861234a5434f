/**
 * Python's dict: ordered, and keyed by value: 1, 1.0 and True are one key, and tuples are compared by their elements. A
 * dict from JSON keeps the parser's object until something other than a look-up by name is done: most templates read a
 * few fields of a large event.
 */
import { typeFault } from "../runtime/Fault.ts"
import { Bytes, Float, Markup, Tuple, Undefined, typeName } from "./Values.ts"
import { Obj, type Value } from "./Value.ts"

/** The hash of a key. Equal keys have equal hashes. */
type HashKey = string | number | bigint | null | Obj

/** Prefix of hash keys that are no plain strings; a string that starts with it gets another one. */
const mark = "\0"

/** A JSON object of the parser. Only own properties are read, and the object itself is never passed on. */
export type JsonObject = { [name: string]: JsonValue }
export type JsonValue = null | boolean | number | bigint | string | Float | Array<JsonValue> | JsonObject

export class Dict extends Obj {
  readonly typeName = "dict"
  private map: Map<HashKey, Value> | undefined
  /** The original keys of hash keys that differ from them: `{True: 1}` prints True. */
  private keyValues: Map<HashKey, Value> | undefined
  private json: JsonObject | undefined

  constructor(json?: JsonObject) {
    super()
    this.json = json
    if (json === undefined) this.map = new Map()
  }

  static of(entries: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict()
    for (const [key, value] of entries) dict.set(key, value)
    return dict
  }

  /** The value of a name: an identifier of the template, or another string that does not start with NUL. */
  getName(name: string): Value | undefined {
    const known = this.map?.get(name)
    if (known !== undefined || this.json === undefined || !Object.hasOwn(this.json, name)) return known
    const value = this.json[name]!
    if (typeof value === "string") return value
    const adopted = adopt(value)
    // Kept, because the next look-up must return the same list or dict.
    if (typeof adopted === "object" && adopted !== null) (this.map ??= new Map()).set(name, adopted)
    return adopted
  }

  get(key: Value): Value | undefined {
    if (typeof key === "string" && !key.startsWith(mark)) return this.getName(key)
    return this.entriesMap().get(hashKey(key))
  }

  has(key: Value): boolean {
    if (this.json !== undefined && typeof key === "string") return Object.hasOwn(this.json, key)
    return this.entriesMap().has(hashKey(key))
  }

  set(key: Value, value: Value): void {
    const map = this.entriesMap()
    const hash = hashKey(key)
    if (hash !== key && !map.has(hash)) (this.keyValues ??= new Map()).set(hash, key)
    map.set(hash, value)
  }

  delete(key: Value): boolean {
    const hash = hashKey(key)
    this.keyValues?.delete(hash)
    return this.entriesMap().delete(hash)
  }

  clear(): void {
    this.entriesMap().clear()
    this.keyValues?.clear()
  }

  override get size(): number {
    return this.entriesMap().size
  }

  /** Cost of reading the dict. Untouched JSON costs nothing, because the event is bounded where it is created. */
  get weight(): number {
    return this.json === undefined ? this.map!.size : 0
  }

  copy(): Dict {
    const copy = new Dict()
    copy.map = new Map(this.entriesMap())
    if (this.keyValues !== undefined) copy.keyValues = new Map(this.keyValues)
    return copy
  }

  *entries(): IterableIterator<[Value, Value]> {
    const { keyValues } = this
    for (const [hash, value] of this.entriesMap()) yield [keyOf(hash, keyValues), value]
  }

  keys(): Array<Value> {
    const { keyValues } = this
    return Array.from(this.entriesMap().keys(), (hash) => keyOf(hash, keyValues))
  }

  /** The key that was added last. */
  lastKey(): Value | undefined {
    return this.keys().at(-1)
  }

  values(): Array<Value> {
    return Array.from(this.entriesMap().values())
  }

  private entriesMap(): Map<HashKey, Value> {
    if (this.json === undefined) return this.map!
    const { json, map: adopted } = this
    const map = new Map<HashKey, Value>()
    for (const name of Object.keys(json)) {
      const hash = name.startsWith(mark) ? mark + name : name
      if (hash !== name) (this.keyValues ??= new Map()).set(hash, name)
      const known = adopted?.get(name)
      map.set(hash, known === undefined ? adopt(json[name]!) : known)
    }
    this.json = undefined
    this.map = map
    return map
  }
}

/** The original key of a hash key. None is its own hash key, so a stored original is never null. */
const keyOf = (hash: HashKey, keyValues: Map<HashKey, Value> | undefined): Value => keyValues?.get(hash) ?? hash

/**
 * Converts a value of the JSON parser to a template value. Numbers that are not integers are floats; ContextJson.ts has
 * already put a Float for 1.0.
 */
export const adopt = (json: JsonValue): Value => {
  if (typeof json === "number") return Number.isInteger(json) ? json + 0 : new Float(json)
  if (typeof json !== "object" || json === null || json instanceof Float) return json
  return Array.isArray(json) ? json.map(adopt) : new Dict(json)
}

/** The hash of a key; throws a Type fault for lists and dicts. The caller charges for it: `Runtime.charge(key)`. */
export const hashKey = (key: Value): HashKey => {
  switch (typeof key) {
    case "string":
      return key.startsWith(mark) ? mark + key : key
    case "boolean":
      return Number(key)
    case "number":
    case "bigint":
      return key
    default:
      return key === null ? null : hashObject(key)
  }
}

const hashObject = (key: Array<Value> | Obj): HashKey => {
  if (key instanceof Markup) return hashKey(key.text)
  if (key instanceof Float) return hashFloat(key)
  if (key instanceof Tuple) return mark + key.items.map(hashPart).join(",")
  if (key instanceof Undefined) return undefinedKey
  if (key instanceof Bytes) return `${mark}b${Buffer.from(key.bytes).toString("latin1")}`
  const changes = Array.isArray(key) || key instanceof Dict || (key instanceof View && key.what !== "values")
  if (changes) throw typeFault(`unhashable type: '${typeName(key)}'`)
  return key
}

/** All undefined values are equal, so they are one key. */
const undefinedKey = new Tuple([])

const hashFloat = (key: Float): HashKey => {
  const { value } = key
  if (Number.isSafeInteger(value)) return value + 0
  if (Number.isInteger(value)) return BigInt(value)
  // Each NaN is a separate key.
  return Number.isNaN(value) ? key : value
}

const identities = new WeakMap<Obj, number>()
let identityCount = 0

/** Encodes a part of a tuple's hash key unambiguously: different lists of parts give different keys. */
const hashPart = (part: Value): string => {
  const hash = hashKey(part)
  if (typeof hash === "string") return `${hash.length}:${hash}`
  if (!(hash instanceof Obj)) return `${hash}`
  let identity = identities.get(hash)
  if (identity === undefined) identities.set(hash, (identity = ++identityCount))
  return `#${identity}`
}

/** `dict.keys()`, `dict.values()`, `dict.items()`: a view of a dict, not a copy. */
export class View extends Obj {
  readonly typeName: string
  readonly dict: Dict
  readonly what: "keys" | "values" | "items"

  constructor(dict: Dict, what: "keys" | "values" | "items") {
    super()
    this.typeName = `dict_${what}`
    this.dict = dict
    this.what = what
  }

  override get size(): number {
    return this.dict.size
  }
}
