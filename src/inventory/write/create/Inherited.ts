/** Rows with the values that they take from objects they point at, where they have none of their own. Pure. */
import type { Row } from "../../Field.ts"
import { type Find, type ObjectType, fieldOf } from "../../ObjectType.ts"

/** `before`: the rows that are changed; none of new rows. */
export const inherited = (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  before: ReadonlyArray<Row>,
  find: Find
): ReadonlyArray<Row> => {
  const { inherits = [] } = type.creation
  if (inherits.length === 0) return rows
  return rows.map((row, at) => {
    const taken = inherits.flatMap(({ field, from: [reference, source], always = false, fits }) => {
      if (row[field] !== null || (!always && before[at] !== undefined)) return []
      const value = find(fieldOf(type, reference).reference!.type, row[reference] as number | null)?.[source] ?? null
      return value === null || fits?.(value, row, find) === false ? [] : [[field, value] as const]
    })
    return taken.length === 0 ? row : { ...row, ...Object.fromEntries(taken) }
  })
}
