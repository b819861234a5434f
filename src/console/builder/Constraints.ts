/** The words of the builder of constraints: fields that all chosen object types have, and the lookups of each. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import type { Field } from "../../inventory/Field.ts"
import { constraint, constraintLookups } from "../../inventory/derive/filter/Constraint.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { fieldTitle } from "../value/Title.ts"
import { type BuilderField, type BuilderOperator, fieldsMax, kindOfField, pickOf } from "./Vocabulary.ts"

const words: Readonly<Record<string, string>> = {
  ...{ exact: "is", in: "is one of", isnull: "is empty", range: "is between" },
  ...{ iexact: "is, in any case", icontains: "contains, in any case", contains: "contains" },
  ...{ startswith: "begins with", istartswith: "begins with, in any case" },
  ...{ endswith: "ends with", iendswith: "ends with, in any case" },
  ...{ regex: "matches the pattern", iregex: "matches the pattern, in any case" },
  ...{ lt: "less than", lte: "at most", gt: "greater than", gte: "at least" },
  ...{ net_contained: "inside", net_contained_or_equal: "inside or equal to" },
  ...{ net_contains: "has inside", net_contains_or_equals: "has inside or equals", net_host_contained: "host inside" }
}

const accepts = (lookup: string): ReadonlyArray<string> => {
  if (lookup === "in" || lookup === "range") return ["list"]
  if (lookup === "isnull") return ["boolean"]
  return lookup === "exact" ? ["string", "number", "boolean", "null"] : ["string", "number"]
}

const operators: ReadonlyArray<BuilderOperator> = [...constraintLookups].map((name) => ({
  name,
  title: words[name] ?? name,
  accepts: accepts(name)
}))

/** A value of the field, to try lookups with. */
const sampleOf = ({ choices, type, reference }: Field): unknown => {
  if (reference !== undefined) return 1
  if (choices !== undefined) return Object.keys(choices)[0]
  if (/inet|cidr/.test(type)) return "10.0.0.0/8"
  if (/date|timestamp/.test(type)) return "2026-01-01"
  const kind = kindOfField({ type, reference })
  return kind === "boolean" ? true : kind === "number" ? 1 : "a"
}

/** The lookups by which the type has something to filter under this name. */
const lookupsFor = (type: ObjectType, name: string, sample: unknown): ReadonlyArray<string> =>
  operators.flatMap(({ name: lookup, accepts }) => {
    const value = accepts.includes("list") ? [sample, sample] : accepts[0] === "boolean" ? true : sample
    const path = lookup === "exact" ? name : `${name}__${lookup}`
    return "where" in constraint(type, { [path]: value }) ? [lookup] : []
  })

const fieldsOf = perType((type): ReadonlyArray<BuilderField> =>
  Object.entries(type.fields).flatMap(([name, field]): ReadonlyArray<BuilderField> => {
    if (field.wire !== "both" && field.wire !== "read") return []
    const { reference, choices } = field
    const title = fieldTitle(name)
    const pick = reference === undefined || reference.ends !== undefined ? undefined : pickOf(reference.type)
    const options = choices ?? (field.type === "boolean" ? { true: "Yes", false: "No" } : undefined)
    const own: BuilderField = {
      ...{ name, title, kind: kindOfField(field), operators: lookupsFor(type, name, sampleOf(field)) },
      ...(options && { options }),
      ...(pick !== undefined && { pick })
    }
    if (pick === undefined) return [own]
    const target = objectType(reference!.type)
    const key = naturalKey(target)
    if (key === "id") return [own]
    const byKey = `${name}__${key}`
    const operators = lookupsFor(type, byKey, "a")
    return [own, { name: byKey, title: `${title}: ${fieldTitle(key).toLowerCase()}`, kind: "text", operators }]
  })
)

/** A constraint is one of objects of every chosen type, so its fields are those that all of them have. */
export const constraintWords = Effect.fnUntraced(function* (types: ReadonlyArray<ObjectType>) {
  const [first = [], ...others] = yield* mapInSlices(types, (type) => fieldsOf(type))
  const byName = others.map((fields) => new Map(fields.map((field) => [field.name, field])))
  const shared = first.flatMap((field): ReadonlyArray<BuilderField> => {
    const same = byName.map((fields) => fields.get(field.name))
    const common = (field.operators ?? []).filter((name) => same.every((each) => each?.operators?.includes(name)))
    return common.length === 0 ? [] : [{ ...field, operators: common }]
  })
  const fields = shared.sort((a, b) => (a.title < b.title ? -1 : 1)).slice(0, fieldsMax)
  return { shape: "groups", usual: "exact", operators, fields } as const
})
