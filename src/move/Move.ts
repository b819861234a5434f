/**
 * move: an existing NetBox, read from its database, into an inventory of ours.
 *
 * Responsible for: reading one snapshot of a NetBox database of the releases 3.1 to 4.2; finding by its columns where the
 * values of each object type are; converting rows by the rules of the types' fields; writing them under their ids, with
 * their times, in an order in which every object exists before others refer to it; reporting each row or value that is
 * not stored as NetBox had it; following in a later run what changed there (Plan.ts); comparing both sides (Verify.ts).
 *
 * Guarantees: nothing is written in the source. All rows are written in one transaction, so that a move that ends early
 * leaves nothing behind; a dry run is the same transaction, rolled back. A row that our rules or Postgres refuse is
 * reported with its table, its id and the reason, and stops no other row. Ids that other objects have stop the move
 * before its first write. A later run never writes over an object that was changed here. No event is made of the rows
 * (capture/MovedTransaction.ts), unless events are requested.
 *
 * The change log follows as history (History.ts).
 *
 * Does not: need NetBox running, or translate texts that name fields of a release (Jinja, constraints).
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../inventory/Vault.ts"
import { rolledBack } from "../inventory/write/Transaction.ts"
import { movedPrefix, movedText } from "../capture/MovedTransaction.ts"
import { transferEnds } from "./Ends.ts"
import { moveHistory } from "./History.ts"
import { findTaken } from "./Existing.ts"
import { continueIds } from "./Load.ts"
import { homelessRows } from "./Homeless.ts"
import { ordered } from "./source/Order.ts"
import { hasMoved, keepStates } from "./Moved.ts"
import type { Prefer } from "./Plan.ts"
import { type Finding, type MoveReport, type TypeReport, exampleOf } from "./Report.ts"
import type { Selection } from "./source/Selection.ts"
import { MoveRefused, type Source, type SourceAddress, withSource } from "./source/Source.ts"
import { type Moving, type Transfer, deleteGone, setLater, transferType, writeRefused } from "./Transfer.ts"

export interface MoveOptions {
  readonly source: SourceAddress
  readonly isDryRun: boolean
  /** Whether a row that is refused ends the move. */
  readonly isStrict: boolean
  /** Whether events are made of the rows, for which webhooks fire. */
  readonly fires: boolean
  /** Whether webhooks are enabled here as they were there: NetBox would send each request too. */
  readonly enablesWebhooks: boolean
  /** The media folder of NetBox; if undefined, images are left out. */
  readonly media: string | undefined
  /** Which side counts where an object was changed on both; if undefined, such objects are reported. */
  readonly prefer: Prefer
  /** Receives each row or value that is not stored as NetBox had it. */
  readonly note: (finding: Finding) => void
  readonly progress: (type: string, rows: number, of: number) => Effect.Effect<void>
}

/** Moves everything, and returns the report. */
export const move = Effect.fnUntraced(function* (options: MoveOptions) {
  const begun = yield* Clock.currentTimeMillis
  return yield* withSource(options.source, (source) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const writing = writeAll(source, options, begun)
      const written = yield* options.isDryRun ? rolledBack(writing) : sql.withTransaction(writing)
      const log = yield* moveHistory(source, options)
      return {
        ...{ release: source.release, isDryRun: options.isDryRun, ...written },
        ...(log !== undefined && { types: [...written.types, log.report], history: log.history })
      } satisfies MoveReport
    })
  )
})

const writeAll = Effect.fnUntraced(function* (
  { snapshot, catalogue, selections }: Source,
  options: MoveOptions,
  begun: number
) {
  const steps = ordered(selections)
  const taken = yield* findTaken(snapshot, selections)
  if (taken !== undefined) return yield* new MoveRefused({ reason: "IdsTaken", message: taken })
  yield* beginMove(options.fires)
  const examples: Array<string> = []
  const counted = new Map<string, number>()
  const transfer: Transfer = {
    snapshot,
    catalogue,
    isAgain: yield* hasMoved,
    prefer: options.prefer,
    media: options.media,
    enablesWebhooks: options.enablesWebhooks,
    began: new Date(begun).toISOString(),
    progress: options.progress,
    note: (finding) => {
      options.note(finding)
      const kind = `${finding.kind} ${finding.table}`
      const count = (counted.get(kind) ?? 0) + 1
      counted.set(kind, count)
      if (count <= examplesMax) examples.push(exampleOf(finding))
    }
  }
  const types: Array<Moving> = []
  const isEnd = ({ type }: Selection) => type.kind === "record"
  for (const { selection, later } of steps)
    if (!isEnd(selection)) types.push(yield* transferType(transfer, selection, later))
  if (transfer.isAgain) {
    // Objects that refer to others are deleted before them.
    for (const moving of types.toReversed()) yield* deleteGone(transfer, moving)
    const problem = problemOfDeletions(types, options.prefer)
    if (problem !== undefined) return yield* new MoveRefused({ reason: "OtherSource", message: problem })
    for (const moving of types) yield* writeRefused(transfer, moving)
  }
  for (const moving of types) yield* setLater(transfer, moving)
  const ends: Array<TypeReport> = []
  for (const selection of selections.filter(isEnd)) ends.push(yield* transferEnds(transfer, selection))
  for (const selection of selections) yield* keepStates(selection)
  for (const { type, table } of selections) {
    const last = yield* snapshot.lastId(table)
    if (last !== undefined && !options.isDryRun) yield* continueIds(type, last)
  }
  const refused = [...types.map(({ report }) => report), ...ends].reduce((sum, report) => sum + report.refused, 0)
  if (options.isStrict && refused > 0) {
    const message = `${refused} rows are refused, so nothing was written; the file of details has each with its reason.`
    return yield* new MoveRefused({ reason: "RowsRefused", message })
  }
  const tables = yield* homelessRows(transfer, selections)
  const unreadable = [...catalogue.tables].flatMap(([name, { isReadable, problem = name }]) =>
    isReadable ? [] : [problem]
  )
  const reports = [...types.map(({ report }) => report), ...ends]
  return { types: reports, tables, unreadable, examples, millis: (yield* Clock.currentTimeMillis) - begun }
})

/** A source that has less than half of what was moved is probably another NetBox, or an empty one. */
const problemOfDeletions = (types: ReadonlyArray<Moving>, prefer: Prefer): string | undefined => {
  const sum = (of: (report: TypeReport) => number) => types.reduce((total, { report }) => total + of(report), 0)
  const deleted = sum((report) => report.deleted)
  const kept = sum(({ unchanged, updated, conflicts }) => unchanged + updated + conflicts)
  if (prefer === "source" || deleted <= kept) return undefined
  return `${deleted} of ${deleted + kept} objects that were moved are not in the source, so nothing was written: is it the same NetBox? With --prefer source they are deleted.`
}

/** Most findings of one kind and table in the report; the file has all. */
const examplesMax = 3

/** Marks the transaction: capture makes no events of it, and rows keep their times. */
const beginMove = Effect.fnUntraced(function* (fires: boolean) {
  const sql = yield* SqlClient.SqlClient
  if (!fires) {
    const { seal } = yield* Vault
    const [current] = yield* sql<{ readonly xid: number }>`
      select mod(pg_current_xact_id()::text::numeric, 4294967296)::float8 as xid`
    const content = seal(movedText(current!.xid))
    yield* sql`select pg_logical_emit_message(true, ${movedPrefix}, ${content})::text`
  }
  yield* sql`select set_config('rackwire.keeps_times', 'on', true)`
})
