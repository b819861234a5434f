/**
 * Lets an unmodified LiquidJS plugin bring its filters to Jinja templates.
 *
 * The plugin registers its filters with a stand-in for the Liquid engine. They run in a LiquidJS context of their own,
 * whose meters are the template's budget.
 */
import {
  Context,
  Drop,
  type FilterImplOptions,
  Liquid,
  type LiquidOptions,
  type RenderOptions,
  type Scope,
  toValueSync
} from "liquidjs"
import { builtinFilters } from "../../jinja/filters/Filters.ts"
import { LiquidNumber } from "./LiquidNumber.ts"
import type { Call, Example, Filter, Json, JsonObject, Plugin } from "./Contract.ts"

/** Names that a template may read of `forloop` and `tablerowloop`, which are objects of LiquidJS with methods. */
const loopProperties: ReadonlySet<unknown> = new Set(
  "index index0 rindex rindex0 first last length row col col0 col_first col_last".split(" ")
)

/**
 * A context whose lookups find own properties of plain data only. LiquidJS' own one exempts its drops (`forloop`,
 * `empty`, `blank`, `nil`) from `ownPropertyOnly`, and calls whatever function it finds: `forloop.next` would move the
 * loop, and `empty.constructor` reach a class.
 */
class PlainContext extends Context {
  override readProperty(object: unknown, key: string | number | Drop): unknown {
    // Drops such as `nil` and `empty` are no names of properties.
    if (typeof key === "object") return undefined
    if (object instanceof Drop) {
      return loopProperties.has(key) ? super.readProperty(object, key) : undefined
    }
    if (typeof object === "object" && object !== null && Object.hasOwn(object, key)) {
      const value = (object as Readonly<Record<string | number, unknown>>)[key]
      return typeof value === "function" ? undefined : value
    }
    return typeof object === "function" ? undefined : super.readProperty(object as Scope, key)
  }

  /** For expressions that a filter evaluates per item. */
  override spawn(scope: object = {}): Context {
    const { sync, globals, strictVariables, ownPropertyOnly, memoryLimit, renderLimit, liquid } = this
    const options = { sync, globals, strictVariables, ownPropertyOnly }
    return new PlainContext(scope, this.opts, options, { memoryLimit, renderLimit, ...(liquid && { liquid }) })
  }
}

/** Renders parsed templates with plain data. Names of the data have no prototype behind them. */
export const renderPlain = (
  liquid: Liquid,
  templates: Parameters<Liquid["renderSync"]>[0],
  data: JsonObject,
  options: RenderOptions
): string => {
  const context = new PlainContext({ __proto__: null, ...data }, liquid.options, { ...options, sync: true }, { liquid })
  return String(liquid.renderSync(templates, context))
}

/** A plugin in LiquidJS's sense. */
export type LiquidPlugin = (this: Liquid, liquid: typeof Liquid) => void

/**
 * The plugin's filters, by their own names where Jinja does not have the name, and all of them as `plugin.filter`.
 * Tags are left out: they are Liquid's syntax.
 */
export const fromLiquid = (
  name: string,
  plugin: LiquidPlugin,
  examples: ReadonlyArray<Example>,
  options: LiquidOptions = {}
): Plugin => {
  const filters = Object.create(null) as Record<string, Filter>
  const liquid = new Liquid({ ownPropertyOnly: true, ...options })
  const host = Object.create(liquid, {
    registerFilter: {
      value: (filterName: string, filter: FilterImplOptions) => {
        liquid.registerFilter(filterName, filter)
        const adapted = adapt(liquid, filterName, filter)
        if (!builtinFilters.has(filterName)) filters[filterName] = adapted
        filters[`${name}.${filterName}`] = adapted
      }
    },
    registerTag: { value: () => undefined }
  }) as Liquid
  plugin.call(host, Liquid)
  return { name, filters, examples }
}

const adapt = (liquid: Liquid, name: string, filter: FilterImplOptions): Filter => {
  const handler = typeof filter === "function" ? filter : filter.handler
  // The position of the filter, which Liquid passes as well; none of its own filters reads it.
  const token = { name, args: [] }
  return (call, input, ...args) => {
    const context = contextOf(liquid, call)
    const self = { context, token, liquid } as unknown as ThisParameterType<typeof handler>
    const given = [input, ...args, ...Object.entries(call.named)].map(withLongNumber)
    const result: unknown = toValueSync(handler.apply(self, given as Parameters<typeof handler>) as Json)
    return (result instanceof LiquidNumber ? result.json : result) as Json
  }
}

/** LiquidJS does not compute with bigints. */
const withLongNumber = (value: unknown): unknown => (typeof value === "bigint" ? new LiquidNumber(`${value}`) : value)

/** A context whose meters are the template's budget. */
const contextOf = (liquid: Liquid, { charge }: Call): Context => {
  const context = new PlainContext({}, liquid.options, { sync: true, ownPropertyOnly: true })
  context.memoryLimit.use = (chars) => charge(0, chars)
  context.renderLimit.check = () => charge(1)
  return context
}
