/** Filters that compare neither a field nor the end of a path. */
import type { Table } from "./Counted.ts"

export interface SqlFilter {
  /**
   * The kind of `sql`: a condition, where the value of the filter is true or false; a text or a number, which the value
   * equals; or a condition on the value: a list of texts, an address, a type of objects that have tags, or objects of
   * the type named. `search`: a condition that costs much for each row; it is evaluated for the first `searchedMax`
   * rows, in the usual order, of those that meet the other filters.
   */
  readonly of: "flag" | "text" | "number" | "texts" | "address" | "taggedType" | "search" | `${string}.${string}`
  /**
   * SQL over `t`. `value` is SQL of the value: a list of texts, an address, the rows of the type, a list of ids, or the
   * pattern of `ilike` for texts that contain it.
   */
  readonly sql: <Type extends Table>(
    type: Type,
    types: ReadonlyMap<string, Type>,
    from: (type: Type) => string,
    value: string
  ) => string
  /** In place of `sql` for users who may not see every object of the type: other texts may reveal hidden values. */
  readonly sqlOfSome?: SqlFilter["sql"]
}

/** Most rows that a filter of the kind `search` reads. */
export const searchedMax = 5000

/** Whether a condition over `t` holds. */
export const flagged = (condition: string): SqlFilter => ({ of: "flag", sql: () => condition })

/** Whether an object of a type, or of one of several types, refers to this one. */
export const pointedAtBy = (ids: string | ReadonlyArray<string>, column: string): SqlFilter => ({
  of: "flag",
  sql: (_, types, from) => {
    const rows = [ids].flat().map((id) => `select c.${column} from ${from(types.get(id)!)} c`)
    // One semi-join over all of them, which indexes answer; of several conditions none could.
    return `exists (select from (${rows.join(" union all ")}) c where c.${column} = t.id)`
  }
})
