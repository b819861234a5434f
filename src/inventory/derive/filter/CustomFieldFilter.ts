/**
 * Filters on custom fields: `cf_<name>`, with the lookups that fit the type of the custom field.
 *
 * The values of all custom fields are one JSON document in the row. Its index answers which documents hold a value, a
 * text or the name at all; where that is not enough, the condition beside it reads the one value.
 */
import type { Field } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { date } from "../../field/Calendar.ts"
import { time } from "../../field/Scalar.ts"
import {
  type Comparand,
  type CompiledLookup,
  alike,
  containing,
  denial,
  either,
  escaped,
  isTrue,
  loosened,
  matches,
  noValue,
  ofTexts,
  positive,
  readTexts,
  readValues
} from "./Lookup.ts"
import type { Bind } from "./Where.ts"

/** The prefix of such a filter's name. */
export const customPrefix = "cf_"

/** The definitions of a type's custom fields, by name, as far as filters need them. */
export type CustomFields = ReadonlyMap<string, { readonly type: string; readonly filter_logic: string }>

/** How values are read and compared. */
interface ValueType {
  readonly kind: Comparand["kind"]
  readonly type: "text" | "bigint" | "numeric" | "boolean"
  readonly field?: Field
  /** A list, of which any item is compared. */
  readonly many?: boolean
}

const text: ValueType = { kind: "text", type: "text" }
const id: ValueType = { kind: "number", type: "bigint" }

/** By type of custom field; other types cannot be filtered by. */
const comparedAs: Readonly<Record<string, ValueType>> = {
  text,
  longtext: text,
  url: text,
  select: text,
  multiselect: { ...text, many: true },
  integer: { kind: "number", type: "bigint" },
  decimal: { kind: "number", type: "numeric" },
  boolean: { kind: "flag", type: "boolean" },
  date: { kind: "date", type: "text", field: date() },
  datetime: { kind: "time", type: "text", field: time() },
  object: id,
  multiobject: { ...id, many: true }
}

/** Types of which a value is any text that somebody wrote: only of these a part may be enough (`filter_logic`). */
const written: ReadonlySet<unknown> = new Set(["text", "longtext", "url"])

const column = "t.custom_fields"

export const customCondition = (
  type: ObjectType,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind,
  known: CustomFields
): CompiledLookup => {
  const definition = known.get(name)
  if (definition === undefined || definition.filter_logic === "disabled") return undefined
  const compared = Object.hasOwn(comparedAs, definition.type) ? comparedAs[definition.type] : undefined
  if (compared === undefined) return undefined
  if (!Object.hasOwn(type.fields, "custom_fields")) return undefined
  const [asked, denied] = positive(suffix)
  const isLoose = asked === "" && definition.filter_logic === "loose" && written.has(definition.type)
  const lookup = isLoose ? "ic" : asked
  const given = values.filter((value) => value !== "")
  const lookups = lookupsOf(compared)
  const one = Object.hasOwn(lookups, lookup) ? lookups[lookup] : undefined
  if (one === undefined || given.length === 0) return undefined
  const key = literal(name)
  if (lookup === "empty") return empty(compared, key, given.at(-1) ?? "", bind)
  const named = asked === "" ? given.filter((value) => value !== noValue) : given
  const read = Object.hasOwn(textual, lookup)
    ? readTexts(lookup, named)
    : readValues({ ...compared, sql: column }, named)
  if ("messages" in read) return read
  const parts = [
    ...read.values.map((value) => one(compared, key, value, bind)),
    ...(named.length < given.length ? [empty(compared, key, "true", bind)] : [])
  ]
  return parts.length === 0 ? undefined : denial(either(parts), denied)
}

/** SQL that the value of the custom field meets the lookup with this value. */
type Lookup = (compared: ValueType, key: string, value: string, bind: Bind) => string

const same: Lookup = ({ type, many }, key, value, bind) => {
  const item = `${bind(value)}::${type}`
  return `${column} @> jsonb_build_object(${key}, ${many === true ? `jsonb_build_array(${item})` : item})`
}

/** The part of the document that an index finds, and the value itself. */
const matching =
  (before: string, after: string): Lookup =>
  (_, key, value, bind) => {
    const document = bind(loosened(containing(JSON.stringify(value).slice(1, -1))))
    const holds = alike(`${before}${escaped(value)}${after}`, bind)
    return `(${column}::text ilike ${document} and ${holds(`(${column} ->> ${key})`)})`
  }

const pattern =
  (operator: string): Lookup =>
  (_, key, value, bind) =>
    `(${column} ? ${key} and (${column} ->> ${key}) ${matches(operator, value)} ${bind(value)})`

/** Numbers as such; days and times are texts that sort as they follow each other. */
const comparing =
  (operator: string): Lookup =>
  ({ type }, key, value, bind) => {
    const [jsonType, cast, order] = type === "text" ? ["string", "", ` collate "C"`] : ["number", "::numeric", ""]
    const held = `case when jsonb_typeof(${column} -> ${key}) = '${jsonType}' then (${column} ->> ${key})${cast} end`
    return `(${column} ? ${key} and ${held} ${operator} ${bind(value)}${cast}${order})`
  }

const textual = ofTexts(matching, pattern)

const ordered: Readonly<Record<string, Lookup>> = {
  lt: comparing("<"),
  lte: comparing("<="),
  gt: comparing(">"),
  gte: comparing(">=")
}

const empty: Lookup = (_, key, value) => {
  const none = `coalesce(${column} -> ${key}, 'null') in ('null', '""', '[]')`
  return isTrue(value) ? none : `not ${none}`
}

const lookupsOf = ({ kind, many }: ValueType): Readonly<Record<string, Lookup>> => ({
  "": same,
  empty,
  ...(kind === "text" && many !== true && textual),
  ...(/^(number|date|time)$/.test(kind) && many !== true && ordered)
})
