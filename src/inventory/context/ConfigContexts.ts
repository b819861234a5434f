/** Reading the config contexts of devices and virtual machines: one statement for a page, merged when one is shown. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { appliedSql } from "./Applied.ts"
import { mergedData } from "./Merge.ts"
import { type Dictionary, type Row, type View, isDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { asTexts } from "../derive/filter/Where.ts"

interface Applied {
  readonly kind: "machine" | "context" | "large"
  readonly key: number
  readonly ids: ReadonlyArray<number> | null
  readonly data: unknown
}

/** The config contexts of these rows; undefined where they are too large together (`pageBytesMax`). */
export const configContextsOf = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  if (rows.length === 0) return (): undefined => undefined
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<Applied>(appliedSql(type), [asTexts(rows.map(({ id }) => id))])
  if (found.some(({ kind }) => kind === "large")) return undefined
  const data = new Map<number, Dictionary>()
  const applied = new Map<number, ReadonlyArray<number> | null>()
  for (const row of found) {
    if (row.kind === "machine") applied.set(row.key, row.ids)
    else if (isDictionary(row.data)) data.set(row.key, row.data)
  }
  const contextOf: NonNullable<View["configContext"]> = (id, local) => {
    const ids = applied.get(id)
    if (ids === undefined || ids === null) return ids
    return mergedData([...ids.map((each) => data.get(each)), local].filter(isDictionary))
  }
  return contextOf
})
