/** Changes of a source that no webhook gets, or should not have got: an alarm, until somebody acknowledges it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { gapTable } from "../../capture/slot/Gaps.ts"
import { lsnBits } from "../../event/Position.ts"
import type { SourceRow } from "../SourceRow.ts"

/** Notes it as a gap of the types of the source. */
export const noteLoss = Effect.fnUntraced(function* ({ id, name, object_types: types }: SourceRow, reason: string) {
  const sql = yield* SqlClient.SqlClient
  const place = `((number << ${lsnBits}) | pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint)`
  yield* sql.unsafe(
    `insert into ${gapTable.name} (cause, reason, object_types, since, until, from_position, to_position)
     select 'source', $1, $2::text[], coalesce((select read_at from rackwire_source where source_id = $3::text::bigint), now()),
            now(), ${place}, ${place}
       from rackwire_epoch order by number desc limit 1
     on conflict (cause, from_position, reason) do nothing`,
    [`source ${name}: ${reason}`, types.map((type) => `${id}:${type}`), `${id}`]
  )
  yield* Effect.logError(`source ${name}: ${reason}`)
})
