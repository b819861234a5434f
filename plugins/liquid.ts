/**
 * Adds Liquid's built-in filters to Jinja templates, and Liquid as a second engine.
 *
 * If Jinja has a filter of the same name, Jinja's stays and Liquid's is `liquid.name`. Dates without an offset are in
 * UTC. No result depends on the clock or on chance, because each retry of a delivery renders the template again.
 */
import { Drop, type FilterImplOptions, Liquid, type LiquidOptions, filters, toValueSync } from "liquidjs"
import {
  EngineFault,
  type Call,
  type EngineLimits,
  type Filter,
  type Json,
  type JsonObject,
  type Library,
  type Provided,
  LiquidNumber,
  definePlugin,
  fromLiquid,
  jsonInteger,
  jsonText,
  renderPlain
} from "#plugin"

const options: LiquidOptions = {
  ownPropertyOnly: true,
  strictFilters: true,
  dynamicPartials: false,
  templates: {},
  timezoneOffset: 0,
  locale: "en-US"
}

type Handler = Extract<FilterImplOptions, (...args: never) => unknown>

const handlerOf = (name: string): Handler => {
  const filter = filters[name]!
  return typeof filter === "function" ? filter : filter.handler
}

const builtins = function (this: Liquid): void {
  for (const name of Object.keys(filters)) this.registerFilter(name, handlerOf(name))
  for (const name of ["date", "date_to_xmlschema", "date_to_rfc822", "date_to_string", "date_to_long_string"]) {
    this.registerFilter(name, onDate(handlerOf(name)))
  }
  for (const name of Object.keys(filters).filter((name) => name.endsWith("_exp"))) {
    this.registerFilter(name, paidByItem(handlerOf(name)))
  }
  for (const name of ["json", "jsonify", "inspect"]) this.registerFilter(name, withDigits(handlerOf(name)))
  this.registerFilter("slice", withNumbers(handlerOf("slice")))
  this.registerFilter("sample", sample)
}

const onDate = (handler: Handler): Handler =>
  function (value: unknown, ...args) {
    if (value === "now" || value === "today") throw new Error("there is no now in a template: use its timestamp")
    const bare = typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(value)
    return handler.call(this, bare ? `${value}Z` : value, ...args) as unknown
  }

/** Converts arguments to numbers: LiquidJS would parse a text of digits again at each step of its loop. */
const withNumbers = (handler: Handler): Handler =>
  function (value: unknown, ...args) {
    return handler.call(this, value, ...args.map(Number)) as unknown
  }

/** Lets a filter that writes JSON write long integers, which JSON.stringify refuses. */
const withDigits = (handler: Handler): Handler =>
  function (value: unknown, ...args) {
    return handler.call(this, writable(value), ...args) as unknown
  }

/** The value with an object that is written as its digits for each long integer; the same value where there is none. */
const writable = (value: unknown, depth = 0): unknown => {
  if (typeof value === "bigint") return jsonInteger(value)
  if (typeof value !== "object" || value === null || value instanceof Drop || depth > depthMax) return value
  const entries = Object.entries(value)
  const written = entries.map(([name, item]) => [name, writable(item, depth + 1)] as const)
  if (written.every(([, item], at) => item === entries[at]![1])) return value
  return Array.isArray(value) ? written.map(([, item]) => item) : Object.fromEntries(written)
}

/** Charges for an expression that is evaluated for each item, which LiquidJS' meters do not count. */
const paidByItem = (handler: Handler): Handler =>
  function (items: unknown, ...args) {
    const count = Array.isArray(items) ? items.length : 1
    this.context.memoryLimit.use(String(args[1]).length * (count + 1))
    return handler.call(this, items, ...args) as unknown
  }

/** `count` of the items, in a mixed order that depends on the list only. */
const sample: Handler = function (items: unknown, count: unknown = 1) {
  const all = Array.isArray(items) ? (items as ReadonlyArray<unknown>) : [...String(items ?? "")]
  this.context.memoryLimit.use(all.length * 64)
  const mixed = all
    .map((item, index) => ({ item, order: mix(`${index} ${jsonText(item as Json)}`) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
  return count === 1 ? mixed[0] : mixed.slice(0, Number(count))
}

/** FNV-1a */
const mix = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** Deepest nesting of lists and objects that a filter of another plugin gets. */
const depthMax = 100

/** A copy of plain data, paid as it is made: a list may hold another one twice, and so on. */
const copied = (value: unknown, pay: (chars: number) => void, depth = 0): Json => {
  const found = toValueSync(value as Json) as unknown
  if (found instanceof LiquidNumber) return found.json
  if (typeof found === "string") {
    pay(found.length)
    return found
  }
  if (typeof found === "number" || typeof found === "boolean" || typeof found === "bigint") return found
  if (typeof found !== "object" || found === null || found instanceof Drop) return null
  if (depth > depthMax) throw new Error("a value is nested too deeply")
  const entries = Object.entries(found)
  pay(entries.length * 16 + 1)
  const items = entries.map(([name, item]): [string, Json] => [name, copied(item, pay, depth + 1)])
  return Array.isArray(found) ? items.map(([, item]) => item) : Object.fromEntries(items)
}

/** A filter of another plugin, which sees copies of plain JSON and pays from the template's meters. */
const provided = (name: string, { plugin, part }: Provided<Filter>): Handler =>
  function (input: unknown, ...args) {
    const { memoryLimit, renderLimit } = this.context
    const charge: Call["charge"] = (work, chars = 0) => {
      memoryLimit.use(Math.max(0, work) + chars)
      renderLimit.check(performance.now())
    }
    const plain = (value: unknown): Json => copied(value, (chars) => memoryLimit.use(chars))
    // The tokens tell which arguments have a name; such an argument is a pair.
    const isNamed = (_: unknown, at: number) => Array.isArray(this.token.args[at])
    const pairs = args.filter(isNamed) as ReadonlyArray<readonly [string, unknown]>
    const named = Object.fromEntries(pairs.map(([key, value]) => [key, plain(value)]))
    const positional = args.filter((arg, at) => !isNamed(arg, at)).map(plain)
    const result: unknown = part({ named, plugin, charge }, input === undefined ? input : plain(input), ...positional)
    if (result instanceof Promise) {
      result.catch(() => undefined)
      throw new Error(`${plugin}.${name}: returned a promise`)
    }
    return result === undefined ? result : plain(result)
  }

/** With `headers`, a printed value must not contain a line break. */
const makeLiquid = (headers: boolean, library: Library): Liquid => {
  const print: Handler = function (value) {
    // Liquid's filter converts the value to text and charges for it.
    const text = String(handlerOf("append").call(this, value, ""))
    if (headers && /[\r\n]/.test(text)) throw new Error("a header cannot hold a line break")
    return text
  }
  const liquid = new Liquid({ ...options, outputEscape: print })
  for (const tag of ["include", "render", "layout", "block"]) delete liquid.tags[tag]
  for (const [name, filter] of library.filters) liquid.registerFilter(name, provided(name, filter))
  // Last, because Liquid's own filters win.
  liquid.plugin(builtins)
  return liquid
}

interface Engines {
  readonly body: Liquid
  readonly headers: Liquid
}

const known = new WeakMap<Library, Engines>()

const enginesOf = (library: Library): Engines => {
  const engines = known.get(library) ?? { body: makeLiquid(false, library), headers: makeLiquid(true, library) }
  known.set(library, engines)
  return engines
}

const compile = (source: string, { headers, memoryChars, cpuMillis }: EngineLimits, library: Library) => {
  const engines = enginesOf(library)
  const liquid = headers ? engines.headers : engines.body
  const templates = guarded(() => liquid.parse(source))
  // LiquidJS measures elapsed time, and the thread may have to share a core.
  const renderLimit = 4 * cpuMillis
  return (context: JsonObject): string =>
    guarded(() => renderPlain(liquid, templates, context, { memoryLimit: memoryChars, renderLimit }))
}

const guarded = <A>(compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    throw faultOf(error as Error)
  }
}

/** The properties that Liquid adds to an error with a known position. */
interface Placed {
  readonly token?: { readonly getPosition: () => [line: number, column: number] }
  readonly originalError?: Error
}

const faultOf = (error: Error & Placed): EngineFault => {
  const [line, column] = error.token?.getPosition() ?? [0, 0]
  const cause = error.originalError ?? error
  const message = cause.message.replace(/, line:\d+, col:\d+$/, "")
  const limit = limitOf(cause)
  if (limit !== undefined)
    return new EngineFault("Limit", `the template passed its ${limit} limit`, { line, column, limit })
  return new EngineFault(error.name === "RenderError" ? "Value" : "Syntax", message, { line, column })
}

const limitOf = ({ name, message }: Error): EngineFault["limit"] => {
  if (name === "RangeError") return /stack/.test(message) ? "nesting" : "memory"
  if (!message.endsWith("limit exceeded")) return undefined
  return message.startsWith("memory") ? "memory" : "time"
}

export default definePlugin({
  ...fromLiquid("liquid", builtins, [], options),
  description: "Liquid's filters, and Liquid as an engine.",
  engines: { liquid: { compile, longNumber: (digits) => new LiquidNumber(digits) } },
  examples: [
    {
      template: "{{ 'a-b c'|slugify }} {{ [3, 1, 2]|liquid.sort|join }} {{ 'Abc'|downcase }}",
      expect: "a-b-c 123 abc"
    },
    { template: "{{ 7|divided_by(2) }} {{ 4.6|ceil }} {{ 3|at_most(2) }}", expect: "3.5 5 2" },
    { template: "{{ '2024-05-06 07:08'|date('%d.%m.%Y %H:%M %z') }}", expect: "06.05.2024 07:08 +0000" },
    {
      template: "{{ [{'n': 1, 'on': true}, {'n': 2, 'on': false}]|where('on', true)|map(attribute='n')|join }}",
      expect: "1"
    },
    { template: "{{ [1, 2, 3]|where_exp('n', 'n > 1')|join(' ') }}", expect: "2 3" },
    { template: "{{ 'now'|date('%Y') }}", expect: { error: "Plugin" } },
    {
      template: "{% for tag in tags %}{{ tag | upcase }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
      engine: "liquid",
      context: { tags: ["core", "lab"] },
      expect: "CORE, LAB"
    },
    {
      template: "{{ event.constructor }}{{ event.size }}",
      engine: "liquid",
      context: { event: { a: 1 } },
      expect: "1"
    },
    { template: "{% include 'x' %}", engine: "liquid", expect: { error: "Syntax" } },
    { template: "{{ 1 | nosuch }}", engine: "liquid", expect: { error: "Syntax" } },
    { template: "{% for i in (1..1000000000) %}{% endfor %}", engine: "liquid", expect: { error: "Limit" } }
  ]
})
