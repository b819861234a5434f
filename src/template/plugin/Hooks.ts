/** Lets plugins extend the context of every template before it is rendered. */
import type { Context } from "../Context.ts"
import { Fault } from "../../jinja/runtime/Fault.ts"
import type { JsonObject } from "./Contract.ts"
import { pluginFault } from "./PluginBridge.ts"
import type { LoadedPlugin } from "./PluginLoader.ts"

/** Time that a plugin gets to add to a context, milliseconds. */
const hookMillis = 200

/** Extends a context; undefined if no plugin does. */
export const extension = (
  plugins: ReadonlyArray<LoadedPlugin>
): ((context: Context) => Promise<Context>) | undefined => {
  const hooks = plugins.flatMap(({ plugin: { name, extendContext } }) =>
    extendContext === undefined ? [] : [{ name, extendContext }]
  )
  if (hooks.length === 0) return undefined
  return async (context) => {
    let extended = context
    for (const { name, extendContext } of hooks) {
      const known = extended.plain()
      const added = await within(name, async () => extendContext(Object.freeze(known)))
      for (const key of Object.keys(added)) {
        if (!Object.hasOwn(known, key)) continue
        throw new Fault("Plugin", `${name}.extendContext: the context has a ${key} already`)
      }
      extended = extended.with(added)
    }
    return extended
  }
}

const within = async (name: string, hook: () => Promise<JsonObject>): Promise<JsonObject> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${hookMillis} ms`)), hookMillis)
  })
  try {
    return await Promise.race([hook(), late])
  } catch (error) {
    throw pluginFault(`${name}.extendContext`, error)
  } finally {
    clearTimeout(timer)
  }
}
