/**
 * The objects that filters name, by id or by key. A filter that names an object that does not exist is an error, not an
 * empty answer. Pure.
 */
import { type ObjectType, columnOf, fieldOf } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { askedNamed } from "./AskedFilter.ts"
import { type PathName, type Query, pathsNamed, referenceNamed, splitName } from "./Filter.ts"
import { positive } from "./Lookup.ts"
import { destination, naturalKey } from "./Path.ts"
import { isIgnoredByNetBox } from "./Unsupported.ts"
import type { Where } from "./Where.ts"

/** The type whose objects a filter names, and by which column. */
interface Target {
  readonly target: ObjectType
  readonly column: string
  /** Its Postgres type. */
  readonly columnType: string
}

export interface Named extends Target {
  /** The name of the filter. */
  readonly filter: string
  readonly values: ReadonlyArray<string>
  /** Whether a found row proves that the object exists: not with several values, nor with a negation. */
  readonly isProven: boolean
}

export const namedIn = (type: ObjectType, query: Query): ReadonlyArray<Named> =>
  [...Map.groupBy(query, ([name]) => name)].flatMap(([filter, pairs]) => {
    const [base, suffix] = splitName(filter)
    const [asked, denied] = positive(suffix)
    const target = asked === "" ? targetOf(type, base) : undefined
    const values = [...new Set(pairs.map(([, value]) => value))].filter((value) => value !== "null" && value !== "")
    if (target === undefined || values.length === 0) return []
    return [{ filter, ...target, values, isProven: !denied && pairs.length === 1 }]
  })

const targetOf = (type: ObjectType, base: string): Target | undefined => {
  if (base === "tag" && Object.hasOwn(type.fields, "tags")) return targetIn(objectType("extras.tag"), "slug")
  const asked = askedNamed(type, base)
  if (asked !== undefined) return registry.has(asked.of) ? targetIn(objectType(asked.of), "id") : undefined
  if (isIgnoredByNetBox(type, base)) return undefined
  const own = referenceNamed(type, base)
  if (own !== undefined) return pointedAt(type, own)
  const named = Object.hasOwn(type.fields, base) ? undefined : pathsNamed(type, base)
  if (named === undefined || !named.isOne) return undefined
  const [{ steps, last }] = named.paths as readonly [PathName]
  const there = destination(type, steps)
  if (there === undefined) return undefined
  if (last === "id" || (steps.length > 0 && last === naturalKey(there))) return targetIn(there, last)
  const reference = referenceNamed(there, last)
  return reference === undefined ? undefined : pointedAt(there, reference)
}

const pointedAt = (
  type: ObjectType,
  { name, byId }: { readonly name: string; readonly byId: boolean }
): Target | undefined => {
  const reference = fieldOf(type, name).reference!
  // Records outlive the objects they refer to, and can still be found by them.
  if (reference.onDelete === "keep") return undefined
  const target = objectType(reference.type)
  return targetIn(target, byId ? "id" : naturalKey(target))
}

const targetIn = (target: ObjectType, key: string): Target =>
  key === "id"
    ? { target, column: key, columnType: "bigint" }
    : { target, column: columnOf(target, key), columnType: fieldOf(target, key).type }

/** A query for the values that no object has: rows of `at`, the place in the list, and `value`. */
export const missingQuery = (named: ReadonlyArray<Named>): Where => ({
  sql: named
    .map(
      ({ target, column, columnType }, at) =>
        `select ${at} as at, value from unnest($${at + 1}::text[]) value
          where not exists (select from ${target.table} where ${column} = value::${columnType})`
    )
    .join(" union all "),
  parameters: named.map(({ values }) => values)
})
