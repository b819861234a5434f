/** Faults of the constraints of a permission in people's words. Pure. */
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { constraintLookups } from "../../inventory/derive/filter/Constraint.ts"
import { inSentence, pluralOf } from "../value/Title.ts"

/** Most names that are listed. */
const namesMax = 40

const namesOf = ({ fields }: ObjectType): string => {
  const names = Object.keys(fields).filter((name) => fields[name]!.wire === "both" || fields[name]!.wire === "read")
  return names.slice(0, namesMax).join(", ") + (names.length > namesMax ? " and others" : "")
}

/** Why a path such as `tenant__name` with its value is no constraint on objects of the type. */
const whyNot = (type: ObjectType, path: string): string => {
  const words = path.split("__")
  let there = type
  for (const [at, word] of words.entries()) {
    const own: ReadonlyMap<string, Field> = new Map(Object.entries(there.fields))
    const field = own.get(word)
    const isId = /^(id|pk)$/.test(word) || (field === undefined && own.has(word.replace(/_id$/, "")))
    if (isId) return lookupFault(path, words.slice(at + 1))
    if (field === undefined) {
      return at > 0 && constraintLookups.has(word)
        ? lookupFault(path, words.slice(at))
        : `${path}: ${inSentence(pluralOf(there))} have no field "${word}". Their fields: ${namesOf(there)}.`
    }
    if (field.reference === undefined) return lookupFault(path, words.slice(at + 1))
    there = objectType(field.reference.type)
  }
  return lookupFault(path, [])
}

const lookupFault = (path: string, [lookup = "exact", ...more]: ReadonlyArray<string>): string =>
  more.length > 0 || !constraintLookups.has(lookup)
    ? `${path}: there is no comparison "${[lookup, ...more].join("__")}". Use one of: ${[...constraintLookups].join(", ")}.`
    : `${path}: the value does not fit. A list is for in and range, true or false for isnull, and one value for all others.`

export const constraintInWords = (message: string): string => {
  const [, id = "", path = ""] = /^([\w.]+) has nothing to filter by ([^]*) with this value\.$/.exec(message) ?? []
  const type = registry.get(id)
  if (type !== undefined) return whyNot(type, path)
  return message.startsWith("Constraints are a dictionary or a list of them")
    ? `Write a JSON object such as {"status": "active"}, or a list of such objects.`
    : message
}
