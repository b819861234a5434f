/** Runs the examples of plugins: they are both tests and documentation. */
import { Context } from "../Context.ts"
import { extension } from "./Hooks.ts"
import type { Example } from "./Contract.ts"
import { type LoadedPlugin, PluginRefused } from "./PluginLoader.ts"
import { type Renderer, faultOf } from "../Renderer.ts"

/**
 * Refuses the first plugin that has an example with another result than it says, or a ready template with a fault.
 */
export const runExamples = async (plugins: ReadonlyArray<LoadedPlugin>, renderer: Renderer): Promise<void> => {
  const extend = extension(plugins)
  for (const { plugin } of plugins) {
    for (const example of plugin.examples) {
      const context = new Context(JSON.stringify(example.context ?? {}))
      const got = await outcome(example, renderer, async () => (await extend?.(context)) ?? context)
      const wanted = typeof example.expect === "string" ? example.expect : `fault: ${example.expect.error}`
      if (got !== wanted) throw differs(plugin.name, example.template, got, wanted)
    }
    for (const [name, { body, headers, engine = "jinja" }] of Object.entries(plugin.templates ?? {})) {
      const fault = renderer.check(body, engine) ?? renderer.check(headers ?? "", engine)
      if (fault === undefined) continue
      throw new PluginRefused(
        "Example",
        `plugin ${plugin.name}: template ${name}: line ${fault.line}: ${fault.message}`
      )
    }
  }
}

const outcome = async (example: Example, renderer: Renderer, context: () => Promise<Context>): Promise<string> => {
  try {
    return renderer.template(example.template, example.engine ?? "jinja")(await context())
  } catch (error) {
    const { reason, message } = faultOf(error)
    const expected = typeof example.expect === "object" && example.expect.error === reason
    return expected ? `fault: ${reason}` : `fault: ${reason}: ${message}`
  }
}

const differs = (plugin: string, template: string, got: string, wanted: string): PluginRefused =>
  new PluginRefused(
    "Example",
    `plugin ${plugin}: example ${JSON.stringify(template)} gave ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`
  )
