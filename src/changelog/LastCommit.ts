/** Finding a commit in the change log by an LSN. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inEpoch, lsnBits } from "../event/Position.ts"
import { changeType } from "../inventory/read/Changes.ts"

/** The condition for the changes of the last commit at or before the LSN, in the epoch of the newest change. */
export const lastCommitUpTo = Effect.fnUntraced(function* (lsn: bigint) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql<{ readonly position: string | null }>`
    select max(position)::text as position from extras_objectchange`
  const epoch = Number(BigInt(newest?.position ?? 0) >> lsnBits)
  return {
    sql: `t.position = (select max(c.position) from ${changeType.table} c where c.position <= $1::bigint)`,
    parameters: [`${inEpoch(epoch, lsn)}`]
  }
})
