/** Reading ids and names alone, of objects that the reader may view. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared, visibleToSender } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import { after, allOf, whereIds } from "../derive/filter/Where.ts"
import { type Page, pageQuery } from "./Read.ts"

/** The ids of a page of objects, in its order. */
export const idsOf = Effect.fnUntraced(function* (type: ObjectType, page: Page) {
  const sql = yield* SqlClient.SqlClient
  const query = pageQuery(type, page, yield* cleared(type, "view"))
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select id::text as id from (${query.sql}) t`,
    query.parameters
  )
  return rows.map(({ id }) => Number(id))
})

/** The names of these objects by their ids, for a type with the field `name`. */
export const namesByIds = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const where = allOf(whereIds(ids), yield* cleared(type, "view"))
  const rows = yield* sql.unsafe<{ readonly id: string; readonly name: string }>(
    `select t.id::text as id, t.name from ${type.table} t where ${where.sql}`,
    where.parameters
  )
  return new Map(rows.map(({ id, name }) => [Number(id), name]))
})

/** The types, among these, that have an object of this id, found by one statement. */
export const typesWithId = Effect.fnUntraced(function* (types: ReadonlyArray<ObjectType>, id: number) {
  if (types.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const visible = yield* visibleToSender
  const parameters: Array<unknown> = [`${id}`]
  const parts = types.map((type, at) => {
    const where = visible(type)
    const condition = after(parameters.length, where)
    parameters.push(...where.parameters)
    return `select ${at} as at where exists (select from ${type.table} t where t.id = $1::bigint and (${condition}))`
  })
  const rows = yield* sql.unsafe<{ readonly at: number }>(parts.join(" union all "), parameters)
  return rows.map(({ at }) => types[at]!)
})
