/** Carries values between templates, which have Python's, and plugins, which have JSON. Everything is copied. */
import type { Tag, Native, Runtime, Keywords, Value } from "../../jinja/value/Value.ts"
import { Fault, limitFault } from "../../jinja/runtime/Fault.ts"
import { Builtin } from "../../jinja/runtime/Globals.ts"
import { variadic } from "../../jinja/runtime/Native.ts"
import type { Call, Filter, GlobalFunction, Json, Tag as PluginTag, Test } from "./Contract.ts"
import type { Budget } from "../../jinja/runtime/Limits.ts"
import { isIterable } from "../../jinja/value/Compare.ts"
import { Dict, type JsonValue } from "../../jinja/value/Dict.ts"
import { listOf } from "../../jinja/value/Iterate.ts"
import { text } from "../../jinja/print/Repr.ts"
import { Float, Markup, Undefined } from "../../jinja/value/Values.ts"

type MutableObject = { [name: string]: Json }

/** The value as JSON; a value without a JSON form becomes text. */
const toJson = (runtime: Runtime, value: Value, depth = 0): Json => {
  if (typeof value !== "object" || value === null) return value
  runtime.tick(1)
  if (depth > runtime.limits.valueDepth) throw limitFault("depth")
  if (value instanceof Float) return value.value
  if (value instanceof Markup) return value.text
  // Only the input of a filter or test may be undefined; it does not reach this function.
  if (value instanceof Undefined) throw value.fault()
  if (value instanceof Dict) {
    const object = Object.create(null) as MutableObject
    for (const [key, item] of value.entries()) {
      runtime.alloc(16)
      object[text(runtime, key)] = toJson(runtime, item, depth + 1)
    }
    return object
  }
  if (!isIterable(value)) return text(runtime, value)
  return listOf(runtime, value).map((item) => toJson(runtime, item, depth + 1))
}

/** A plugin's result as a value. Only own data properties are read; functions and the like become None. */
const fromJson = (runtime: Runtime, json: unknown, depth = 0): Value => {
  switch (typeof json) {
    case "string":
      runtime.alloc(json.length)
      return json
    case "boolean":
    case "bigint":
      return json
    case "number":
      return Number.isSafeInteger(json) ? json + 0 : new Float(json)
    case "object":
      return json === null ? null : fromObject(runtime, json, depth)
    default:
      return null
  }
}

const fromObject = (runtime: Runtime, json: object, depth: number): Value => {
  runtime.tick(1)
  if (depth > runtime.limits.valueDepth) throw limitFault("depth")
  if (Array.isArray(json)) {
    runtime.alloc(json.length * 8)
    return (json as ReadonlyArray<unknown>).map((item) => fromJson(runtime, item, depth + 1))
  }
  const dict = new Dict()
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(json))) {
    if (property.enumerable !== true || !("value" in property)) continue
    runtime.alloc(16)
    dict.set(name, fromJson(runtime, property.value, depth + 1))
  }
  return dict
}

const callOf = (runtime: Runtime, plugin: string, keywords: Keywords | undefined): Call => {
  const named = Object.create(null) as MutableObject
  for (const [key, value] of keywords ?? []) named[key] = toJson(runtime, value)
  return { named, plugin, charge: chargeTo(runtime) }
}

/** Lets a plugin pay from the budget of a run. */
export const chargeTo =
  (budget: Budget): Call["charge"] =>
  (work, chars = 0) => {
    budget.tick(Math.max(0, work))
    // The cost of a plugin's own work is unknown.
    budget.lookAtClock()
    budget.alloc(chars)
  }

/** Most characters of a plugin's message that a template's author sees. */
const messageChars = 200

/** Runs a plugin's function. Faults of the engine pass through; any other error becomes a fault of the plugin. */
export const guardPlugin = <A>(where: string, compute: () => A): A => {
  try {
    const result = compute()
    if (result instanceof Promise) {
      // Nobody awaits the promise; its rejection must not end the process.
      result.catch(() => undefined)
      throw new Error("returned a promise")
    }
    return result
  } catch (error) {
    throw pluginFault(where, error)
  }
}

export const pluginFault = (where: string, error: unknown): Error => {
  if (error instanceof Fault) return error
  if (error instanceof RangeError && /stack|string length|array length/i.test(error.message)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new Fault("Plugin", `${where}: ${message.slice(0, messageChars)}`)
}

const inputOf = (runtime: Runtime, value: Value | undefined): Json | undefined =>
  value === undefined || value instanceof Undefined ? undefined : toJson(runtime, value)

const resultOf = (runtime: Runtime, where: string, result: unknown): Value =>
  result === undefined
    ? new Undefined(() => new Fault("Undefined", `${where} gave nothing`))
    : fromJson(runtime, result)

/** A plugin's filter as a native of the engine. */
export const filterOf = (plugin: string, name: string, filter: Filter): Native => {
  const where = `${plugin}.${name}`
  return variadic(name, (runtime, [input, ...args], keywords) => {
    const call = callOf(runtime, plugin, keywords)
    const given = args.map((arg) => toJson(runtime, arg))
    const json = inputOf(runtime, input)
    return resultOf(
      runtime,
      where,
      guardPlugin(where, () => filter(call, json, ...given))
    )
  })
}

export const testOf = (plugin: string, name: string, test: Test): Native => filterOf(plugin, name, test)

/** A plugin's global function. */
export const globalOf = (plugin: string, name: string, global: GlobalFunction): Value => {
  const where = `${plugin}.${name}`
  return new Builtin(
    `function ${name}`,
    variadic(name, (runtime, args, keywords) => {
      const call = callOf(runtime, plugin, keywords)
      const given = args.map((arg) => toJson(runtime, arg))
      return resultOf(
        runtime,
        where,
        guardPlugin(where, () => global(call, ...given))
      )
    })
  )
}

/** A copy of plain data, without anything that could run. */
export const copyJson = (json: unknown): JsonValue => {
  if (typeof json === "object" && json !== null) {
    if (Array.isArray(json)) return (json as ReadonlyArray<unknown>).map(copyJson)
    return Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(json))
        .filter(([, property]) => property.enumerable === true && "value" in property)
        .map(([name, property]) => [name, copyJson(property.value)])
    )
  }
  if (typeof json === "number") return Number.isSafeInteger(json) ? json : new Float(json)
  return typeof json === "string" || typeof json === "boolean" || typeof json === "bigint" ? json : null
}

export const tagOf = (plugin: string, name: string, tag: PluginTag): Tag => ({
  body: tag.body,
  run: (runtime, args, keywords, body) => {
    const call = callOf(runtime, plugin, keywords)
    const given = args.map((arg) => toJson(runtime, arg))
    return String(guardPlugin(`${plugin}.${name}`, () => tag.run(call, given, body)))
  }
})
