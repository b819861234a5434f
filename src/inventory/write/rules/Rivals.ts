/** Checks the rules between a row and any other of its type, for a whole write at once and safe from concurrent writes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../Clearance.ts"
import type { Errors, Row } from "../../Field.ts"
import type { Find, ObjectType } from "../../ObjectType.ts"
import { type Rival, concerns } from "../../Rule.ts"
import { byIds } from "../../read/Read.ts"
import type { Conflict } from "../Unique.ts"
import { columnsOf, rowFromJson } from "../../derive/values/Row.ts"
import { asTexts, isEverything } from "../../derive/filter/Where.ts"

/** Size of the lock space: it bounds the locks of a write of any size, and unrelated writes seldom share one. */
const lockNumbers = 64

interface RivalRow {
  readonly at: number
  /** The id is 0 where the same write makes the object. */
  readonly other: Row
}

/** The conflicts of rows, as they would be stored, with their rivals; of updates that concern the rule. */
export const rivals = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  before: ReadonlyArray<Row>,
  find: Find
) {
  const conflicts: Array<Conflict> = []
  for (const rival of type.rivals) {
    const places = rows.flatMap((row, at) => (concerns(rival.fields, row, before[at]) ? [at] : []))
    if (places.length === 0) continue
    const written = places.map((at) => rows[at]!)
    const met = yield* meetings(type, rival, written)
    const hidden = yield* hiddenAmong(type, met)
    for (const { at, other } of met) {
      const errors = rival.errors(written[at - 1]!, rowFromJson(type, other), find)
      conflicts.push({ at: places[at - 1]!, errors: hidden.has(other.id) ? unexplained(type, errors) : errors })
    }
  }
  return conflicts
})

/** Ids of the rivals that the sender may not see. */
const hiddenAmong = Effect.fnUntraced(function* (type: ObjectType, met: ReadonlyArray<RivalRow>) {
  const ids = new Set(met.flatMap(({ other }) => (other.id > 0 ? [other.id] : [])))
  if (ids.size === 0 || isEverything(yield* cleared(type, "view"))) return new Set<number>()
  return ids.difference(new Set((yield* byIds(type, ids)).map(({ id }) => id)))
})

/** The same fields with a message that does not reveal the hidden rival. */
const unexplained = (type: ObjectType, errors: Errors): Errors =>
  Object.fromEntries(
    Object.keys(errors).map((name) => [name, [`This conflicts with another ${type.label}, which you may not view.`]])
  )

const meetings = Effect.fnUntraced(function* (type: ObjectType, rival: Rival, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const json = JSON.stringify(rows.map((row) => columnsOf(type, row)))
  const written = `jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality`
  // Locked in ascending order, so that two writes cannot deadlock.
  yield* sql.unsafe(
    `select pg_advisory_xact_lock(hashtext('${type.table}'), number)::text from (
       select distinct mod(abs(hashtext(${rival.lock})::bigint), ${lockNumbers})::int as number
         from ${written} j where ${rival.lock} is not null order by number) numbers`,
    [json]
  )
  const stored = yield* sql.unsafe<RivalRow>(
    `select distinct on (j.ordinality) j.ordinality::int as at, row_to_json(t) as other
       from ${written} j join ${type.table} t on ${rival.where}
      where t.id <> all ($2::text[]::bigint[]) order by j.ordinality, t.id`,
    [json, asTexts(rows.map(({ id }) => id))]
  )
  if (rows.length === 1) return stored
  // In the same write, the later one of two rivals is refused.
  const together = yield* sql.unsafe<RivalRow>(
    `select distinct on (j.ordinality) j.ordinality::int as at, to_json(t) as other
       from ${written} j join ${written} t on t.ordinality < j.ordinality and ${rival.where}
      order by j.ordinality, t.ordinality`,
    [json]
  )
  return [...stored, ...together]
})
