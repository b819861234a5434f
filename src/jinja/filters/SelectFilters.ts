/** Filters that apply another filter or test, given by name, to each element. */
import { Fault } from "../runtime/Fault.ts"
import { variadic } from "../runtime/Native.ts"
import type { Native, Runtime, Keywords, Value } from "../value/Value.ts"
import { isTrue } from "../value/Compare.ts"
import { iterate, lazily } from "../value/Iterate.ts"
import { repr } from "../print/Repr.ts"
import { Undefined, isText, plain } from "../value/Values.ts"
import { type KeyOf, attributeGetter } from "./Attribute.ts"

/** Looks up a filter or test by a name that the template computed. */
const named = (runtime: Runtime, kind: "filter" | "test", name: Value): Native => {
  const all = kind === "filter" ? runtime.environment.filters : runtime.environment.tests
  const found = isText(name) ? all.get(plain(name)) : undefined
  if (found !== undefined) return found
  const unquoted =
    name instanceof Undefined ? ` (${name.fault().message}; did you forget to quote the callable name?)` : ""
  throw new Fault("Runtime", `No ${kind} named ${repr(runtime, name)}.${unquoted}`)
}

/** `native(item, *args, **keywords)`, at the cost of a call in the template. */
const apply = (
  runtime: Runtime,
  found: Native,
  item: Value,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined
): Value => {
  runtime.tick(2)
  runtime.charge(item)
  return found.call(runtime, [item, ...args], keywords)
}

const mapper = (runtime: Runtime, args: ReadonlyArray<Value>, keywords: Keywords | undefined): KeyOf => {
  if (args.length === 0 && keywords?.has("attribute") === true) {
    for (const name of keywords.keys()) {
      if (name === "attribute" || name === "default") continue
      throw new Fault("FilterArgument", `Unexpected keyword argument '${name}'`)
    }
    return attributeGetter(runtime, keywords.get("attribute"), keywords.get("default"))
  }
  const [name, ...rest] = args
  if (name === undefined) throw new Fault("FilterArgument", "map requires a filter argument")
  return (item) => apply(runtime, named(runtime, "filter", name), item, rest, keywords)
}

const map = variadic("sync_do_map", (runtime, [value = null, ...args], keywords) =>
  lazily("sync_do_map", () => {
    if (!isTrue(value)) return () => undefined
    const change = mapper(runtime, args, keywords)
    const next = iterate(runtime, value)
    return () => {
      const item = next()
      return item === undefined ? undefined : change(item)
    }
  })
)

const chooser = (
  runtime: Runtime,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined,
  byAttribute: boolean
): ((item: Value) => boolean) => {
  const [attribute, ...others] = args
  if (byAttribute && attribute === undefined) {
    throw new Fault("FilterArgument", "Missing parameter for attribute name")
  }
  const get = attributeGetter(runtime, byAttribute ? attribute : null)
  const [name, ...rest] = byAttribute ? others : args
  if (name === undefined) return (item) => isTrue(get(item))
  return (item) => {
    const value = get(item)
    return isTrue(apply(runtime, named(runtime, "test", name), value, rest, keywords))
  }
}

const choose = (name: string, keeps: boolean, byAttribute: boolean): Native =>
  variadic(`sync_do_${name}`, (runtime, [value = null, ...args], keywords) =>
    lazily("select_or_reject", () => {
      if (!isTrue(value)) return () => undefined
      const chosen = chooser(runtime, args, keywords, byAttribute)
      const next = iterate(runtime, value)
      return () => {
        for (let item = next(); item !== undefined; item = next()) if (chosen(item) === keeps) return item
        return undefined
      }
    })
  )

export const selectFilters: Readonly<Record<string, Native>> = {
  map,
  select: choose("select", true, false),
  reject: choose("reject", false, false),
  selectattr: choose("selectattr", true, true),
  rejectattr: choose("rejectattr", false, true)
}
