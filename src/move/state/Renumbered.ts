/** Objects whose ids others had here before, with the ids that they have in NetBox and here. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { Ids, type Pair } from "../source/Ids.ts"

export const renumberedTable: Table = {
  name: "rackwire_renumbered",
  daily: false,
  columns: [
    { name: "object_type", type: "text", nullable: false },
    { name: "source_id", type: "bigint", nullable: false },
    { name: "target_id", type: "bigint", nullable: false }
  ],
  constraints: [
    { name: "rackwire_renumbered_key", sql: "unique (object_type, source_id)" },
    { name: "rackwire_renumbered_target_key", sql: "unique (object_type, target_id)" }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** The pairs of all runs. */
export const readIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly type: string; readonly pairs: ReadonlyArray<Pair> }>`
    select object_type as type, json_agg(json_build_object('there', source_id, 'here', target_id)) as pairs
      from rackwire_renumbered group by object_type`
  const ids = new Ids()
  for (const { type, pairs } of rows) ids.add(type, pairs)
  return ids
})

/**
 * Gives objects of the source new ids of the table's sequence. `behind`: the last id of the source, where the sequence
 * does not continue behind it. Returns the pairs.
 */
export const renumber = Effect.fnUntraced(function* (
  type: ObjectType,
  ids: ReadonlyArray<number>,
  behind: number | undefined
) {
  const sql = yield* SqlClient.SqlClient
  const offset =
    behind === undefined
      ? sql`0`
      : sql`greatest(${`${behind}`}::bigint, (select max(id) from ${sql.literal(type.table)}))`
  return yield* sql<Pair>`
    insert into rackwire_renumbered (object_type, source_id, target_id)
    select ${type.id}, id, nextval(pg_get_serial_sequence(${type.table}, 'id')) + ${offset}
      from unnest(${asTexts(ids)}::text[]::bigint[]) id
    returning source_id::float8 as there, target_id::float8 as here`
})

/** Keeps pairs of objects that are one on both sides. */
export const keepPairs = Effect.fnUntraced(function* (type: ObjectType, pairs: ReadonlyArray<Pair>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into rackwire_renumbered (object_type, source_id, target_id)
    select ${type.id}, p.* from unnest(${asTexts(pairs.map(({ there }) => there))}::text[]::bigint[],
      ${asTexts(pairs.map(({ here }) => here))}::text[]::bigint[]) p`
})
