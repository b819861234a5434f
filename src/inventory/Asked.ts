/** Filters that compare neither a field nor the end of a path. */
import type { Counted } from "./Counted.ts"

export interface Asked {
  /**
   * The kind of `sql`: a condition, where the value of the filter is true or false; a text or a number, which the value
   * equals; or a condition on the value: an address, a type of objects that have tags, or objects of the type named.
   */
  readonly of: "flag" | "text" | "number" | "address" | "taggedType" | `${string}.${string}`
  /** SQL over `t`. `value` is SQL of the value: an address, the rows of the type, or a list of ids. */
  readonly sql: (...args: [...Parameters<Counted>, value: string]) => string
}

/** Whether a condition over `t` holds. */
export const flagged = (condition: string): Asked => ({ of: "flag", sql: () => condition })

/** Whether an object of a type refers to this one. */
export const pointedAtBy = (id: string, column: string): Asked => ({
  of: "flag",
  sql: (_, types, from) => `exists (select from ${from(types.get(id)!)} c where c.${column} = t.id)`
})
