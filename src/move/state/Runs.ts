/** The reports of moves and comparisons, which the console shows. A dry run leaves none: it writes nothing. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../../postgres/migrate/Table.ts"
import type { MoveReport } from "../Report.ts"
import type { VerifyReport } from "../Verify.ts"

export const runTable: Table = {
  name: "rackwire_move_run",
  daily: false,
  columns: [
    { name: "time", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "kind", type: "text", nullable: false },
    { name: "report", type: "jsonb", nullable: false }
  ],
  constraints: [],
  indexes: [],
  triggers: [],
  published: false
}

export type Run = { readonly id: number; readonly time: string } & (
  | { readonly kind: "move"; readonly report: MoveReport }
  | { readonly kind: "verify"; readonly report: VerifyReport }
)

export const keepRun = Effect.fnUntraced(function* (kind: Run["kind"], report: MoveReport | VerifyReport) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into rackwire_move_run (kind, report) values (${kind}, ${JSON.stringify(report)}::text::jsonb)`
})

/** The last runs, the newest first. */
export const lastRuns = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Run>`
    select id::float8 as id, to_json(time)#>>'{}' as time, kind, report
      from rackwire_move_run order by id desc limit ${limit}::int`
})
