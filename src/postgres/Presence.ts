/**
 * The running processes and their status.
 *
 * A part of a process registers how to compute its status (`tell`). Every few seconds the status is written to a table
 * for all processes (`/api/status/`); metrics read it directly. The table is unlogged: nothing in it is worth keeping,
 * and it adds nothing to the WAL.
 */
import { hostname } from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Settings, version } from "../Config.ts"
import { Environment } from "../Environment.ts"
import { optionsSet } from "../ShownOptions.ts"
import { Pace } from "../eventloop/Pace.ts"
import { Stall } from "../eventloop/Stall.ts"
import { seconds, statusMetrics } from "../telemetry/StatusMetrics.ts"
import type { Table } from "./migrate/Table.ts"
import { announceChannel } from "./Messages.ts"

/** Plain values by name; numbers are metrics. */
export type Status = Readonly<Record<string, string | number | boolean>>

export interface Process {
  /** Host and process number. */
  readonly name: string
  readonly started: string
  /** When it wrote its status last. */
  readonly seen: string
  /** Whether that is so long ago that the process counts as lost. */
  readonly lost: boolean
  /** Whether it drains: it takes no new work. */
  readonly quiet: boolean
  readonly parts: Readonly<Record<string, Status>>
}

export class Presence extends Context.Service<
  Presence,
  {
    /** Registers the status of a part of this process. */
    readonly tell: (part: string, status: Effect.Effect<Status>) => Effect.Effect<void>
    /** The current status of each part of this process. */
    readonly here: Effect.Effect<Readonly<Record<string, Status>>>
    /** A sentence if this process cannot write its status. */
    readonly problems: Effect.Effect<ReadonlyArray<string>>
    /** All processes that wrote their status lately. */
    readonly everybody: Effect.Effect<ReadonlyArray<Process>, SqlError.SqlError>
    /** Writes the status of this process, and returns whether it has to drain. */
    readonly heartbeat: Effect.Effect<boolean, SqlError.SqlError>
  }
>()("rackwire/inventory/Presence") {
  static readonly layer = Layer.effect(
    Presence,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pace = yield* Pace
      const options = JSON.stringify(optionsSet(yield* Settings, yield* Environment))
      const { writeMillis, unwrittenMillis } = pace.presence
      const processName = yield* ProcessName
      const parts = new Map<string, Effect.Effect<Status>>()
      const measure = yield* measureProcess
      let measured = measure()
      parts.set(
        "process",
        Effect.sync(() => measured)
      )
      const here = Effect.suspend(() => Effect.all(Object.fromEntries(parts)))
      let quiet = false
      const write = Effect.gen(function* () {
        measured = measure()
        const status = JSON.stringify(yield* here)
        // Where the table was emptied by a crash of Postgres, the process itself keeps whether it has to drain.
        const [row] = yield* sql<{ readonly quiet: boolean }>`
          insert into rackwire_process (name, seen, quiet, options, parts)
          values (${processName}, now(), ${quiet}, ${options}::jsonb, ${status}::jsonb)
          on conflict (name) do update set seen = now(), parts = excluded.parts returning quiet`
        quiet = row!.quiet
        return quiet
      })
      // A process that was killed may have had the same name.
      yield* Effect.ignore(sql`
        delete from rackwire_process where name = ${processName} or seen < now() - ${lostFor}::interval`)
      yield* Effect.addFinalizer(() => Effect.ignore(sql`delete from rackwire_process where name = ${processName}`))
      const stall = new Stall("the database takes no writes", unwrittenMillis)
      yield* Effect.ignore(stall.watch(write)).pipe(Effect.schedule(Schedule.spaced(writeMillis)), Effect.forkScoped)
      return Presence.of({
        tell: (part, status) =>
          Effect.andThen(
            Effect.sync(() => parts.set(part, status)),
            Effect.ignore(write)
          ),
        here,
        problems: Effect.sync(() => stall.problems()),
        everybody: processesSeen(pace.presence.silenceMillis).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.provideService(Pace, pace)
        ),
        heartbeat: write
      })
    })
  )
}

/** SQL: whether the process of a row of `presenceTable` is alive. */
export const isAlive = Effect.map(
  Pace,
  ({ presence }) => `seen > now() - interval '${presence.silenceMillis} milliseconds'`
)

/** The processes that wrote their status lately. */
const processesSeen = Effect.fnUntraced(function* (withinMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly process: Process }>`
    select json_build_object('name', name, 'started', began, 'seen', seen,
             'lost', not (${sql.literal(yield* isAlive)}), 'quiet', quiet, 'parts', parts) as process
      from rackwire_process where seen > now() - ${`${withinMillis} milliseconds`}::interval order by name`
  return rows.map(({ process }) => process)
})

/** Time for which processes are shown that ended without a farewell: their last status is old. */
const shownMillis = 600_000

/** The running processes, and processes that ended without a farewell lately. */
export const processesAndLost = processesSeen(shownMillis)

/**
 * Makes a process drain, or take work again. Returns whether there is such a process. `processChannel`
 * notifies it at once; its next heartbeat would.
 */
export const setQuiet = Effect.fnUntraced(function* (name: string, quiet: boolean) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly told: string }>`
    with told as (
      update rackwire_process set quiet = ${quiet}
       where name = ${name} and ${sql.literal(yield* isAlive)} and parts ? 'deliver' returning name)
    select pg_notify(${announceChannel}, ${processNews})::text as told from told`
  return rows.length > 0
})

/** Announced when a process has to drain, or to take work again. */
export const processNews = "rackwire.process"

/** Pause between two measurements of the event loop, milliseconds. */
const loopMillis = 50

/** Measures this process: its memory, and the longest delay of its event loop since the last measurement. */
const measureProcess = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const delay = monitorEventLoopDelay({ resolution: loopMillis })
      delay.enable()
      return delay
    }),
    (delay) => Effect.sync(() => delay.disable())
  ),
  (delay) => (): Status => {
    // A measurement includes the pause before it.
    const longestMillis = delay.max / 1_000_000 - loopMillis
    delay.reset()
    return {
      version,
      node: process.versions.node,
      rssBytes: process.memoryUsage.rss(),
      loopDelayMillis: Math.max(0, Math.round(longestMillis))
    }
  }
)

/** The name of this process for the others; a test that runs several services in one process names each of them. */
export const ProcessName = Context.Reference<string>("rackwire/inventory/ProcessName", {
  defaultValue: () => `${hostname()} ${process.pid}`
})

/** Rows of processes that wrote no status for this long are deleted. */
const lostFor = "1 day"

export const presenceTable: Table = {
  name: "rackwire_process",
  daily: false,
  unlogged: true,
  columns: [
    { name: "name", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "seen", type: "timestamp with time zone", nullable: false },
    { name: "quiet", type: "boolean", nullable: false, default: "false" },
    // The options that its environment sets, without secrets: the environment of `check` may be another one.
    { name: "options", type: "jsonb", nullable: false, default: "'{}'::jsonb" },
    { name: "parts", type: "jsonb", nullable: false }
  ],
  constraints: [{ name: "rackwire_process_name_key", sql: "unique (name)" }],
  indexes: [],
  triggers: [],
  published: false
}

statusMetrics("process", {
  rssBytes: { name: "rackwire_resident_memory_bytes", help: "Resident memory of this process.", symptom: "process" },
  loopDelayMillis: {
    name: "rackwire_event_loop_delay_seconds",
    help: "Longest delay of the event loop in the last two seconds.",
    symptom: "api",
    value: seconds
  }
})
