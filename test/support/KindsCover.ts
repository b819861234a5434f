/**
 * The smallest set of object types that together have every kind of field: tests of the first two tiers do for these what
 * the long tier does for all types. The set follows from the declarations, so a new kind of field is covered by itself.
 */
import type { Field } from "../../src/inventory/Field.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"

/** The kind of a field: its grammar, its reference, or the type of its column with its format and its limits. */
export const kindOf = ({ type, format, choices, reference, generic, grammar, wire, hides, sealed }: Field): string => {
  const extras = [
    ...(wire === "both" ? [] : [wire]),
    ...(hides === undefined ? [] : ["hides"]),
    ...(sealed === true ? ["sealed"] : [])
  ]
  const kind = (...parts: ReadonlyArray<string | undefined>) => [...parts, ...extras].filter(Boolean).join(" ")
  if (grammar !== undefined) return kind("grammar", typeof grammar === "string" ? grammar : grammar.name)
  if (generic !== undefined) return kind("generic reference")
  if (reference?.ends !== undefined) return kind("terminations")
  if (reference !== undefined) return kind(reference.many ? "references" : "reference")
  if (choices !== undefined) return kind("choice", type)
  return kind(type.replace(/\(.*\)/, ""), format)
}

/** The kinds of the fields that requests may write. */
export const writtenKinds = ({ fields }: ObjectType): ReadonlyArray<string> =>
  Object.values(fields)
    .filter(({ wire }) => wire === "both" || wire === "write" || wire === "once")
    .map(kindOf)

/** The kinds of all fields. */
export const allKinds = ({ fields }: ObjectType): ReadonlyArray<string> => Object.values(fields).map(kindOf)

/**
 * Types that together have every kind that any of them has, in their order: the type with the most missing kinds first,
 * of equal ones the type with the fewest fields, until no kind is missing.
 */
export const kindsCover = (
  types: ReadonlyArray<ObjectType>,
  kindsIn: (type: ObjectType) => Iterable<string>
): ReadonlyArray<ObjectType> => {
  const missing = new Set(types.flatMap((type) => [...kindsIn(type)]))
  const chosen = new Set<ObjectType>()
  const fieldsIn = ({ fields }: ObjectType) => Object.keys(fields).length
  const gained = (type: ObjectType) => new Set(kindsIn(type)).intersection(missing).size
  while (missing.size > 0) {
    const [best] = types.toSorted((a, b) => gained(b) - gained(a) || fieldsIn(a) - fieldsIn(b))
    chosen.add(best!)
    for (const kind of kindsIn(best!)) missing.delete(kind)
  }
  return types.filter((type) => chosen.has(type))
}
