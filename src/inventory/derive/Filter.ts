/** Declaration and query parameters -> an SQL condition, or what is wrong with a parameter. Unknown names are ignored. */
import type { Errors, Field } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"

/** Query parameters in their order, repeated names as often as they were given. */
export type Query = ReadonlyArray<readonly [name: string, value: string]>

export interface Where {
  /** Condition over the table under the alias `t`, with `$1`… for `parameters`. */
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
}

export type Filtered = { readonly where: Where } | { readonly errors: Errors }

/** One lookup: SQL over the column for a list of values (`$`), whether it negates, and how a value is read. */
interface Lookup {
  readonly sql: (column: string, values: string) => string
  readonly read?: (value: string) => unknown
}

const like = (before: string, after: string): Lookup => ({
  sql: (column, values) => `${column} ilike any (${values}::text[])`,
  read: (value) => `${before}${value.replaceAll(/[\\%_]/g, "\\$&")}${after}`
})

const empty: Lookup = {
  sql: (column, values) => `(${column} is null or ${column}::text = '') = (${values}::boolean[])[1]`,
  read: readBoolean
}

const compared = (operator: string): Lookup => ({ sql: (column, values) => `${column} ${operator} any (${values})` })

/** Where the lookup does not hold: an empty value is none of those named. */
const not = (lookup: Lookup): Lookup => ({
  ...lookup,
  sql: (column, values) => `(${lookup.sql(column, values)}) is not true`
})

/** Suffix -> lookup, by kind of comparison; "" is the name alone. A new lookup is one entry here. */
const lookups: Readonly<Record<string, Readonly<Record<string, Lookup>>>> = {
  text: {
    "": compared("="),
    n: not(compared("=")),
    ic: like("%", "%"),
    nic: not(like("%", "%")),
    isw: like("", "%"),
    nisw: not(like("", "%")),
    iew: like("%", ""),
    niew: not(like("%", "")),
    ie: like("", ""),
    nie: not(like("", "")),
    empty
  },
  number: {
    "": compared("="),
    n: not(compared("=")),
    lt: compared("<"),
    lte: compared("<="),
    gt: compared(">"),
    gte: compared(">="),
    empty
  },
  choice: { "": compared("="), n: not(compared("=")) },
  exact: { "": compared("=") },
  list: { "": { sql: (column, values) => `${column} && ${values}` } }
}

export const filter = (type: ObjectType, query: Query): Filtered => {
  const parameters: Array<unknown> = []
  const errors: Record<string, ReadonlyArray<string>> = {}
  const bind = (value: unknown) => `$${parameters.push(value)}`
  const conditions: Array<string> = []
  for (const [name, values] of Map.groupBy(query, ([name]) => name)) {
    const condition = conditionOf(
      type,
      name,
      values.map(([, value]) => value),
      bind
    )
    if (condition === undefined) continue
    if (values.some(([, value]) => value.includes("\0"))) errors[name] = ["Null characters are not allowed."]
    else if (typeof condition === "string") conditions.push(condition)
    else errors[name] = condition.messages
  }
  if (Object.keys(errors).length > 0) return { errors }
  return { where: { sql: conditions.length === 0 ? "true" : conditions.join(" and "), parameters } }
}

type Bind = (value: unknown) => string
interface Refusal {
  readonly messages: ReadonlyArray<string>
}

const conditionOf = (
  type: ObjectType,
  name: string,
  values: ReadonlyArray<string>,
  bind: Bind
): string | Refusal | undefined => {
  if (name === "q") return search(type, values, bind)
  if (name === "tag" && Object.hasOwn(type.fields, "tags")) return tagged(values, bind)
  const [base, suffix] = split(name)
  if (base === "id") return comparison("number", "bigint", undefined, "t.id", suffix, values, bind)
  const byId = type.fields[base.replace(/_id$/, "")]
  if (byId?.comparison === "reference") return referring(type, base, suffix, values, bind)
  const field = type.fields[base]
  if (field === undefined || field.wire === "none" || field.wire === "write") return undefined
  return comparison(field.comparison, field.type, field, `t.${type.columns[base]}`, suffix, values, bind)
}

const split = (name: string): readonly [base: string, suffix: string] => {
  const at = name.indexOf("__", 1)
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 2)]
}

const comparison = (
  kind: string,
  sqlType: string,
  field: Field | undefined,
  column: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind
): string | Refusal | undefined => {
  const known = lookups[kind]
  const lookup = known !== undefined && Object.hasOwn(known, suffix) ? known[suffix] : undefined
  if (lookup === undefined) return undefined
  const given = kind === "text" || kind === "list" ? values.filter((value) => value !== "") : values
  if (given.length === 0) return undefined
  if (lookup.read !== undefined) return lookup.sql(column, bind(given.map(lookup.read)))
  const messages = given.map((value) => refusal(kind, sqlType, field, value)).filter((message) => message !== undefined)
  if (messages.length > 0) return { messages }
  const read = given.map((value) => {
    if (sqlType === "boolean") return String(readBoolean(value))
    return sqlType === "timestamptz" ? momentIn(field, value) : value
  })
  const cast = sqlType.endsWith("[]") || kind === "text" ? "" : `::${sqlType.replace(/\(.*/, "")}[]`
  return lookup.sql(column, `${bind(read)}::text[]${cast}`)
}

function readBoolean(value: string): boolean {
  return /^(true|t|1|on|yes)$/i.test(value)
}

/** The point in time that a text names, as the field keeps it; a day stands for its beginning. */
const momentIn = (field: Field | undefined, value: string): unknown => {
  const parsed = field?.parse(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00Z` : value)
  return parsed !== undefined && "value" in parsed ? parsed.value : undefined
}

const refusal = (kind: string, sqlType: string, field: Field | undefined, value: string): string | undefined => {
  if (kind === "choice") {
    const known = Object.hasOwn(field?.choices ?? {}, value)
    return known ? undefined : `Select a valid choice. ${value} is not one of the available choices.`
  }
  if (sqlType === "timestamptz") return momentIn(field, value) === undefined ? "Enter a valid date/time." : undefined
  if (sqlType === "uuid")
    return /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(value) ? undefined : "Enter a valid UUID."
  if (kind === "number" && !/^-?\d{1,18}(\.\d+)?$/.test(value)) return "Enter a number."
  if (sqlType === "bigint" && value.includes(".")) return "Enter a whole number."
  return undefined
}

const search = (type: ObjectType, values: ReadonlyArray<string>, bind: Bind): string | undefined => {
  const words = values.at(-1)!.trim()
  if (words === "" || type.search.length === 0) return undefined
  const pattern = bind(like("%", "%").read!(words))
  return `(${type.search.map((name) => `t.${type.columns[name]} ilike ${pattern}::text`).join(" or ")})`
}

/** Every tag named is wanted. */
const tagged = (values: ReadonlyArray<string>, bind: Bind): string => {
  const slugs = bind([...new Set(values)])
  return `t.tags @> (select case when count(*) = cardinality(${slugs}::text[]) then array_agg(id) else array[0::bigint] end
    from extras_tag where slug = any (${slugs}::text[]))`
}

/** `region_id=1`, `region=slug`, `region_id=null`; a tree includes what lies below. */
const referring = (
  type: ObjectType,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind
): string | Refusal | undefined => {
  const byId = name.endsWith("_id") && type.fields[name] === undefined
  const fieldName = byId ? name.slice(0, -3) : name
  const column = `t.${type.columns[fieldName]}`
  const target = objectType(type.fields[fieldName]!.reference!.type)
  if (suffix !== "" && suffix !== "n") return undefined
  const given = values.filter((value) => value !== "null")
  const bad = byId ? given.filter((value) => !/^\d{1,18}$/.test(value)) : []
  if (bad.length > 0)
    return { messages: bad.map((value) => `Select a valid choice. ${value} is not one of the available choices.`) }
  const key = byId ? "id" : naturalKey(target)
  const cast = byId ? "::text[]::bigint[]" : "::text[]"
  const roots = `select id from ${target.table} where ${key} = any (${bind(given)}${cast})`
  const isTree = target.fields["parent"]?.reference?.type === target.id
  const ids = isTree
    ? `with recursive below as (${roots} union select c.id from ${target.table} c join below b on c.parent_id = b.id) select id from below`
    : roots
  const parts = [`${column} in (${ids})`, ...(values.includes("null") ? [`${column} is null`] : [])]
  const either = `coalesce(${parts.join(" or ")}, false)`
  return suffix === "n" ? `not ${either}` : either
}

/** The field by which people name an object of the type in a filter. */
const naturalKey = (type: ObjectType): string =>
  ["slug", "username", "name"].find((name) => Object.hasOwn(type.fields, name)) ?? "id"
