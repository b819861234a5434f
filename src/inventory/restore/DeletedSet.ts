/**
 * The objects that were deleted with an object, and the objects that lost a reference to one of them, as the change log
 * has them: the changes of the same transaction have the same position.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { type Dictionary, isDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { registry } from "../Registry.ts"
import { allOf } from "../derive/filter/Where.ts"
import { type Change, changeType } from "../read/Changes.ts"
import { snapshotsAsSeen } from "../read/SeenTags.ts"
import { type LoggedObject, type Member, belongings, memberOf } from "./Members.ts"

export interface ClearedObject extends LoggedObject {
  readonly after: Dictionary
}

export interface DeletedSet {
  readonly root: Member
  /** The objects that were deleted because they belong to the root, or to one of them. */
  readonly others: ReadonlyArray<Member>
  readonly cleared: ReadonlyArray<ClearedObject>
  /** Whether the transaction has more changes than were read. */
  readonly isCut: boolean
}

/** Most changes of the transaction that are read, and most characters of their states. */
export const changesMax = 2000
const statesLengthMax = 8 * 1024 * 1024

interface LoggedChange {
  readonly type: string
  readonly id: string
  readonly name: string
  readonly action: string
  readonly before: unknown
  readonly after: unknown
}

/** The set that was deleted with the object of a change; `before` is its state. Has what the reader may view. */
export const deletedWith = Effect.fnUntraced(function* (change: Change, type: ObjectType, before: Dictionary) {
  const { isCut, logged } = yield* transactionOf(change)
  const own = { type, id: change.changed_object_id, name: change.object_repr, before }
  const root = memberOf(own)
  const deleted: Array<LoggedObject> = []
  const updated: Array<ClearedObject> = []
  // A transaction of several windows has several changes of an object.
  for (const changes of Map.groupBy(logged, ({ type, id }) => `${type.id} ${id}`).values()) {
    const [first, last] = [changes[0]!, changes.at(-1)!]
    if (last.after === undefined) deleted.push(first)
    else updated.push({ ...first, after: last.after })
  }
  const others = belongings(root, deleted.map(memberOf))
  return { root, others, cleared: updated, isCut } satisfies DeletedSet
})

/** The changes of the transaction that deleted or updated objects, in their order. */
const transactionOf = Effect.fnUntraced(function* ({ place, time }: Change) {
  const position = /^\d+(?=-)/.exec(place)?.[0]
  if (position === undefined) return { isCut: false, logged: [] }
  const sql = yield* SqlClient.SqlClient
  const where = allOf(
    {
      sql: "t.position = $1::bigint and t.time = $2::timestamptz and t.action <> 'create'",
      parameters: [position, time]
    },
    yield* cleared(changeType, "view")
  )
  const found = yield* sql.unsafe<LoggedChange & { readonly total: string }>(
    `select type, id, name, action, before, after from (
       select t.changed_object_type as type, t.changed_object_id::text as id, t.object_repr as name, t.action, t.idx,
              t.prechange_data as before, t.postchange_data as after,
              sum(length(t.prechange_data::text) + coalesce(length(t.postchange_data::text), 0))
                over (order by t.idx) as total
         from ${changeType.table} t where ${where.sql}) c
      where total <= ${statesLengthMax} order by idx limit ${changesMax}`,
    where.parameters
  )
  const [count] = yield* sql.unsafe<{ readonly count: string }>(
    `select count(*)::text as count from ${changeType.table} t where ${where.sql}`,
    where.parameters
  )
  const befores = yield* snapshotsAsSeen(found.map(({ before }) => before))
  const afters = yield* snapshotsAsSeen(found.map(({ after }) => after))
  const logged = found.flatMap(({ type, id, name, action }, at) => {
    const [known, before, after] = [registry.get(type), befores[at], afters[at]]
    if (known === undefined || !isDictionary(before)) return []
    const isGone = action === "delete"
    return [{ type: known, id: Number(id), name, before, after: !isGone && isDictionary(after) ? after : undefined }]
  })
  return { isCut: found.length < Number(count?.count), logged }
})
