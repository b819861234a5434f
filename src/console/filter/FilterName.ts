/** Filters as people read them: `name__ic=osl` is `Name contains: osl`. */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { customPrefix } from "../../inventory/derive/filter/CustomFieldFilter.ts"
import { splitName } from "../../inventory/derive/filter/Filter.ts"
import { holdsTypes } from "../../inventory/Grammar.ts"
import { everySuffix } from "../../inventory/derive/filter/Lookup.ts"
import { fieldTitle, titleOfType } from "../value/Title.ts"
import { shortened } from "../list/Cell.ts"

/** Lookups in words; another one is shown by its name. */
const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ n: "is not", ic: "contains", nic: "does not contain", ie: "is, in any case", nie: "is not, in any case" },
    ...{ isw: "begins with", nisw: "does not begin with", iew: "ends with", niew: "does not end with" },
    ...{ lt: "less than", lte: "at most", gt: "greater than", gte: "at least", empty: "is empty (true or false)" },
    ...{ regex: "matches the pattern", iregex: "matches the pattern, in any case" }
  })
)

export const lookupTitle = (suffix: string): string => (suffix === "" ? "is" : (words.get(suffix) ?? suffix))

/** Every lookup, the plain one first. */
export const lookupNames: ReadonlyArray<string> = ["", ...everySuffix]

/** Names that mean something else than a field. */
const known = new Map([
  ["q", "Search"],
  ["filter", "Saved filter"],
  ["filter_id", "Saved filter ID"]
])

export const subjectTitle = (name: string): string =>
  known.get(name) ?? fieldTitle(name.startsWith(customPrefix) ? name.slice(customPrefix.length) : name)

export const filterTitle = (name: string): string => {
  const [base, suffix] = splitName(name)
  return suffix === "" ? subjectTitle(base) : `${subjectTitle(base)} ${lookupTitle(suffix)}`
}

/** Longest value that a chip shows, characters. */
const shownMax = 60

/** Whether the values of a filter are ids of object types. */
export const holdsType = ({ fields }: ObjectType, name: string): boolean => {
  const [base, suffix] = splitName(name)
  const field = Object.hasOwn(fields, base) ? fields[base] : undefined
  const holds = field !== undefined && (field.describes ?? field.generic) !== undefined
  return (holds || (field !== undefined && holdsTypes(field))) && (suffix === "" || suffix === "n")
}

/** The value of a filter; of a choice, its label; of an object type, its name, with the name of its source. */
export const filterValue = (type: ObjectType, name: string, value: string, source?: string): string => {
  const { fields } = type
  if (holdsType(type, name)) return titleOfType(shortened(value, shownMax), source)
  const [base] = splitName(name)
  const choices = Object.hasOwn(fields, base) ? fields[base]?.choices : undefined
  return choices !== undefined && Object.hasOwn(choices, value) ? choices[value]! : shortened(value, shownMax)
}
