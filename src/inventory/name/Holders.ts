/** The objects that refer to rows of a later file (BackReference.ts), as the file of these rows names them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { type ObjectType, columnOf } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { allOf, asTexts, whereIds } from "../derive/filter/Where.ts"
import { type BackReference, backReferencesTo } from "./BackReference.ts"

interface Pair {
  readonly id: string
  readonly holder: string | null
}

/** An object that refers to a row. */
export interface Holder {
  readonly type: string
  readonly id: number
  /** The key that names it, where it is not the one that `true` means. */
  readonly key: string | undefined
}

/** By id: the holders of these rows that the reader may view. */
export const holdersOf = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>) {
  const found = new Map<number, Holder>()
  const sql = yield* SqlClient.SqlClient
  for (const back of backReferencesTo(type)) {
    const holder = objectType(back.holder)
    const column = columnOf(holder, back.field)
    const pointing = { sql: `t.${column} = any ($1::text[]::bigint[])`, parameters: [asTexts(ids)] }
    const where = allOf(pointing, yield* cleared(holder, "view"))
    const pairs = yield* sql.unsafe<Pair>(
      `select t.${column}::text as id, t.id::text as holder from ${holder.table} t where ${where.sql}`,
      where.parameters
    )
    if (pairs.length === 0) continue
    const usual = yield* usualHolders(
      type,
      back,
      pairs.map(({ id }) => Number(id))
    )
    for (const each of pairs) {
      const [id, by] = [Number(each.id), Number(each.holder)]
      found.set(id, { type: holder.id, id: by, key: usual.get(id) === by ? undefined : back.key })
    }
  }
  return found as ReadonlyMap<number, Holder>
})

/** By id of the rows that the reference may lead to: the holder that `true` means, or null. */
export const usualHolders = Effect.fnUntraced(function* (
  type: ObjectType,
  { when, usual = "null::bigint" }: BackReference,
  ids: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  const where = whereIds(ids)
  const pairs = yield* sql.unsafe<Pair>(
    `select t.id::text as id, ${usual}::text as holder from ${type.table} t where ${where.sql} and ${when}`,
    where.parameters
  )
  return new Map(pairs.map(({ id, holder }) => [Number(id), holder === null ? null : Number(holder)] as const))
})
