/** The findings of `check` in the database of the service: uncaptured changes, whether it sends, and its processes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAlive } from "../postgres/Presence.ts"
import { keyAdvice, keyProblems } from "../inventory/Reseal.ts"
import { setAsideTable } from "../capture/SetAside.ts"
import { unacknowledgedGaps } from "../capture/slot/Gaps.ts"
import { sendingState } from "../requests/Sending.ts"

/** The result of one check. `change` is the exact step to take; it is absent if the check passed. */
export interface Finding {
  readonly what: string
  readonly is: string
  readonly change?: string | undefined
}

interface SetAsideFacts {
  readonly count: number
  /** The latest one, as a sentence; null if there is none. */
  readonly latest: string | null
}

/** Reports changes that could not become events. */
const judgeSetAside = ({ count, latest }: SetAsideFacts): ReadonlyArray<Finding> =>
  latest === null
    ? []
    : [
        {
          what: "changes set aside",
          is: `${count}, the latest ${latest}`,
          change: `select * from ${setAsideTable.name};  No webhook heard of these: repair the objects, then delete the rows.`
        }
      ]

const setAsideFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly facts: SetAsideFacts }>(
    `select json_build_object('count', count(*), 'latest',
       (array_agg(object_type || ' ' || object_id || ': ' || reason order by position desc, idx desc))[1]) as facts
       from ${setAsideTable.name}`
  )
  return row!.facts
  // Before the first start the table does not exist; the other checks report a role without rights.
}).pipe(Effect.catch(() => Effect.succeed({ count: 0, latest: null })))

/** Reports the gaps of capture. */
const gapFindings = Effect.map(
  unacknowledgedGaps,
  (gaps) =>
    gaps.map(({ id, sentence }): Finding => ({
      what: "gap",
      is: sentence,
      change: `rackwire replay --gap ${id}  queues changes that rows still show;  rackwire gaps --acknowledge ${id}  ends the alarm.`
    }))
  // Before the first start the table does not exist; the other checks report a role without rights.
).pipe(Effect.catch(() => Effect.succeed([])))

/** Reports the reasons that running processes give for not being ready. */
const processFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly problem: string }>`
    select name, parts -> 'health' ->> 'problem' as problem from rackwire_process
     where ${sql.literal(yield* isAlive)} and parts -> 'health' ->> 'problem' <> '' order by name`
  return rows.map(({ name, problem }): Finding => ({
    what: `process ${name}`,
    is: problem,
    change: "Repair what it names; its log has the details, and /health/ready answers 200 afterwards."
  }))
  // Before the first start the table does not exist.
}).pipe(Effect.catch(() => Effect.succeed([])))

/** Reports that this command has another SECRET_KEY than the database. */
const keyFindings = Effect.map(
  keyProblems,
  (problems) => problems.map((is): Finding => ({ what: "SECRET_KEY", is, change: keyAdvice }))
  // Before the first start the table does not exist.
).pipe(Effect.catch(() => Effect.succeed([])))

/** Reports that operators have paused all sending. */
const sendingFindings = Effect.map(
  sendingState,
  ({ paused, since, by }): ReadonlyArray<Finding> =>
    paused
      ? [
          {
            what: "sending",
            is: `paused since ${since} by ${by}`,
            change: "POST /api/core/sending/resume/, or Resume sending on the page System > Background Tasks."
          }
        ]
      : []
  // Before the first start the table does not exist.
).pipe(Effect.catch(() => Effect.succeed([])))

export const serviceFindings = Effect.map(
  Effect.all([Effect.map(setAsideFacts, judgeSetAside), gapFindings, keyFindings, sendingFindings, processFindings]),
  (found) => found.flat()
)
