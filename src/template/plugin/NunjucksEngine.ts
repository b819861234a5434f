/**
 * Nunjucks as an engine, with the filters, tests and globals of all plugins. Like Jinja, it gives a plugin copies of
 * plain JSON, and copies what it returns.
 */
import { limitFault } from "../../jinja/runtime/Fault.ts"
import { compileNunjucks } from "../../nunjucks/Nunjucks.ts"
import {
  type Environment,
  type Run,
  Callable,
  LongNumber,
  type Native,
  type Obj,
  Opaque,
  type Value,
  emptyObject,
  isKeywords
} from "../../nunjucks/value/Values.ts"
import type { Call, Engine, Json, Library, Provided } from "./Contract.ts"
import { chargeTo, guardPlugin } from "./PluginBridge.ts"

const known = new WeakMap<Library, Environment>()

export const nunjucksEngine: Engine = {
  compile: (source, limits, library) => {
    const added = known.get(library) ?? environmentOf(library)
    known.set(library, added)
    return compileNunjucks(source, { limits, headers: limits.headers, added }) as ReturnType<Engine["compile"]>
  },
  longNumber: (digits) => new LongNumber(digits)
}

const environmentOf = ({ filters, tests, globals }: Library): Environment => ({
  filter: (name) => {
    const found = filters.get(name)
    return found && calling(name, found, true)
  },
  test: (name) => {
    const found = tests.get(name)
    return found && calling(name, found, true)
  },
  global: (run, name) => {
    const found = globals.get(name)
    if (found === undefined) return undefined
    const { plugin, part } = found
    return typeof part === "function" ? new Callable(calling(name, { plugin, part }, false)) : fromJson(run, part)
  }
})

type Callee = (call: Call, ...args: ReadonlyArray<Json>) => unknown

/** A plugin's function as one of the engine's. The input of a filter or test may be undefined. */
const calling = (name: string, { plugin, part }: Provided<unknown>, hasInput: boolean): Native => {
  const where = `${plugin}.${name}`
  return (run, ...all) => {
    const last = all.at(-1)
    const keywords = isKeywords(last) ? last : undefined
    const named = emptyObject() as { [name: string]: Json }
    for (const [key, value] of Object.entries(keywords ?? {})) {
      if (key !== "__keywords") named[key] = toJson(run, value)
    }
    const args = (keywords === undefined ? all : all.slice(0, -1)).map((value, at) =>
      hasInput && at === 0 && value === undefined ? undefined : toJson(run, value)
    )
    const call: Call = { named, plugin, charge: chargeTo(run) }
    return fromJson(
      run,
      guardPlugin(where, () => (part as Callee)(call, ...(args as ReadonlyArray<Json>)))
    )
  }
}

/** A copy of the value; undefined becomes null, and what is no JSON its text. */
const toJson = (run: Run, value: Value, depth = 0): Json => {
  if (value === undefined) return null
  if (typeof value !== "object" || value === null) return value
  run.tick(1)
  if (depth > run.limits.valueDepth) throw limitFault("depth")
  if (value instanceof LongNumber) return /[.e]/i.test(value.text) ? value.number : BigInt(value.text)
  if (value instanceof Opaque) return value.text
  if (Array.isArray(value)) {
    run.alloc(value.length * 8)
    return value.map((item) => toJson(run, item, depth + 1))
  }
  const object = emptyObject() as { [name: string]: Json }
  for (const [name, item] of Object.entries(value)) {
    run.alloc(16)
    object[name] = toJson(run, item, depth + 1)
  }
  return object
}

/** A copy of a plugin's result: only own data properties are read, and functions and the like become null. */
const fromJson = (run: Run, json: unknown, depth = 0): Value => {
  switch (typeof json) {
    case "string":
      run.alloc(json.length)
      return json
    case "number":
    case "boolean":
    case "undefined":
      return json
    case "bigint":
      return Number.isSafeInteger(Number(json)) ? Number(json) : new LongNumber(`${json}`)
    case "object":
      break
    default:
      return null
  }
  if (json === null) return null
  run.tick(1)
  if (depth > run.limits.valueDepth) throw limitFault("depth")
  if (Array.isArray(json)) {
    run.alloc(json.length * 8)
    return (json as ReadonlyArray<unknown>).map((item) => fromJson(run, item, depth + 1))
  }
  const object: Obj = emptyObject()
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(json))) {
    if (property.enumerable !== true || !("value" in property)) continue
    run.alloc(16)
    object[name] = fromJson(run, property.value, depth + 1)
  }
  return object
}
