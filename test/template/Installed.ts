/** Every shipped plugin in an environment of this thread, and templates rendered with it. */
import { Context } from "../../src/template/Context.ts"
import type { TemplateFault } from "../../src/jinja/runtime/Fault.ts"
import { findPlugins, readPlugins } from "../../src/template/plugin/PluginLoader.ts"
import { Renderer, faultOf } from "../../src/template/Renderer.ts"

export const shipped = await readPlugins(findPlugins([]))

export const renderer = new Renderer(shipped)

/** The output, or the fault. */
export const outcome = (
  source: string,
  context: unknown = {},
  { engine = "jinja", headers = false, by = renderer } = {}
): string | TemplateFault => {
  try {
    return by.template(source, engine, headers ? "headers" : "text")(new Context(JSON.stringify(context)))
  } catch (error) {
    return faultOf(error)
  }
}
