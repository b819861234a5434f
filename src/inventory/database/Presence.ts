/**
 * The running processes and their status.
 *
 * A part of a process registers how to compute its status (`tell`). Every two seconds the status is written to a table
 * for all processes (`/api/status/`); metrics read it directly. The table is unlogged: nothing in it is worth keeping,
 * and it adds nothing to the WAL.
 */
import { hostname } from "node:os"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Stall } from "../../Stall.ts"
import type { Table } from "../derive/table/Table.ts"

/** Plain values by name; numbers are metrics. */
export type Status = Readonly<Record<string, string | number | boolean>>

interface Process {
  /** Host and process number. */
  readonly name: string
  readonly started: string
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
  }
>()("rackwire/inventory/Presence") {
  static readonly layer = Layer.effect(
    Presence,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const parts = new Map<string, Effect.Effect<Status>>()
      const here = Effect.suspend(() => Effect.all(Object.fromEntries(parts)))
      const write = Effect.flatMap(
        here,
        (status) => sql`
          insert into rackwire_process (name, seen, parts) values (${processName}, now(), ${JSON.stringify(status)}::jsonb)
          on conflict (name) do update set seen = now(), parts = excluded.parts`
      )
      yield* Effect.addFinalizer(() => Effect.ignore(sql`delete from rackwire_process where name = ${processName}`))
      const stall = new Stall("the database takes no writes", unwrittenMillis)
      yield* Effect.ignore(stall.watch(write)).pipe(Effect.schedule(Schedule.spaced(writePause)), Effect.forkScoped)
      return Presence.of({
        tell: (part, status) =>
          Effect.andThen(
            Effect.sync(() => parts.set(part, status)),
            Effect.ignore(write)
          ),
        here,
        problems: Effect.sync(() => stall.problems()),
        everybody: Effect.map(
          sql<{ readonly process: Process }>`
            select json_build_object('name', name, 'started', began, 'parts', parts) as process
              from rackwire_process where seen > now() - ${forgottenAfter}::interval order by name`,
          (rows) => rows.map(({ process }) => process)
        )
      })
    })
  )
}

/** The name of this process for the others. */
export const processName = `${hostname()} ${process.pid}`

const writePause = "2 seconds"

/** Time without a written status that is a problem, milliseconds. */
const unwrittenMillis = 8000

/** A process that wrote no status for this long is gone. */
const forgottenAfter = "15 seconds"

export const presenceTable: Table = {
  name: "rackwire_process",
  daily: false,
  unlogged: true,
  columns: [
    { name: "name", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "seen", type: "timestamp with time zone", nullable: false },
    { name: "parts", type: "jsonb", nullable: false }
  ],
  constraints: [{ name: "rackwire_process_name_key", sql: "unique (name)" }],
  indexes: [],
  triggers: [],
  published: false
}
