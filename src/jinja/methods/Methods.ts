/** The methods of each type of value. */
import { variadic } from "../runtime/Native.ts"
import type { Native, Value } from "../value/Value.ts"
import { typeFault } from "../runtime/Fault.ts"
import { Dict, View } from "../value/Dict.ts"
import { format, formatMap } from "../print/Format.ts"
import { Bytes, Float, Markup, Range, Tuple } from "../value/Values.ts"
import { dictMethods, listMethods, rangeMethods, tupleMethods, viewMethods } from "./Containers.ts"
import { markupMethods } from "./MarkupMethods.ts"
import { bytesMethods, floatMethods, integerMethods } from "./Scalars.ts"
import { searchMethods } from "./TextSearch.ts"
import { shapeMethods } from "./TextShape.ts"

const table = (methods: ReadonlyArray<Native>): ReadonlyMap<string, Native> =>
  new Map(methods.map((method) => [method.name, method]))

/** These two handle Markup themselves. */
const formatMethods: ReadonlyArray<Native> = [
  variadic("format", (rt, [self, ...args], keywords) => format(rt, self as string | Markup, args, keywords)),
  variadic("format_map", (rt, [self, ...args], keywords) => {
    if (keywords !== undefined) throw typeFault("format_map() takes no keyword arguments")
    if (args.length !== 1) throw typeFault(`format_map() takes exactly one argument (${args.length} given)`)
    return formatMap(rt, self as string | Markup, args[0]!)
  })
]

const textMethods = [...searchMethods, ...shapeMethods]
const ofText = table([...textMethods, ...formatMethods])
const ofMarkup = table([...markupMethods(textMethods), ...formatMethods])
const ofList = table(listMethods)
const ofTuple = table(tupleMethods)
/** A dict's methods. They hide its items: `d.items` is the method whatever the dict contains. */
export const ofDict = table(dictMethods)
const ofView = table(viewMethods)
const ofRange = table(rangeMethods)
const ofInteger = table(integerMethods)
const ofFloat = table(floatMethods)
const ofBytes = table(bytesMethods)

/** The methods of builtin types; undefined for other types, whose methods come from `Obj.attribute`. */
export const methodsOf = (value: Value): ReadonlyMap<string, Native> | undefined => {
  switch (typeof value) {
    case "string":
      return ofText
    case "object":
      if (value === null) return undefined
      if (value instanceof Dict) return ofDict
      if (Array.isArray(value)) return ofList
      if (value instanceof Markup) return ofMarkup
      if (value instanceof Tuple) return ofTuple
      if (value instanceof View) return value.what === "values" ? undefined : ofView
      if (value instanceof Float) return ofFloat
      if (value instanceof Range) return ofRange
      return value instanceof Bytes ? ofBytes : undefined
    default:
      return ofInteger
  }
}
