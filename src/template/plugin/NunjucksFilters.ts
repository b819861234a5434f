/**
 * Lets an unmodified collection of nunjucks filters work in the templates of every engine.
 *
 * Its functions see plain objects, keyword arguments as nunjucks passes them, and a stand-in for nunjucks' context.
 */
import { builtinFilters } from "../../jinja/filters/Filters.ts"
import { builtinTests } from "../../jinja/runtime/Tests.ts"
import { jsonText } from "./JsonText.ts"
import type { Call, Example, Filter, GlobalFunction, Json, Plugin, Test } from "./Contract.ts"

type Callee = (...args: ReadonlyArray<unknown>) => unknown

/** The arguments of nunjucks' `addFilter`, `addTest` and `addGlobal`, by name. */
export interface NunjucksCollection {
  readonly filters?: Readonly<Record<string, Callee>>
  readonly tests?: Readonly<Record<string, Callee>>
  readonly globals?: Readonly<Record<string, Json | Callee>>
}

/** The other form of a collection: a function that adds to an environment. */
type Install = (environment: {
  readonly addFilter: (name: string, filter: Callee, isAsync?: boolean) => void
  readonly addTest: (name: string, test: Callee) => void
  readonly addGlobal: (name: string, global: Json | Callee) => void
}) => void

/**
 * The collection's filters and tests by their own names where Jinja does not have the name, the filters also as
 * `plugin.filter`. Throws if one of them is asynchronous, because templates are rendered synchronously.
 */
export const fromNunjucks = (
  name: string,
  collection: NunjucksCollection | Install,
  examples: ReadonlyArray<Example>
): Plugin => {
  const filters = Object.create(null) as Record<string, Filter>
  const tests = Object.create(null) as Record<string, Test>
  const globals = Object.create(null) as Record<string, Json | GlobalFunction>
  const environment = {
    addFilter: (filterName: string, filter: Callee, isAsync = false) => {
      const adapted = adapt(name, "filter", filterName, filter, isAsync)
      if (!builtinFilters.has(filterName)) filters[filterName] = adapted
      filters[`${name}.${filterName}`] = adapted
    },
    addTest: (testName: string, test: Callee) => {
      const adapted = adapt(name, "test", testName, test)
      if (!builtinTests.has(testName)) tests[testName] = (...args) => adapted(...args) === true
    },
    addGlobal: (globalName: string, global: Json | Callee) => {
      if (typeof global !== "function") return void (globals[globalName] = global)
      const adapted = adapt(name, "global", globalName, global)
      globals[globalName] = (call, ...args) => adapted(call, ...args)
    }
  }
  if (typeof collection === "function") collection(environment)
  else {
    for (const [each, filter] of Object.entries(collection.filters ?? {})) environment.addFilter(each, filter)
    for (const [each, test] of Object.entries(collection.tests ?? {})) environment.addTest(each, test)
    for (const [each, global] of Object.entries(collection.globals ?? {})) environment.addGlobal(each, global)
  }
  return { name, filters, tests, globals, examples }
}

type FilterAdapter = (call: Call, ...args: ReadonlyArray<Json | undefined>) => Json | undefined

/** The `this` of functions of a collection. */
const context = { ctx: {}, env: { opts: { autoescape: false, throwOnUndefined: false } } }

const adapt = (plugin: string, kind: string, name: string, own: Callee, isAsync = false): FilterAdapter => {
  if (isAsync || Object.prototype.toString.call(own) === "[object AsyncFunction]") {
    throw new Error(`nunjucks ${kind} ${plugin}.${name} is asynchronous: templates are rendered synchronously`)
  }
  return (call, ...args) => {
    const given = args.map((arg) => ordinary(call, arg))
    if (Object.keys(call.named).length > 0) given.push({ ...(ordinary(call, call.named) as object), __keywords: true })
    const result = own.apply(context, given)
    return (isSafeText(result) ? String(result) : result) as Json | undefined
  }
}

/** Nunjucks' safe text, whichever copy of the package made it. */
const isSafeText = (value: unknown): boolean =>
  typeof value === "object" && value !== null && String.prototype.isPrototypeOf(value)

/** With the prototypes that a collection expects. Also for names such as `__proto__`, which JSON.parse keeps. */
const ordinary = (call: Call, json: Json | undefined): unknown => {
  if (typeof json !== "object" || json === null) return json
  const text = jsonText(json)
  call.charge(text.length >> 6, text.length)
  return JSON.parse(text)
}
