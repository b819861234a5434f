/** Conditions put together. Pure. */
import type { Where } from "./Filter.ts"

export const everything: Where = { sql: "true", parameters: [] }
export const nothing: Where = { sql: "false", parameters: [] }

/** What meets both. */
export const and = (one: Where, other: Where): Where => {
  if (one === everything) return other
  return other === everything ? one : joined("and", [one, other])
}

/** What meets any of them. */
export const or = (wheres: ReadonlyArray<Where>): Where => {
  if (wheres.length === 0) return nothing
  if (wheres.includes(everything)) return everything
  return wheres.length === 1 ? wheres[0]! : joined("or", wheres)
}

const joined = (word: "and" | "or", wheres: ReadonlyArray<Where>): Where => {
  const parameters: Array<unknown> = []
  const parts = wheres.map((where) => {
    const part = `(${after(parameters.length, where)})`
    parameters.push(...where.parameters)
    return part
  })
  return { sql: parts.join(` ${word} `), parameters }
}

/** The condition's SQL where so many parameters come before its own. */
export const after = (count: number, { sql }: Where): string =>
  count === 0 ? sql : sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + count}`)
