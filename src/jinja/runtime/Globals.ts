/** The globals of every template: range, dict, namespace, cycler, joiner, lipsum. */
import { Fault, typeFault, valueFault } from "./Fault.ts"
import { fromKeysMethod, update } from "../methods/Containers.ts"
import { BoundMethod, native, variadic } from "./Native.ts"
import { type Native, type Runtime, Callable, type Keywords, Obj, type Value, address } from "../value/Value.ts"
import { asInteger, integerOr } from "../value/Arguments.ts"
import { isTrue } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { repr } from "../print/Repr.ts"
import { Markup, Range, Tuple } from "../value/Values.ts"
import { loremIpsum } from "./LoremIpsum.ts"

/** A built-in function or class that templates call by name. */
export class Builtin extends Callable {
  readonly typeName: string
  private readonly shown: string
  private readonly native: Native

  /** `shown` is its text in Python: `function safe_range`, `class 'dict'`. */
  constructor(shown: string, implementation: Native) {
    super()
    this.typeName = shown.startsWith("class ") ? "type" : "function"
    this.shown = shown
    this.native = implementation
  }

  override call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    return this.native.call(runtime, args, keywords)
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return this.native === dict && name === "fromkeys" ? new BoundMethod(null, fromKeysMethod) : undefined
  }

  override repr(): string {
    return this.typeName === "type" ? `<${this.shown}>` : `<${this.shown} at ${address}>`
  }
}

/** Most elements of a range. */
const rangeMost = 100_000

const range = variadic("range", (_runtime, args, keywords) => {
  if (keywords !== undefined) throw typeFault("range() takes no keyword arguments")
  if (args.length === 0) throw typeFault("range expected at least 1 argument, got 0")
  if (args.length > 3) throw typeFault(`range expected at most 3 arguments, got ${args.length}`)
  const [first, second, step = 1] = args.map(asInteger)
  const [start, stop] = second === undefined ? [0, first!] : [first!, second]
  if (step === 0) throw valueFault("range() arg 3 must not be zero")
  const made = new Range(start, stop, step)
  if (made.size <= rangeMost) return made
  throw new Fault("Overflow", `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${rangeMost}).`)
})

const dict = variadic("dict", (runtime, args, keywords) => {
  const made = new Dict()
  update(runtime, made, args, keywords, "dict")
  return made
})

/** `namespace(a=1)`: names that `{% set ns.a = … %}` can change from inside a loop. */
export class Namespace extends Obj {
  readonly typeName = "Namespace"
  readonly names: Dict

  constructor(names: Dict) {
    super()
    this.names = names
  }

  override get module(): string {
    return "jinja2.utils"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return this.names.get(name)
  }

  override repr(runtime: Runtime): string {
    runtime.enter()
    const shown = `<Namespace ${repr(runtime, this.names)}>`
    runtime.leave()
    return shown
  }
}

/** `cycler('a', 'b')`: returns its values in turn. */
class Cycler extends Obj {
  readonly typeName = "Cycler"
  private readonly items: ReadonlyArray<Value>
  private position = 0

  constructor(items: ReadonlyArray<Value>) {
    super()
    this.items = items
  }

  override get module(): string {
    return "jinja2.utils"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    switch (name) {
      case "current":
        return this.items[this.position]
      case "items":
        return new Tuple(this.items)
      case "pos":
        return this.position
      case "next":
        return new BoundMethod(this, cyclerNext)
      case "reset":
        return new BoundMethod(this, cyclerReset)
      default:
        return undefined
    }
  }

  next(): Value {
    const item = this.items[this.position]!
    this.position = (this.position + 1) % this.items.length
    return item
  }

  reset(): void {
    this.position = 0
  }
}

const cyclerNext = { ...native("next(self)", (_rt, self) => (self as Cycler).next()), definedIn: "Cycler" }
const cyclerReset = {
  ...native("reset(self)", (_rt, self) => {
    ;(self as Cycler).reset()
    return null
  }),
  definedIn: "Cycler"
}

const cycler = variadic("Cycler", (_runtime, args, keywords) => {
  if (keywords !== undefined) throw typeFault("Cycler.__init__() got an unexpected keyword argument")
  if (args.length === 0) throw new Fault("Runtime", "at least one item has to be provided")
  return new Cycler(args.slice())
})

/** `joiner(', ')`: returns empty text on the first call, then the separator. */
class Joiner extends Callable {
  readonly typeName = "Joiner"
  private readonly separator: Value
  private used = false

  constructor(separator: Value) {
    super()
    this.separator = separator
  }

  override get module(): string {
    return "jinja2.utils"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return name === "sep" ? this.separator : name === "used" ? this.used : undefined
  }

  override call(_runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    if (args.length > 0 || keywords !== undefined) throw typeFault("Joiner.__call__() takes 1 positional argument")
    if (this.used) return this.separator
    this.used = true
    return ""
  }
}

const lipsum = native("generate_lorem_ipsum(n?, html?, min?, max?)", (runtime, n, html = true, min, max) => {
  const paragraphs = loremIpsum(runtime, integerOr(n, 5), integerOr(min, 20), integerOr(max, 100))
  if (!isTrue(html)) return paragraphs.join("\n\n")
  return new Markup(paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n"))
})

export const builtinGlobals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["range", new Builtin("function safe_range", range)],
  ["dict", new Builtin("class 'dict'", dict)],
  ["lipsum", new Builtin("function generate_lorem_ipsum", lipsum)],
  ["cycler", new Builtin("class 'jinja2.utils.Cycler'", cycler)],
  [
    "joiner",
    new Builtin(
      "class 'jinja2.utils.Joiner'",
      native("Joiner(sep?)", (_rt, sep = ", ") => new Joiner(sep))
    )
  ],
  [
    "namespace",
    new Builtin(
      "class 'jinja2.utils.Namespace'",
      variadic("dict", (runtime, args, keywords) => new Namespace(dict.call(runtime, args, keywords) as Dict))
    )
  ]
])
