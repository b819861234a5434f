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

const like = (before: string, after: string, not = ""): Lookup => ({
  sql: (column, values) => `${column} ${not}ilike ${not === "" ? "any" : "all"} (${values}::text[])`,
  read: (value) => `${before}${value.replaceAll(/[\\%_]/g, "\\$&")}${after}`
})

const empty: Lookup = {
  sql: (column, values) => `(${column} is null or ${column}::text = '') = (${values}::boolean[])[1]`,
  read: readBoolean
}

const compared = (operator: string): Lookup => ({ sql: (column, values) => `${column} ${operator} any (${values})` })
const differs: Lookup = { sql: (column, values) => `${column} is distinct from all (${values})` }

/** Suffix -> lookup, by kind of comparison; "" is the name alone. A new lookup is one entry here. */
const lookups: Readonly<Record<string, Readonly<Record<string, Lookup>>>> = {
  text: {
    "": { sql: (column, values) => `${column} = any (${values}::text[])` },
    n: { sql: (column, values) => `${column} <> all (${values}::text[])` },
    ic: like("%", "%"),
    nic: like("%", "%", "not "),
    isw: like("", "%"),
    nisw: like("", "%", "not "),
    iew: like("%", ""),
    niew: like("%", "", "not "),
    ie: like("", ""),
    nie: like("", "", "not "),
    empty
  },
  number: {
    "": compared("="),
    n: { sql: (column, values) => `${column} <> all (${values})` },
    lt: compared("<"),
    lte: compared("<="),
    gt: compared(">"),
    gte: compared(">="),
    empty
  },
  choice: { "": compared("="), n: differs },
  exact: { "": compared("=") },
  list: { "": { sql: (column, values) => `${column} && ${values}::text[]` } }
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
    if (typeof condition === "string") conditions.push(condition)
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
  const lookup = lookups[kind]?.[suffix]
  if (lookup === undefined) return undefined
  const given = kind === "text" || kind === "list" ? values.filter((value) => value !== "") : values
  if (given.length === 0) return undefined
  if (lookup.read !== undefined) return lookup.sql(column, bind(given.map(lookup.read)))
  const messages = given.map((value) => refusal(kind, sqlType, field, value)).filter((message) => message !== undefined)
  if (messages.length > 0) return { messages }
  const read = sqlType === "boolean" ? given.map(readBoolean) : given
  const cast = sqlType.endsWith("[]") || kind === "text" ? "" : `::${sqlType.replace(/\(.*/, "")}[]`
  return lookup.sql(
    column,
    `${bind(sqlType === "boolean" ? read.map(String) : read)}${cast === "" ? "" : `::text[]${cast}`}`
  )
}

function readBoolean(value: string): boolean {
  return /^(true|t|1|on|yes)$/i.test(value)
}

const refusal = (kind: string, sqlType: string, field: Field | undefined, value: string): string | undefined => {
  if (kind === "choice") {
    const known = Object.hasOwn(field?.choices ?? {}, value)
    return known ? undefined : `Select a valid choice. ${value} is not one of the available choices.`
  }
  if (sqlType === "timestamptz") return Number.isNaN(Date.parse(value)) ? "Enter a valid date/time." : undefined
  if (sqlType === "uuid")
    return /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(value) ? undefined : "Enter a valid UUID."
  if (kind === "number") return /^-?\d{1,18}(\.\d+)?$/.test(value) ? undefined : "Enter a number."
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
