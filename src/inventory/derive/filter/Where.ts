/** Conditions over a table as SQL with parameters, and how several become one. Pure. */
import { isStorable } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import type { ObjectType } from "../../ObjectType.ts"

export interface Where {
  /** Condition over the table under the alias `t`, with `$1`… for `parameters`. */
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
}

/** Adds a parameter and returns its placeholder. */
export type Bind = (value: unknown) => string

export const everything: Where = { sql: "true", parameters: [] }

/** Holds for no row. */
export const nothing: Where = { sql: "false", parameters: [] }

/** Whether it holds for no row, whatever the table has. */
export const isNothing = ({ sql }: Where): boolean => sql === nothing.sql

/** Whether it holds for every row. */
export const isEverything = ({ sql }: Where): boolean => sql === everything.sql

/** The visible objects of a type. */
export type Visible = (type: ObjectType) => Where

/** For queries of the service itself. */
export const allVisible: Visible = () => everything

/** SQL of the visible rows of a type: its table if all of them are visible. */
export const visibleRows = (type: ObjectType, visible: Visible, bind: Bind): string => {
  const where = visible(type)
  return isEverything(where) ? type.table : `(select t.* from ${type.table} t where ${placed(where, bind)})`
}

/** The condition inside another statement, its parameters among those of the statement. */
const placed = ({ sql, parameters }: Where, bind: Bind): string => {
  const names = parameters.map(bind)
  return sql.replaceAll(/\$(\d+)/g, (_, number: string) => names[Number(number) - 1]!)
}

/** Ids as a parameter for `::text[]::bigint[]`: the driver wants all numbers of an array to fit the same type. */
export const asTexts = (ids: Iterable<number>): ReadonlyArray<string> => Array.from(ids, String)

/** Rows of these ids. */
export const whereIds = (ids: ReadonlyArray<number>): Where => ({
  sql: "t.id = any ($1::text[]::bigint[])",
  parameters: [asTexts(ids)]
})

type FieldOf<T extends ObjectType> = (keyof T["fields"] & string) | "id"

/** Rows with these values in these fields; none for a text that Postgres cannot keep. */
export const equalTo = <T extends ObjectType>(
  type: T,
  values: Readonly<Partial<Record<FieldOf<T>, string | number | bigint>>>
): Where => {
  if (!Object.values(values).every((value) => isStorable(`${value}`))) return nothing
  const parameters: Array<string> = []
  const parts = Object.entries(values).map(([name, value]) => {
    const { type: sqlType = "bigint", choices } = type.fields[name] ?? {}
    // Indexes of some rows alone are found by the text of the condition.
    const compared = choices === undefined ? `$${parameters.push(`${value}`)}::${sqlType}` : literal(`${value}`)
    return `t.${columnIn(type, name)} = ${compared}`
  })
  return { sql: parts.join(" and "), parameters }
}

/** Rows whose field is one of the texts. */
export const among = <T extends ObjectType>(type: T, name: FieldOf<T>, texts: ReadonlyArray<string>): Where => ({
  sql: `t.${columnIn(type, name)} = any ($1::text[])`,
  parameters: [texts.filter(isStorable)]
})

/** Rows whose list of texts has this one. */
export const withText = <T extends ObjectType>(type: T, name: FieldOf<T>, text: string): Where => ({
  sql: `t.${columnIn(type, name)} @> $1::text[]`,
  parameters: [[text]]
})

/** Rows whose list of references has one of the ids. */
export const refersToSome = <T extends ObjectType>(type: T, name: FieldOf<T>, ids: ReadonlyArray<number>): Where => ({
  sql: `t.${columnIn(type, name)} && $1::text[]::bigint[]`,
  parameters: [asTexts(ids)]
})

/** Rows whose reference is to an object of the target that meets the condition. */
export const refersToOne = (type: ObjectType, name: string, target: ObjectType, { sql, parameters }: Where): Where => ({
  sql: `t.${columnIn(type, name)} in (select t.id from ${target.table} t where ${sql})`,
  parameters
})

const columnIn = (type: ObjectType, name: string): string => type.columns[name] ?? "id"

/** The conjunction of conditions; `nothing` itself where one of them holds for no row. */
export const allOf = (...wheres: ReadonlyArray<Where>): Where =>
  wheres.some(isNothing) ? nothing : joined(" and ", "true", wheres)

/** The disjunction of conditions. */
export const anyOf = (...wheres: ReadonlyArray<Where>): Where => joined(" or ", "false", wheres)

const joined = (word: string, none: string, wheres: ReadonlyArray<Where>): Where => {
  const told = wheres.filter(({ sql }) => sql !== none)
  if (told.length === 0) return { sql: none, parameters: [] }
  const [only, ...others] = told
  if (only !== undefined && others.length === 0) return only
  const parts: Array<string> = []
  const parameters: Array<unknown> = []
  for (const where of told) {
    const sql = after(parameters.length, where)
    parts.push(`(${sql})`)
    parameters.push(...where.parameters)
  }
  return { sql: parts.join(word), parameters }
}

/** Shifts the placeholders of the condition by the number of parameters before it. */
export const after = (count: number, { sql }: Where): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + count}`)
