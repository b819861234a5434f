/**
 * move: an existing NetBox, read from its database, into an inventory of ours.
 *
 * Responsible for: reading one snapshot of a NetBox database of the releases 3.1 to 4.2; finding by its columns where the
 * values of each object type are; converting rows by the rules of the types' fields; writing them under their ids, with
 * their times, in an order in which every object exists before others refer to it; reporting each row or value that is
 * not stored as NetBox had it; following in a later run what changed there (Plan.ts); comparing both sides (Verify.ts).
 *
 * Guarantees: nothing is written in the source. A page of rows is written in one transaction, and a run that ended early
 * is continued by the next one; a dry run is one transaction, rolled back. A row that our rules or Postgres refuse is
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
import { findTaken, giveNewIds, takenInWords } from "./Existing.ts"
import { continueIds } from "./Load.ts"
import { homelessRows } from "./Homeless.ts"
import { filesIn } from "./source/Files.ts"
import { ordered } from "./source/Order.ts"
import { forgetDigests, hasMoved, keepStates } from "./state/Moved.ts"
import { type Deleted, deleteAbsent, findDeleted, noneDeleted } from "./Deleted.ts"
import { onlyRun } from "./state/Lock.ts"
import type { Prefer } from "./state/Plan.ts"
import { type Finding, type MoveReport, type TypeReport, exampleOf } from "./Report.ts"
import type { Selection } from "./source/Selection.ts"
import { MoveRefused, type Source, type SourceAddress, withSource } from "./source/Source.ts"
import { type InTransaction, type Moving, type Transfer, setLater, transferType, writeRefused } from "./Transfer.ts"

export interface MoveOptions {
  readonly source: SourceAddress
  readonly isDryRun: boolean
  /** Whether a row that is refused ends the move. */
  readonly isStrict: boolean
  /** Whether events are made of the rows, for which webhooks fire. */
  readonly fires: boolean
  /** Whether webhooks are enabled here as they were there: NetBox would send each request too. */
  readonly enablesWebhooks: boolean
  /** The media folder of NetBox; if undefined, the images of a database are left out. */
  readonly media: string | undefined
  /** Whether ids that other objects have here end the move; otherwise objects of the source get new ids for these. */
  readonly keepsIds: boolean
  /** Which side counts where an object was changed on both; if undefined, such objects are reported. */
  readonly prefer: Prefer
  /** Receives each row or value that is not stored as NetBox had it. */
  readonly note: (finding: Finding) => void
  readonly progress: (type: string, rows: number, of: number) => Effect.Effect<void>
}

/** Moves everything, and returns the report. */
export const move = Effect.fnUntraced(function* (options: MoveOptions) {
  const begun = yield* Clock.currentTimeMillis
  yield* onlyRun
  return yield* withSource(options.source, (source) =>
    Effect.gen(function* () {
      const marked = inMarkedTransaction(options.fires)
      // A refused row takes back everything, and events of an object are one only within a transaction.
      const isWhole = options.isDryRun || options.isStrict || options.fires
      const writing = writeAll(source, options, { begun, inTransaction: isWhole ? (effect) => effect : marked })
      const written = yield* options.isDryRun ? rolledBack(marked(writing)) : isWhole ? marked(writing) : writing
      const log = yield* moveHistory(source, options)
      return {
        ...{ release: source.release, isDryRun: options.isDryRun, ...written },
        ...(log !== undefined && { types: [...written.types, log.report], history: log.history })
      } satisfies MoveReport
    })
  )
})

const writeAll = Effect.fnUntraced(function* (
  source: Source,
  options: MoveOptions,
  { begun, inTransaction }: { readonly begun: number; readonly inTransaction: InTransaction }
) {
  const { catalogue, selections } = source
  const { note, examples } = findingsOf(source, options.note)
  const isAgain = yield* hasMoved
  const deleted = yield* prepare(source, options, { isAgain, note })
  const transfer: Transfer = {
    ...{ source, inTransaction, isAgain, note },
    prefer: options.prefer,
    files: source.files ?? filesIn(options.media),
    enablesWebhooks: options.enablesWebhooks,
    began: new Date(begun).toISOString(),
    progress: options.progress
  }
  const types: Array<Moving> = []
  for (const { selection, later } of ordered(selections))
    if (!isEnd(selection)) types.push(yield* transferType(transfer, selection, later))
  if (isAgain) {
    // Objects that refer to others are deleted before them.
    for (const moving of types.toReversed()) yield* deleteAbsent(transfer, moving, deleted.of(moving.selection.type))
    for (const moving of types) yield* writeRefused(transfer, moving)
  }
  // In reverse: addresses get their inside address before machines get primary addresses, whose rule reads it.
  for (const moving of types.toReversed()) yield* setLater(transfer, moving)
  const ends: Array<TypeReport> = []
  for (const selection of selections.filter(isEnd)) {
    for (const ids of deleted.of(selection.type)) yield* forgetDigests(selection.type, ids)
    ends.push(yield* transferEnds(transfer, selection))
  }
  for (const selection of selections) yield* keepStates(selection)
  const reports = [...types.map(({ report }) => report), ...ends]
  const refused = reports.reduce((sum, report) => sum + report.refused, 0)
  if (options.isStrict && refused > 0) {
    const message = `${refused} rows are refused, so nothing was written; the file of details has each with its reason.`
    return yield* new MoveRefused({ reason: "RowsRefused", message })
  }
  const tables = yield* homelessRows(transfer)
  const unreadable = [...catalogue.tables].flatMap(([name, { isReadable, problem = name }]) =>
    isReadable ? [] : [problem]
  )
  return { types: reports, tables, unreadable, examples, millis: (yield* Clock.currentTimeMillis) - begun }
})

/** Cables have their ends from triggers. */
const isEnd = ({ type }: Selection): boolean => type.kind === "record"

/** Verifies before the first write that ids are free and that the source is that of earlier runs. */
const prepare = Effect.fnUntraced(function* (
  source: Source,
  { keepsIds, prefer, isDryRun }: MoveOptions,
  { isAgain, note }: Pick<Transfer, "isAgain" | "note">
) {
  const found = yield* findTaken(source)
  const taken = keepsIds ? takenInWords(found.taken) : undefined
  if (taken !== undefined) return yield* new MoveRefused({ reason: "IdsTaken", message: taken })
  const deleted = isAgain ? yield* findDeleted(source) : noneDeleted
  const problem = problemOfDeletions(deleted, prefer)
  if (problem !== undefined) return yield* new MoveRefused({ reason: "OtherSource", message: problem })
  // Nobody makes an object here under an id that is moved later, and no trigger an end of a cable.
  const lasts = new Map<Selection, number>()
  for (const selection of source.selections) {
    const last = yield* source.snapshot.lastId(selection.table)
    if (last === undefined) continue
    if (isDryRun && !isEnd(selection)) lasts.set(selection, last)
    else yield* continueIds(selection.type, last)
  }
  if (!keepsIds) yield* giveNewIds(source, found, { lasts, note })
  return deleted
})

/** A source that has less than half of what was moved is probably another NetBox, or an empty one. */
const problemOfDeletions = ({ count, kept }: Deleted, prefer: Prefer): string | undefined =>
  prefer === "source" || count <= kept
    ? undefined
    : `${count} of ${count + kept} objects that were moved are not in the source, so nothing was written: is it the same NetBox? With --prefer source they are deleted.`

/** Most findings of one kind and table in the report; the file has all. */
const examplesMax = 3

/** Passes findings on, which name objects as the source does, and keeps the first of each kind and table. */
const findingsOf = ({ selections, ids }: Source, pass: MoveOptions["note"]) => {
  const types = new Map(selections.map(({ type, table }) => [table, type.id]))
  const examples: Array<string> = []
  const counted = new Map<string, number>()
  const asThere = (finding: Finding): Finding => {
    const type = types.get(finding.table)
    if (type === undefined || finding.id === null || finding.kind === "renumbered") return finding
    return { ...finding, id: ids.there(type, finding.id) ?? finding.id }
  }
  const note = (here: Finding): void => {
    const finding = asThere(here)
    pass(finding)
    const kind = `${finding.kind} ${finding.table}`
    const count = (counted.get(kind) ?? 0) + 1
    counted.set(kind, count)
    if (count <= examplesMax) examples.push(exampleOf(finding))
  }
  return { note, examples }
}

/** Runs an effect in a transaction whose rows keep their times, and of which capture makes no events, unless it fires. */
const inMarkedTransaction =
  (fires: boolean): InTransaction =>
  (effect) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(mark(fires), effect)))

const mark = Effect.fnUntraced(function* (fires: boolean) {
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
