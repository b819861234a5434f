/**
 * Lets an unmodified LiquidJS plugin bring its filters to Jinja templates.
 *
 * The plugin gets what it takes for the engine that it extends. Its filters then run in a LiquidJS context of their
 * own, whose meters are the template's budget.
 */
import { Context, type FilterImplOptions, Liquid, type LiquidOptions, toValueSync } from "liquidjs"
import { builtinFilters } from "./filters/Filters.ts"
import type { Call, Example, Filter, Json, Plugin } from "./Plugin.ts"

/** What LiquidJS calls a plugin. */
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
  const filters: Record<string, Filter> = {}
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
  // Where the filter stands, which Liquid hands over as well; none of its own looks at it.
  const token = { name, args: [] }
  return (call, input, ...args) => {
    const context = contextOf(liquid, call)
    const self = { context, token, liquid } as unknown as ThisParameterType<typeof handler>
    return toValueSync(handler.apply(self, [input, ...args, ...Object.entries(call.named)])) as Json
  }
}

/** A context whose meters are the template's budget. */
const contextOf = (liquid: Liquid, { charge }: Call): Context => {
  const context = new Context({}, liquid.options, { sync: true, ownPropertyOnly: true })
  context.memoryLimit.use = (chars) => charge(0, chars)
  context.renderLimit.check = () => charge(1)
  return context
}
