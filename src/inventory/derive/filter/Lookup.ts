/**
 * Lookups: one column compared with the values of a parameter, by suffix and kind of field.
 *
 * An index of derive/table/Index.ts can answer every condition here. So texts, numbers and choices are compared one by
 * one (GIN cannot answer `any`), and a negated lookup is `(…) is not true`.
 */
import type { Field } from "../../Field.ts"
import { isUuid } from "../../field/Scalar.ts"
import { naturalOrder } from "../../../postgres/migrate/Collation.ts"
import { addressOf, sameAddress, wrongAddress } from "./Address.ts"
import { patternProblem } from "./PostgresPattern.ts"
import type { Bind } from "./Where.ts"

/** The faults of a parameter's values. */
export interface Refusal {
  readonly messages: ReadonlyArray<string>
}

/** A condition, or a refusal; undefined if the parameter is empty or unknown. */
export type CompiledLookup = string | Refusal | undefined

type Kind = "text" | "number" | "time" | "date" | "choice" | "flag" | "uuid" | "mac" | "network" | "list"

const kinds: Readonly<Record<string, Kind>> = {
  timestamptz: "time",
  date: "date",
  boolean: "flag",
  uuid: "uuid",
  macaddr: "mac",
  macaddr8: "mac",
  inet: "network",
  cidr: "network",
  text: "text"
}

/** How a field is compared; undefined for a reference and for a field without filters. */
export const kindOf = (field: Field): Kind | undefined => {
  if (!field.isFiltered || field.reference !== undefined) return undefined
  if (field.type.endsWith("[]")) return "list"
  if (field.choices !== undefined) return "choice"
  if (/^(bigint|integer|smallint|real|double|numeric)/.test(field.type)) return "number"
  return kinds[field.type]
}

/** The left side of a comparison: its SQL and its Postgres type. */
export interface Comparand {
  readonly kind: Kind
  readonly sql: string
  readonly type: string
  readonly field?: Field | undefined
  /** Whether an index on its lower case can answer. */
  readonly isLowered?: boolean
}

/** Up to so many values are compared one by one; more become one array, which no GIN index answers. */
const singlesMax = 32

/** Suffixes that negate another one. */
const negations: Readonly<Record<string, string>> = { n: "", nic: "ic", nisw: "isw", niew: "iew", nie: "ie" }

/** Splits a suffix into the lookup and whether it is negated. */
export const positive = (suffix: string): readonly [suffix: string, denied: boolean] =>
  Object.hasOwn(negations, suffix) ? [negations[suffix] ?? "", true] : [suffix, false]

/** Negates a condition on request. A null matches the negation. */
export const denial = (compiled: CompiledLookup, denied: boolean): CompiledLookup =>
  denied && typeof compiled === "string" ? `(${compiled}) is not true` : compiled

type Lookup = (of: Comparand, values: ReadonlyArray<string>, bind: Bind) => string

export const either = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 1 ? conditions[0]! : `(${conditions.join(" or ")})`

const cast = (type: string): string => (type === "text" ? "" : `::${type.replace(/\(.*/, "")}`)

/** Compares with each value, or with an array of them if there are many. */
export const compared =
  (operator: string): Lookup =>
  ({ sql, type }, values, bind) =>
    values.length > singlesMax
      ? `${sql} ${operator} any (${bind(values)}::text[]${cast(type) === "" ? "" : `${cast(type)}[]`})`
      : either(values.map((value) => `${sql} ${operator} ${bind(value)}${cast(type)}`))

/** Escapes a text for a pattern of `ilike`. */
export const escaped = (value: string): string => value.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** The pattern of `ilike` for texts that contain this one. */
export const containing = (value: string): string => `%${escaped(value)}%`

const beyondAscii = /[^\0-\x7f]/gu

/** The pattern with a wildcard for each letter whose case Postgres may not know: with the locale C it knows only ASCII. */
export const loosened = (pattern: string): string => pattern.replaceAll(beyondAscii, "_")

/**
 * SQL that a text matches a pattern whatever the case of its letters. An index on the text finds the loosened pattern;
 * the collation, which knows all letters, decides.
 */
export const alike = (pattern: string, bind: Bind): ((text: string) => string) => {
  const loose = bind(loosened(pattern))
  if (loosened(pattern) === pattern) return (text) => `${text} ilike ${loose}`
  const exact = `upper(${bind(pattern)}::text collate ${naturalOrder})`
  return (text) => `(${text} ilike ${loose} and upper(${text} collate ${naturalOrder}) like ${exact})`
}

/** The operator of a regular expression, with the collation that knows the case of all letters where it matters. */
export const matches = (operator: string, value: string): string =>
  operator === "~*" && loosened(value) !== value ? `collate ${naturalOrder} ${operator}` : operator

const matching =
  (before: string, after: string): Lookup =>
  ({ sql, type }, values, bind) =>
    either(values.map((value) => alike(`${before}${escaped(value)}${after}`, bind)(asText(sql, type))))

const pattern =
  (operator: string): Lookup =>
  ({ sql, type }, values, bind) =>
    either(values.map((value) => `${asText(sql, type)} ${matches(operator, value)} ${bind(value)}`))

/** SQL of a value's text, as the index on it spells it. */
export const asText = (sql: string, type: string): string => (type === "text" ? sql : `(${sql}::text)`)

const empty: Lookup = ({ sql, type, kind }, values) => {
  const none =
    kind === "text"
      ? `(${sql} is null or ${sql} = '')`
      : kind === "list"
        ? `coalesce(cardinality(${sql}), 0) = 0`
        : `${sql} is null`
  return isTrue(values.at(-1) ?? "") ? none : `not ${type === "text" || kind === "list" ? none : `(${none})`}`
}

/** An address without a mask matches the host with any mask. */
const sameNetwork: Lookup = ({ sql, type }, values, bind) =>
  either(values.map((value) => sameAddress(sql, type, value, bind)))

/** As a list, also of one flag: Postgres 15 simplifies `= true` to a term for which it uses no GIN index. */
const sameFlag: Lookup = ({ sql }, values, bind) => `${sql} = any (${bind(values)}::text[]::boolean[])`

const overlapping: Lookup = ({ sql, type }, values, bind) =>
  `${sql} && ${bind(values)}::text[]${type === "text[]" ? "" : `::${type}`}`

const ordered: Readonly<Record<string, Lookup>> = {
  "": compared("="),
  lt: compared("<"),
  lte: compared("<="),
  gt: compared(">"),
  gte: compared(">="),
  empty
}

/** Suffix -> lookup of texts; `matching` takes what surrounds the value in a pattern, `pattern` an operator. */
export const ofTexts = <A>(
  matching: (before: string, after: string) => A,
  pattern: (operator: string) => A
): Readonly<Record<string, A>> => ({
  ic: matching("%", "%"),
  isw: matching("", "%"),
  iew: matching("%", ""),
  ie: matching("", ""),
  regex: pattern("~"),
  iregex: pattern("~*")
})

/** Equality whatever the case: with many values one array, which only an index on the lower case answers. */
const same: Lookup = (of, values, bind) => {
  if (of.isLowered === true && values.every((value) => loosened(value) === value)) {
    return values.length > singlesMax
      ? `lower(${of.sql}) = any (array(select lower(v) from unnest(${bind(values)}::text[]) v))`
      : either(values.map((value) => `lower(${of.sql}) = lower(${bind(value)})`))
  }
  if (values.length <= singlesMax) return matching("", "")(of, values, bind)
  const known = `select upper(v collate ${naturalOrder}) from unnest(${bind(values)}::text[]) v`
  return `upper(${asText(of.sql, of.type)} collate ${naturalOrder}) = any (array(${known}))`
}

const textual: Readonly<Record<string, Lookup>> = { ...ofTexts(matching, pattern), ie: same, empty }

/** Suffix -> lookup, by kind; "" is the name alone. A new lookup is one entry here. */
const lookups: Readonly<Record<Kind, Readonly<Record<string, Lookup>>>> = {
  text: { "": compared("="), ...textual },
  mac: { "": compared("="), ...textual },
  number: ordered,
  time: ordered,
  date: ordered,
  network: { "": sameNetwork, empty },
  choice: { "": compared("="), empty },
  flag: { "": sameFlag, empty },
  uuid: { "": compared("="), empty },
  list: { "": overlapping, empty }
}

/** All suffixes that some kind knows. */
export const everySuffix: ReadonlyArray<string> = [
  ...new Set([...Object.values(lookups).flatMap((known) => Object.keys(known)), ...Object.keys(negations)])
].filter((suffix) => suffix !== "")

/** The condition that the lookup holds between the comparand and at least one of the values. */
export const compare = (of: Comparand, suffix: string, values: ReadonlyArray<string>, bind: Bind): CompiledLookup => {
  const [asked, denied] = positive(suffix)
  const known = lookups[of.kind]
  const lookup = Object.hasOwn(known, asked) ? known[asked] : undefined
  if (lookup === undefined) return undefined
  if (asked === "empty") return lookup(of, values, bind)
  // As in NetBox, an empty text is ignored, and among choices it is none of them. `null` finds objects without a value.
  const isChoice = of.kind === "choice"
  const named = isChoice ? values : values.filter((value) => value !== "")
  const takesNull = isChoice || (asked === "" && of.field?.nullable === true)
  const given = takesNull ? named.filter((value) => value !== noValue) : named
  const read = Object.hasOwn(textual, asked) ? readTexts(asked, given) : readValues(of, given)
  if ("messages" in read) return read
  const parts = [
    ...(read.values.length > 0 ? [lookup(of, read.values, bind)] : []),
    ...(given.length < named.length ? [`${of.sql} is null`] : [])
  ]
  return parts.length === 0 ? undefined : denial(either(parts), denied)
}

/** The value of a parameter that finds objects without a value. */
export const noValue = "null"

/** The values of a lookup that compares texts; refuses regular expressions that are invalid. */
export const readTexts = (
  suffix: string,
  values: ReadonlyArray<string>
): { readonly values: ReadonlyArray<string> } | Refusal => {
  if (!/^i?regex$/.test(suffix)) return { values }
  const messages = values.flatMap((value) => patternProblem(value) ?? [])
  return messages.length > 0 ? { messages } : { values }
}

/** The values as parameters for Postgres, without those that are ignored; or what is wrong with them. */
export const readValues = (
  of: Comparand,
  values: ReadonlyArray<string>
): { readonly values: ReadonlyArray<string> } | Refusal => {
  const read = values.map((value) => readers[of.kind](value, of))
  const messages = read.flatMap((each) => ("message" in each ? [each.message] : []))
  if (messages.length > 0) return { messages }
  return { values: read.flatMap((each) => ("value" in each && each.value !== undefined ? [each.value] : [])) }
}

/** A value as a parameter for Postgres, undefined if it is ignored; or what is wrong with it. */
type Read = { readonly value: string | undefined } | { readonly message: string }

const or = (message: string, value: string | undefined): Read => (value === undefined ? { message } : { value })

export const isTrue = (value: string): boolean => /^(true|t|1|on|yes|y)$/i.test(value)
export const isFalse = (value: string): boolean => /^(false|f|0|off|no|n)$/i.test(value)

const readers: Readonly<Record<Kind, (value: string, of: Comparand) => Read>> = {
  text: (value) => ({ value }),
  list: (value, { type }) => (type === "text[]" ? { value } : readNumber(value, type)),
  choice: (value, { field }) =>
    Object.hasOwn(field?.choices ?? {}, value) ? { value } : { message: unknownChoice(value) },
  flag: (value) => ({ value: isTrue(value) ? "true" : isFalse(value) ? "false" : undefined }),
  number: (value, { type }) => readNumber(value, type),
  time: (value, { field }) => or("Enter a valid date/time.", momentIn(field, value)),
  date: (value, { field }) => {
    const parsed = field?.parse(value)
    return or("Enter a valid date.", parsed !== undefined && "value" in parsed ? String(parsed.value) : undefined)
  },
  uuid: (value) => or("Enter a valid UUID.", isUuid(value) || /^[0-9a-f]{32}$/i.test(value) ? value : undefined),
  mac: (value) => or("Enter a valid MAC address.", isMac(value) ? value : undefined),
  network: (value) => or(wrongAddress, addressOf(value))
}

export const unknownChoice = (value: string): string =>
  `Select a valid choice. ${value} is not one of the available choices.`

const isMac = (value: string): boolean =>
  /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4}([0-9a-f]{2}\2[0-9a-f]{2}\2)?[0-9a-f]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}|[0-9a-f]{12})$/i.test(
    value
  )

const readNumber = (value: string, type: string): Read => {
  // Postgres accepts at most 16383 digits after the point.
  if (!/^-?\d{1,18}(\.\d{1,30})?$/.test(value)) return { message: "Enter a number." }
  if (!/^(numeric|real|double)/.test(type) && value.includes(".")) return { message: "Enter a whole number." }
  const most = type.startsWith("integer") ? 2 ** 31 - 1 : type.startsWith("smallint") ? 2 ** 15 - 1 : Infinity
  return Math.abs(Number(value)) <= most
    ? { value }
    : { message: `Ensure this value is less than or equal to ${most}.` }
}

/** The canonical form of a point in time; a day means its beginning. Undefined if it is invalid. */
const momentIn = (field: Field | undefined, value: string): string | undefined => {
  const parsed = field?.parse(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00Z` : value)
  return parsed !== undefined && "value" in parsed ? String(parsed.value) : undefined
}
