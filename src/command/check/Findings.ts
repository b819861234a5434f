/** The findings of `check` in the database of the service: uncaptured changes, whether it sends, and its processes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { Environment } from "../../Environment.ts"
import { optionsSet } from "../../ShownOptions.ts"
import { isAlive } from "../../postgres/Presence.ts"
import { keyAdvice, keyProblems } from "../../inventory/Reseal.ts"
import { setAsideTable } from "../../capture/SetAside.ts"
import { unacknowledgedGaps } from "../../capture/slot/Gaps.ts"
import { problemsIn } from "../../telemetry/ProblemKinds.ts"
import { sendingState } from "../../requests/Sending.ts"

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

interface RunningRoles {
  readonly captures: boolean
  readonly delivers: boolean
  /** Whether the service has captured changes before. */
  readonly hasRun: boolean
}

const runningRoles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly roles: RunningRoles }>`
    select json_build_object(
      'captures', coalesce(bool_or(parts ? 'capture'), false), 'delivers', coalesce(bool_or(parts ? 'deliver'), false),
      'hasRun', exists (select from rackwire_epoch)) as roles
      from rackwire_process where ${sql.literal(yield* isAlive)}`
  return row!.roles
})

/** Reports that no process runs the roles without which nothing is captured or sent, once the service has run. */
const judgeRoles = ({ captures, delivers, hasRun }: RunningRoles): ReadonlyArray<Finding> => {
  if (!hasRun || (captures && delivers)) return []
  const missing = [...(captures ? [] : ["capture"]), ...(delivers ? [] : ["deliver"])]
  return [
    {
      what: "running processes",
      is: `none with the role ${missing.join(" or ")}`,
      change: `rackwire serve --roles ${missing.join(",")}  or start the service of this machine: changes wait meanwhile.`
    }
  ]
}

const roleFindings = Effect.map(runningRoles, judgeRoles).pipe(
  // Before the first start the tables do not exist.
  Effect.catch(() => Effect.succeed([]))
)

/** Reports the problems, alarms and warnings of running processes. */
const processFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly problem: string }>`
    select name, parts -> 'health' ->> 'problem' as problem from rackwire_process
     where ${sql.literal(yield* isAlive)} and parts -> 'health' ->> 'problem' <> '' order by name`
  return rows.map(({ name, problem }): Finding => ({
    what: `process ${name}`,
    is: problemsIn(problem).join("; "),
    change: "Repair what it names; its log has the details, and its /health/ is without it afterwards."
  }))
  // Before the first start the table does not exist.
}).pipe(Effect.catch(() => Effect.succeed([])))

/** Reports that this command has another SECRET_KEY than the database. */
const keyFindings = Effect.map(
  keyProblems,
  (problems) => problems.map((is): Finding => ({ what: "key of secrets", is, change: keyAdvice }))
  // Before the first start the table does not exist.
).pipe(Effect.catch(() => Effect.succeed([])))

/**
 * Reports unlogged tables that own a sequence: the promotion of a standby leaves it unreadable, so that processes can
 * write neither their status nor the backlog.
 */
const sequenceFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly table: string; readonly sequence: string }>`
    select t.relname::text as table, s.relname::text as sequence
      from pg_class s
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
      join pg_class t on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid
     where s.relkind = 'S' and t.relpersistence = 'u' and t.relnamespace = current_schema()::regnamespace
     order by 1`
  return rows.map(({ table, sequence }): Finding => ({
    what: "unlogged table",
    is: `${table} owns the sequence ${sequence}, which the promotion of a standby makes unreadable`,
    change: `rackwire migrate;  removes those of Rackwire's own tables. Others: alter table ${table} set logged;`
  }))
})

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
  Effect.all([
    Effect.map(setAsideFacts, judgeSetAside),
    gapFindings,
    keyFindings,
    sequenceFindings,
    sendingFindings,
    roleFindings,
    processFindings
  ]),
  (found) => found.flat()
)

/** One line for each running process, with the lag of capture. */
export const running = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly line: string }>`
    select name || ': ' || string_agg(part || ' ' || status, '; ' order by part) as line
      from rackwire_process, jsonb_each(parts) as p (part, status) where ${sql.literal(yield* isAlive)} group by name`
  return rows.map(({ line }) => line)
}).pipe(Effect.catch(() => Effect.succeed([])))

/** One line for each running process whose options differ from those of this command. */
export const otherOptions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const here = optionsSet(yield* Settings, yield* Environment)
  const rows = yield* sql<{ readonly name: string; readonly options: Readonly<Record<string, string>> }>`
    select name, options from rackwire_process where ${sql.literal(yield* isAlive)} order by name`
  return rows.flatMap(({ name, options }) => {
    const differing = [...new Set([...Object.keys(options), ...Object.keys(here)])].filter(
      (option) => options[option] !== here[option]
    )
    const each = differing.map(
      (option) => `${option}=${options[option] ?? "(default)"}, here ${here[option] ?? "(default)"}`
    )
    return each.length === 0 ? [] : [`${name} has other options: ${each.join("; ")}`]
  })
}).pipe(Effect.catch(() => Effect.succeed([])))
