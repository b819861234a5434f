/**
 * Filters on custom fields: `cf_<name>` with the lookups of texts and numbers.
 *
 * The values of all custom fields are one JSON document in the row. Its index answers which documents hold the text or
 * the name at all; the condition beside it looks at the one value.
 */
import { literal } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { type Compiled, containing, denial, either, positive } from "./Lookup.ts"
import type { Bind } from "./Where.ts"

/** How a custom field is compared where the suffix does not say: its whole value, or any part of it. */
export type CustomFields = ReadonlyMap<string, "exact" | "loose">

const column = "t.custom_fields"

/** Suffix -> operator and what stands around the value, for texts. */
const textual: Readonly<Record<string, readonly [before: string, after: string]>> = {
  ic: ["%", "%"],
  isw: ["", "%"],
  iew: ["%", ""],
  ie: ["", ""]
}

const ordered: Readonly<Record<string, string>> = { lt: "<", lte: "<=", gt: ">", gte: ">=" }

export const customCondition = (
  type: ObjectType,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind,
  known: CustomFields | undefined
): Compiled => {
  if (!Object.hasOwn(type.fields, "custom_fields") || !/^[a-z0-9_]+$/i.test(name)) return undefined
  if (known !== undefined && !known.has(name)) return undefined
  const [asked, denied] = positive(suffix)
  const given = values.filter((value) => value !== "")
  if (given.length === 0) return undefined
  const key = literal(name)
  if (asked === "empty") return emptiness(key, given.at(-1)!)
  if (Object.hasOwn(ordered, asked)) return ordering(key, ordered[asked]!, given, bind)
  const lookup = asked === "" && known?.get(name) !== "exact" ? "loose" : asked
  if (lookup !== "" && lookup !== "loose" && !Object.hasOwn(textual, lookup)) return undefined
  return denial(either(given.map((value) => one(key, lookup, value, bind))), denied)
}

const emptiness = (key: string, value: string): string => {
  const none = `coalesce(${column} -> ${key}, 'null') in ('null', '""', '[]')`
  return /^(true|t|1|on|yes)$/i.test(value) ? none : `not ${none}`
}

const ordering = (key: string, operator: string, values: ReadonlyArray<string>, bind: Bind): Compiled => {
  const number = `case when jsonb_typeof(${column} -> ${key}) = 'number' then (${column} ->> ${key})::numeric end`
  const date = `case when jsonb_typeof(${column} -> ${key}) = 'string' then ${column} ->> ${key} end`
  return either(
    values.map((value) =>
      /^-?\d{1,18}(\.\d+)?$/.test(value)
        ? `(${column} ? ${key} and ${number} ${operator} ${bind(value)}::numeric)`
        : `(${column} ? ${key} and ${date} ${operator} ${bind(value)} collate "C")`
    )
  )
}

/** Texts by the lookup; numbers, flags and items of a list only as a whole. */
const one = (key: string, lookup: string, value: string, bind: Bind): string => {
  const document = bind(containing(JSON.stringify(value).slice(1, -1)))
  const whole = bind(value)
  const text = `${column} ->> ${key}`
  const [before, after] = textual[lookup === "loose" ? "ic" : lookup] ?? ["", ""]
  const asText = lookup === "" ? `${text} = ${whole}` : `${text} ilike ${bind(pattern(before, value, after))}`
  return `(${column}::text ilike ${document} and case jsonb_typeof(${column} -> ${key}) when 'string' then ${asText} when 'array' then ${column} -> ${key} @> to_jsonb(array[${whole}::text]) else ${text} = ${whole} end)`
}

const pattern = (before: string, value: string, after: string): string =>
  `${before}${containing(value).slice(1, -1)}${after}`
