/** Renders a template in this thread, and gives what came of it as data. */
import { Environment } from "../../src/jinja/Environment.ts"
import { PlacedFault, type TemplateFault } from "../../src/jinja/runtime/Fault.ts"
import { parseContext } from "../../src/jinja/value/ContextJson.ts"

export type Rendered =
  | { readonly output: string; readonly steps: number; readonly fault?: undefined }
  | { readonly fault: TemplateFault; readonly output?: undefined }

export const render = (source: string, context = "{}", environment = new Environment(), seed?: number): Rendered => {
  try {
    return environment.compile(source).measure(parseContext(context), seed)
  } catch (error) {
    if (error instanceof PlacedFault) return { fault: error.fault }
    throw error
  }
}
