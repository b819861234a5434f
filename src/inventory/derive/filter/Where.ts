/** Conditions over a table as SQL with parameters, and how several become one. Pure. */
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
