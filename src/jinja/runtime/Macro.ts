/** Macros, and the `caller` that a call block passes to a macro. */
import { Fault, typeFault } from "./Fault.ts"
import { type Runtime, Callable, type Keywords, type Value } from "../value/Value.ts"
import { quote } from "../print/Repr.ts"
import { Markup, Tuple, Undefined } from "../value/Values.ts"
import { Dict } from "../value/Dict.ts"
import type { Slot } from "./Frame.ts"

/** The parameters of a macro. */
interface MacroShape {
  /** Undefined for the body of a call block. */
  readonly name: string | undefined
  readonly params: ReadonlyArray<string>
  readonly takesCaller: boolean
  readonly takesKeywords: boolean
  readonly takesRest: boolean
}

export class Macro extends Callable {
  readonly typeName = "Macro"
  private readonly shape: MacroShape
  private readonly body: (slots: ReadonlyArray<Slot>) => string

  /** `body` gets the parameters, then `caller`, `kwargs` and `varargs`, if it uses them. */
  constructor(shape: MacroShape, body: (slots: ReadonlyArray<Slot>) => string) {
    super()
    this.shape = shape
    this.body = body
  }

  override get module(): string {
    return "jinja2.runtime"
  }

  override call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    const slots = this.bind(args, keywords)
    runtime.enter()
    const text = this.body(slots)
    runtime.leave()
    return runtime.autoescape ? new Markup(text) : text
  }

  private bind(args: ReadonlyArray<Value>, keywords: Keywords | undefined): Array<Slot> {
    const { params, takesCaller, takesKeywords, takesRest } = this.shape
    const rest = new Map(keywords)
    const slots: Array<Slot> = args.slice(0, params.length)
    let foundCaller = slots.length === params.length && params.includes("caller")
    for (const name of params.slice(slots.length)) {
      slots.push(rest.get(name))
      rest.delete(name)
      foundCaller ||= name === "caller"
    }
    if (takesCaller && !foundCaller) {
      slots.push(rest.get("caller") ?? noCaller) // None counts as no caller
      rest.delete("caller")
    }
    if (takesKeywords) slots.push(Dict.of(rest))
    else this.refuseKeywords(rest)
    if (takesRest) slots.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length) {
      throw typeFault(`macro ${this.shown} takes not more than ${params.length} argument(s)`)
    }
    return slots
  }

  private refuseKeywords(rest: Keywords): void {
    const [name] = rest.keys()
    if (name === undefined) return
    throw typeFault(
      rest.has("caller")
        ? `macro ${this.shown} was invoked with two values for the special caller argument. This is most likely a bug.`
        : `macro ${this.shown} takes no keyword argument ${quote(name)}`
    )
  }

  private get shown(): string {
    return this.shape.name === undefined ? "None" : quote(this.shape.name)
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    const { shape } = this
    switch (name) {
      case "name":
        return shape.name ?? null
      case "arguments":
        return new Tuple(shape.params)
      case "catch_kwargs":
        return shape.takesKeywords
      case "catch_varargs":
        return shape.takesRest
      case "caller":
        return shape.takesCaller
      case "explicit_caller":
        return shape.params.includes("caller")
      default:
        return undefined
    }
  }

  override repr(): string {
    return `<Macro ${this.shape.name === undefined ? "anonymous" : quote(this.shape.name)}>`
  }
}

const noCaller = new Undefined(() => new Fault("Undefined", "No caller defined"))
