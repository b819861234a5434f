/** Finding a commit in the change log by an LSN. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inEpoch, lsnBits } from "../event/Position.ts"
import { type Where, allOf } from "../inventory/derive/filter/Where.ts"
import { changeType } from "../inventory/read/Changes.ts"

/**
 * The condition for the changes of the last commit at or before the LSN, in the epoch of the newest change; an LSN beyond
 * its epoch is after all. Only visible changes count: otherwise a bisection would find where hidden ones are.
 */
export const lastCommitUpTo = Effect.fnUntraced(function* (lsn: bigint, visible: Where) {
  const sql = yield* SqlClient.SqlClient
  const last = (where: Where) => `select max(t.position) from ${changeType.table} t where ${where.sql}`
  const [newest] = yield* sql.unsafe<{ readonly position: string | null }>(
    `select (${last(visible)})::text as position`,
    visible.parameters
  )
  const epoch = Number(BigInt(newest?.position ?? 0) >> lsnBits)
  const before: Where = {
    sql: "t.position <= $1::bigint",
    parameters: [`${inEpoch(epoch, lsn < epochEnd ? lsn : epochEnd)}`]
  }
  const where = allOf(before, visible)
  return { sql: `t.position = (${last(where)})`, parameters: where.parameters } satisfies Where
})

const epochEnd = (1n << lsnBits) - 1n
