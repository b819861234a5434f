/** The context of templates: an event as JSON text, and the values that plugins add. */
import type { JsonObject as PluginObject } from "./plugin/Contract.ts"
import { type ExactNumber, isRounded, parseExactly, withoutExact } from "../postgres/ExactJson.ts"
import { copyJson } from "./plugin/PluginBridge.ts"
import { parseJsonObject } from "../jinja/value/ContextJson.ts"
import { Dict, type JsonObject } from "../jinja/value/Dict.ts"

const nothing: PluginObject = {}

/** A number as plugins get it: an integer has all digits, a float is rounded. */
const forPlugins = (digits: string): bigint | number => (/[.e]/i.test(digits) ? Number(digits) : BigInt(digits))

export class Context {
  /** JSON text of an object. */
  private readonly text: string
  private object: JsonObject | undefined
  private readonly added: PluginObject

  constructor(text: string, added: PluginObject = nothing) {
    this.text = text
    this.added = added
  }

  /** The same with further names. */
  with(added: PluginObject): Context {
    return new Context(this.text, { ...this.added, ...added })
  }

  /** For Jinja: parsed once, with a new dict for each run, so templates do not see each other's changes. */
  dict(): Dict {
    this.object ??= this.parse()
    return new Dict(this.object)
  }

  private parse(): JsonObject {
    const parsed = parseJsonObject(this.text, isRounded)
    return this.added === nothing ? parsed : { ...parsed, ...(copyJson(this.added) as JsonObject) }
  }

  /** For other engines and for plugins: a copy per call. `longNumber` makes the numbers that JavaScript rounds. */
  plain(longNumber: (digits: string) => unknown = forPlugins): PluginObject {
    const made = new Map<string, unknown>()
    // One value for equal numbers: engines may compare references.
    const one = (number: ExactNumber): unknown => {
      const digits = number.toString()
      const known = made.get(digits) ?? longNumber(digits)
      made.set(digits, known)
      return known
    }
    return { ...(withoutExact(parseExactly(this.text), one) as PluginObject), ...structuredClone(this.added) }
  }

  /** Equal for equal events, so that random choices are the same when a template is rendered again (FNV-1a). */
  get seed(): number {
    let hash = 0x811c9dc5
    for (let i = 0; i < this.text.length; i++) hash = Math.imul(hash ^ this.text.charCodeAt(i), 0x01000193)
    return hash
  }
}
