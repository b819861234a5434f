/**
 * source: from the change table of a NetBox to events.
 *
 * Responsible for: reading every change that a NetBox records, by a slot of its own in that database or by polling,
 * folding the changes of one transaction to one event per object, and relaying the events into the WAL of this database
 * (Relay.ts), where capture finds them among the changes of the inventory. From there on they are events as any other.
 *
 * Guarantees: no recorded change is missed, and none is relayed twice, also where a process dies, the slot is lost, or
 * either database is away. The changes of one object are relayed in their order; those of a source in the order of its
 * commits, except that changes for which no slot existed follow the order of their ids. Each source has a session of its
 * own: one that is away, slow or refused delays no other. Nothing is written there but a publication and a slot.
 *
 * Does not: see what NetBox does not record (its shell, plain SQL, bulk_update). Does not match, queue or send. Does not
 * make events of changes before the source was attached.
 */
import { Cause, Effect, FiberMap, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CaptureError } from "../capture/CaptureError.ts"
import { paused } from "../eventloop/Pace.ts"
import { rowFromJson } from "../inventory/derive/values/Row.ts"
import { objectType } from "../inventory/Registry.ts"
import type Source from "../inventory/types/extras/Source.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { LastEvents } from "./Capacity.ts"
import { openDatabase, openSource, urlOf } from "./OpenSource.ts"
import { pollSession } from "./Poll.ts"
import { dropOrphans } from "./slot/Orphans.ts"
import { limitWal } from "./slot/SourceSlot.ts"
import type { SourceRow } from "./SourceRow.ts"
import { StateConflict } from "./state/SourceState.ts"
import { streamSession } from "./Stream.ts"

const type = objectType<typeof Source>("extras.source")

/** Reads all enabled sources, as far as no other process does. */
export const sources = Layer.effectDiscard(
  Effect.gen(function* () {
    const reading = yield* FiberMap.make<string>()
    const last: LastEvents = new Map()
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(followTurn(reading, last), followPause)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(dropOrphans), orphanPause)))
  })
)

const followPause = paused(({ capture }) => capture.reportMillis)

const orphanPause = paused(({ capture }) => capture.heartbeatMillis)

/** The fields by which a session reads: where one of them is changed, another session begins. */
const settings = [
  ...["enabled", "name", "mode", "database_url", "publication", "slot", "wal_limit", "api_url", "api_token"]
] as const satisfies ReadonlyArray<keyof SourceRow>

const keyOf = (row: SourceRow): string => JSON.stringify([row.id, ...settings.map((name) => row[name])])

/** Begins to read sources that are new or changed, and ends reading of others. The slots of disabled ones are limited. */
const followTurn = Effect.fnUntraced(
  function* (reading: FiberMap.FiberMap<string>, last: LastEvents) {
    const rows = yield* allSources
    const wanted = new Map(rows.map((row) => [keyOf(row), row]))
    for (const [key] of reading) if (!wanted.has(key)) yield* FiberMap.remove(reading, key)
    for (const [key, row] of wanted)
      yield* FiberMap.run(reading, key, row.enabled ? readSource(row, last) : limitSlot(row), { onlyIfMissing: true })
  },
  Effect.catch((error) => Effect.logDebug(`source: the sources cannot be read: ${inWords(error)}`))
)

/** Guards the disk of a NetBox that is not read now. */
const limitSlot = (row: SourceRow) =>
  Effect.scoped(
    Effect.flatMap(Effect.flatMap(urlOf(row), openDatabase), (sql) =>
      row.mode === "stream" ? limitWal(sql, row) : Effect.never
    )
  ).pipe(
    Effect.catch((error) => Effect.logDebug(`source ${row.name}: its slot cannot be measured: ${inWords(error)}`)),
    Effect.andThen(orphanPause),
    Effect.forever
  )

const allSources = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update extras_source set status = 'stopped', status_note = '', status_since = now()
     where not enabled and status in ('reading', 'failing')`
  const rows = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `select row_to_json(t) as row from ${type.table} t order by t.id`
  )
  return rows.map(({ row }): SourceRow => rowFromJson(type, row))
})

/** Runs one session after another. A process that finds another one at work tries again, and takes over. */
const readSource = (row: SourceRow, last: LastEvents) => {
  let failures = 0
  const session = Effect.gen(function* () {
    const source = yield* openSource(row, last)
    const types = [...source.table.contentTypes.values()].toSorted()
    const reading = Effect.suspend(() => {
      failures = 0
      return Effect.andThen(
        Effect.logInfo(`source ${row.name}: reading its changes`),
        noteStatus(row.id, { status: "reading", note: "", types })
      )
    })
    return yield* row.mode === "poll" ? pollSession(source, reading) : streamSession(source, reading)
  })
  return Effect.scoped(session).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : afterFailure(row, Cause.squash(cause), failures++)
    ),
    Effect.forever
  )
}

/** Reports the failure, and pauses before the next session. */
const afterFailure = Effect.fnUntraced(function* (row: SourceRow, error: unknown, failures: number) {
  if (error instanceof StateConflict && error.reason === "Repeated") return
  const isStandby = error instanceof StateConflict || (error instanceof CaptureError && error.reason === "SlotActive")
  if (isStandby) return yield* standbyPause
  yield* Effect.logError(`source ${row.name}: ${inWords(error)}`)
  yield* Effect.ignore(noteStatus(row.id, { status: "failing", note: inWords(error) }))
  yield* paused(({ capture }) => Math.min(capture.sessionMinMillis * 2 ** failures, capture.sessionMaxMillis))
})

const standbyPause = paused(({ capture }) => capture.standbyRetryMillis)

interface NotedStatus {
  readonly status: SourceRow["status"]
  readonly note: string
  /** Its object types; absent where they were not read. */
  readonly types?: ReadonlyArray<string>
}

/** Writes the status into the row of the source, where it is another one. */
const noteStatus = Effect.fnUntraced(function* (id: number, { status, note, types }: NotedStatus) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update extras_source set status = ${status}, status_note = ${note}, status_since = now(),
           object_types = coalesce(${types ?? null}::text[], object_types)
     where id = ${`${id}`}::text::bigint
       and (status, status_note, object_types)
           is distinct from (${status}, ${note}, coalesce(${types ?? null}::text[], object_types))`
})
