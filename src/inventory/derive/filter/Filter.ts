/**
 * Declaration and query parameters -> an SQL condition, or what is wrong with a parameter. Pure.
 *
 * Unknown names are ignored, unless the query is read strictly: then they are errors. A filter that only NetBox has is
 * always an error. Conditions about other objects consider only objects that the user may see.
 */
import { type Errors, emptyRecord } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { isUuid } from "../../field/Scalar.ts"
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { askedCondition, askedNamed, isSearch } from "./AskedFilter.ts"
import { type CustomFields, customCondition, customPrefix } from "./CustomFieldFilter.ts"
import { type CompiledLookup, alike, asText, compare, containing, denial, either, kindOf, positive } from "./Lookup.ts"
import { networkCondition } from "./Network.ts"
import { type Reach, along, comparandOf, pathsOf } from "./Path.ts"
import { type ReferenceName, referring, referringLoosely } from "./Referring.ts"
import { isIgnoredByNetBox, unsupportedNames } from "./Unsupported.ts"
import { type Bind, type Visible, type Where, allVisible, visibleRows } from "./Where.ts"

/** Query parameters in their order, repeated names as often as they were given. */
export type Query = ReadonlyArray<readonly [name: string, value: string]>

export type Filtered = { readonly where: Where } | { readonly errors: Errors }

interface Reading {
  /** Whether an unknown name is an error. */
  readonly strict?: boolean
  /** Parameters that are no filters: `limit`, `ordering`… */
  readonly known?: ReadonlySet<string>
  /** The custom fields that the query may name. */
  readonly customFields?: CustomFields
}

const none: CustomFields = new Map()

export const filter = (
  type: ObjectType,
  query: Query,
  visible: Visible,
  { strict, known, customFields = none }: Reading = {}
): Filtered => {
  const parameters: Array<unknown> = []
  const errors = emptyRecord<ReadonlyArray<string>>()
  const conditions: Array<string> = []
  const reach: Reach = { visible, bind: (value) => `$${parameters.push(value)}`, others: conditions }
  const byName = [...Map.groupBy(query, ([name]) => name)]
  for (const [name, pairs] of byName.sort(([a], [b]) => Number(isSearch(type, a)) - Number(isSearch(type, b)))) {
    if (known?.has(name) === true) continue
    const before = parameters.length
    const values = pairs.map(([, value]) => value)
    const isNull = values.some((value) => value.includes("\0"))
    const problem = tooMany(name, values, conditions.length)
    if (problem !== undefined) {
      errors[name] = [problem]
      continue
    }
    const condition = conditionOf(type, name, values, reach, customFields)
    if (typeof condition !== "string") parameters.length = before
    if (condition === undefined) {
      const refusal = isKnown(type, name, customFields) ? undefined : unknownName(type, name, strict === true)
      if (refusal !== undefined) errors[name] = [refusal]
    } else if (isNull) errors[name] = ["Null characters are not allowed."]
    else if (typeof condition === "string") conditions.push(condition)
    else errors[name] = condition.messages
  }
  if (Object.keys(errors).length > 0) return { errors }
  if (parameters.length > parametersMax) return { errors: { non_field_errors: ["The query has too many values."] } }
  return { where: { sql: conditions.length === 0 ? "true" : conditions.join(" and "), parameters } }
}

/** Why a name that is no filter is refused; undefined if it is ignored. */
const unknownName = (type: ObjectType, name: string, strict: boolean): string | undefined =>
  unsupportedNames(type).has(name)
    ? "NetBox has this filter, and Rackwire does not."
    : strict
      ? "Unknown filter."
      : undefined

/** Most values of one filter. */
const valuesMax = 4000

/** Most values of a filter on patterns, which must be compared one by one. */
const patternsMax = 250

/** Most effective filters of a query. */
const conditionsMax = 200

/** Most values compared one by one in all filters together; a statement of Postgres has at most 65,535 parameters. */
const parametersMax = 10_000

const tooMany = (name: string, values: ReadonlyArray<string>, before: number): string | undefined => {
  const most = /__n?(ic|isw|iew|ie|regex|iregex)$/.test(name) ? patternsMax : valuesMax
  if (values.length > most) return `Ensure that there are no more than ${most} values; there are ${values.length}.`
  return before < conditionsMax ? undefined : `Ensure that a query has no more than ${conditionsMax} filters.`
}

/** Whether the name is a filter of the type. */
export const isKnown = (type: ObjectType, name: string, customFields: CustomFields = none): boolean =>
  conditionOf(type, name, ["1"], { visible: allVisible, bind: () => "$1" }, customFields) !== undefined

const conditionOf = (
  type: ObjectType,
  name: string,
  values: ReadonlyArray<string>,
  reach: Reach,
  customFields: CustomFields
): CompiledLookup => {
  const { bind } = reach
  if (name === "q" && type.search.length > 0) return search(type, values, bind)
  const [base, suffix] = splitName(name)
  if (base === "tag" && Object.hasOwn(type.fields, "tags")) return tagged(suffix, values, reach)
  if (base.startsWith(customPrefix)) {
    return customCondition(type, base.slice(customPrefix.length), suffix, values, bind, customFields)
  }
  if (Object.hasOwn(requests, name)) return changedBy(type, requests[name], values, reach)
  // Only paths that a type declares may hold this mark.
  if (base.startsWith("=")) return undefined
  const asked = askedNamed(type, base)
  if (asked !== undefined) return askedCondition(type, asked, suffix, values, reach)
  // The name of a field may mean a lookup of it.
  if (suffix === "" && Object.hasOwn(type.fields, base) && Object.hasOwn(type.paths, base)) {
    return throughPath(type, base, suffix, values, reach)
  }
  const ignored = isIgnoredByNetBox(type, base) ? referenceNamed(type, base) : undefined
  if (ignored !== undefined) return referringLoosely(type, ignored.name, suffix, values, reach)
  return own(type, "t", base, suffix, values, reach) ?? throughPath(type, base, suffix, values, reach)
}

/** Splits the name of a filter into its subject and the lookup. */
export const splitName = (name: string): readonly [base: string, suffix: string] => {
  const at = name.indexOf("__", 1)
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 2)]
}

/** A condition about the object itself: its id, a field, a reference, its network. */
const own = (
  type: ObjectType,
  alias: string,
  base: string,
  suffix: string,
  values: ReadonlyArray<string>,
  reach: Reach
): CompiledLookup => {
  const { bind } = reach
  if (base === "id") return compare({ kind: "number", sql: `${alias}.id`, type: "bigint" }, suffix, values, bind)
  const named = referenceNamed(type, base)
  if (named !== undefined) return referring(type, alias, named, suffix, values, reach)
  if (!isShown(type, base)) return networkCondition(type, alias, base, suffix, values, bind)
  const field = fieldOf(type, base)
  return kindOf(field) === undefined ? undefined : compare(comparandOf(type, alias, base), suffix, values, bind)
}

const isShown = (type: ObjectType, name: string): boolean =>
  Object.hasOwn(type.fields, name) && /^(both|read)$/.test(fieldOf(type, name).wire)

const isReference = (type: ObjectType, name: string): boolean =>
  isShown(type, name) && fieldOf(type, name).reference !== undefined

/** The reference that a filter, or the end of a path, names. */
export const referenceNamed = (type: ObjectType, word: string): ReferenceName | undefined => {
  const exact = word.startsWith("=")
  const base = exact ? word.slice(1) : word
  const name = base.endsWith("_id") ? base.slice(0, -3) : ""
  if (isReference(type, name)) return { name, byId: true, exact }
  return isReference(type, base) ? { name: base, byId: false, exact } : undefined
}

/** Steps to other objects, and the filter that applies there. */
export interface PathName {
  readonly steps: ReadonlyArray<string>
  readonly last: string
}

/** The paths of a filter to other objects; `isOne` if it has no alternatives. */
export const pathsNamed = (
  type: ObjectType,
  base: string
): { readonly isOne: boolean; readonly paths: ReadonlyArray<PathName> } | undefined => {
  const paths = pathsOf(type)
  const byId = !Object.hasOwn(paths, base) && base.endsWith("_id")
  const name = byId ? base.slice(0, -3) : base
  if (!Object.hasOwn(paths, name)) return undefined
  const declared = paths[name]!
  const ways = [declared].flat().map((path): PathName => {
    const steps = path.split("/")
    const last = steps.pop()!
    return { steps, last: byId ? `${last}_id` : last }
  })
  return { isOne: typeof declared === "string", paths: ways }
}

/** A condition about other objects by a path; a negation covers the whole path. */
const throughPath = (
  type: ObjectType,
  base: string,
  suffix: string,
  values: ReadonlyArray<string>,
  reach: Reach
): CompiledLookup => {
  const named = pathsNamed(type, base)
  if (named === undefined) return undefined
  const [asked, denied] = positive(suffix)
  const ways = named.paths.map(({ steps, last }) => {
    const [name, lookup] = splitName(last)
    if (lookup !== "" && asked !== "") return undefined
    return along(type, "t", steps, reach, (there, alias) => own(there, alias, name, lookup || asked, values, reach))
  })
  const wrong = ways.find((way) => typeof way !== "string")
  if (wrong !== undefined || ways.includes(undefined)) return wrong
  return denial(either(ways.filter((way) => typeof way === "string")), denied)
}

/** Types of columns whose text is indexed. */
const searchable = /^(text|inet|cidr|macaddr|bigint|integer)$/

const search = (type: ObjectType, values: ReadonlyArray<string>, bind: Bind): CompiledLookup => {
  const words = (values.at(-1) ?? "").trim()
  const fields = type.search.filter((name) => searchable.test(fieldOf(type, name).type))
  if (words === "" || fields.length === 0) return undefined
  const holds = alike(containing(words), bind)
  return either(fields.map((name) => holds(asText(`t.${type.columns[name]}`, fieldOf(type, name).type))))
}

/** Objects with every tag named (`null`: with no tag); negated, objects with none of them. */
const tagged = (suffix: string, values: ReadonlyArray<string>, { visible, bind }: Reach): CompiledLookup => {
  const [asked, denied] = positive(suffix)
  if (asked !== "") return undefined
  const given = [...new Set(values.filter((value) => value !== "null"))]
  const parts = given.length < new Set(values).size ? ["t.tags = '{}'"] : []
  if (given.length > 0) {
    const slugs = bind(given)
    const ids = `select tag.id from ${visibleRows(objectType("extras.tag"), visible, bind)} tag where tag.slug = any (${slugs}::text[])`
    parts.push(
      denied
        ? `t.tags && array(${ids})`
        : `t.tags @> (select case when count(*) = cardinality(${slugs}::text[]) then array_agg(id) else array[0::bigint] end from (${ids}) named)`
    )
  }
  return denial(either(parts), denied)
}

/** Filters by the changes of a request, and the action in the change log; any action where there is none. */
const requests: Readonly<Record<string, string | undefined>> = {
  created_by_request: "create",
  updated_by_request: "update",
  modified_by_request: undefined
}

const changedBy = (
  type: ObjectType,
  action: string | undefined,
  values: ReadonlyArray<string>,
  { visible, bind }: Reach
): CompiledLookup => {
  if (type.kind !== "object") return undefined
  if (!values.every(isUuid)) return { messages: ["Enter a valid UUID."] }
  const only = action === undefined ? "" : ` and action = ${literal(action)}`
  const log = visibleRows(objectType("extras.objectchange"), visible, bind)
  return `t.id = any (array(select changed_object_id from ${log} log where request_id = any (${bind(values)}::text[]::uuid[]) and changed_object_type = ${literal(type.id)}${only}))`
}
