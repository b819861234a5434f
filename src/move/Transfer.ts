/** One object type from the source to the target, page by page. */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import type { SqlClient, SqlError } from "effect/sql"
import { registry } from "../inventory/Registry.ts"
import type { Vault } from "../inventory/Vault.ts"
import { imageFieldsOf } from "../inventory/image/ImageField.ts"
import { leftOut, storePictures, withPictures } from "./Images.ts"
import { addImages } from "./AddedImages.ts"
import { type SourceRow, convert } from "./source/Convert.ts"
import type { ImageFiles } from "./source/Files.ts"
import { type NewRow, type RefusedRow, insertRows, only, updateRows } from "./Load.ts"
import {
  digestOf,
  finishDigests,
  imagelessDigestOf,
  keepDigests,
  keepRefused,
  stepsOf,
  unfinishedDigestOf
} from "./state/Moved.ts"
import type { Prefer, Step } from "./state/Plan.ts"
import { type Finding, type TypeReport, emptyReport, withoutCredentials } from "./Report.ts"
import { type Selection, fieldsStatement, rowsStatement } from "./source/Selection.ts"
import { type Source, transactionRows } from "./source/Source.ts"

/** Runs an effect in a transaction of a move. */
export type InTransaction = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient | Vault>

export interface Transfer {
  readonly source: Source
  /** A page in a transaction of its own; or in that of the run, if it writes all or nothing. */
  readonly inTransaction: InTransaction
  /** Whether an earlier run wrote objects. */
  readonly isAgain: boolean
  readonly prefer: Prefer
  readonly began: string
  /** The files of images; if undefined, images are left out. */
  readonly files: ImageFiles | undefined
  /** Whether webhooks are enabled here as they were there. */
  readonly enablesWebhooks: boolean
  readonly note: (finding: Finding) => void
  readonly progress: (type: string, rows: number, of: number) => Effect.Effect<void>
}

/** A type on its way: its report, and what later passes need. */
export interface Moving {
  readonly selection: Selection
  /** References that are written after all types. */
  readonly later: ReadonlyArray<string>
  readonly report: TypeReport
  /** The objects whose references among `later` are still missing. */
  readonly unfinished: Set<number>
  /** Rows that were refused, but may be accepted when what was deleted there is deleted here. */
  refused: ReadonlyArray<SourceRow>
}

export const isKnown = (type: string): boolean => registry.get(type)?.kind !== undefined

/** Moves the rows of a type, the references among `later` left out. */
export const transferType = Effect.fnUntraced(function* (
  transfer: Transfer,
  selection: Selection,
  later: ReadonlyArray<string>
) {
  const { type, table } = selection
  const report = emptyReport(selection)
  const moving: Moving = { selection, later, report, unfinished: new Set(), refused: [] }
  const { source } = transfer
  const of = yield* source.snapshot.count(table, selection.where)
  yield* source.pages(selection, rowsStatement(selection), (page) =>
    Effect.gen(function* () {
      report.rows += page.length
      yield* transfer.inTransaction(writePage(transfer, moving, page, !transfer.isAgain))
      yield* transfer.progress(type.id, report.rows, of)
    })
  )
  return moving
})

/** Writes the rows that were refused before others were deleted. */
export const writeRefused = Effect.fnUntraced(function* (transfer: Transfer, moving: Moving) {
  const rows = moving.refused
  moving.refused = []
  for (const page of chunksOf(rows, transactionRows))
    yield* transfer.inTransaction(writePage(transfer, moving, page, true))
})

/** `isLast`: a row that is refused stays so. */
const writePage = Effect.fnUntraced(function* (
  transfer: Transfer,
  moving: Moving,
  page: ReadonlyArray<SourceRow>,
  isLast: boolean
) {
  const { type, table } = moving.selection
  // In a first run nothing is here but users of the same name.
  const isFirst = !transfer.isAgain && type.id !== "users.user"
  const wanted = page.map((row) => ({ id: row.id, now: digestOf(row) }))
  const known = isFirst ? undefined : yield* stepsOf(moving.selection, wanted, transfer.prefer)
  const at = (step: Step) => page.filter(({ id }) => (known?.steps.get(id) ?? "insert") === step)
  moving.report.unchanged += at("leave").length
  const imageless = at("leave").filter(({ id }) => known?.imageless.has(id))
  yield* addImages({ ...transfer, ...moving }, imageless)
  for (const { id } of at("leave")) if (known?.unfinished.has(id) === true) moving.unfinished.add(id)
  yield* keepDigests(moving.selection, at("accept"))
  moving.report.unchanged += at("accept").length
  for (const { id } of at("conflict")) conflict(transfer, moving, id, "The object was changed on both sides.")
  for (const step of ["insert", "update"] as const) {
    const sources = at(step)
    const { refused, rows, withoutImages } = yield* writeRows(transfer, moving, sources, step)
    const failed = new Map(refused.map(({ id, reason }) => [id, reason]))
    if (!isLast) moving.refused = [...moving.refused, ...sources.filter(({ id }) => failed.has(id))]
    else {
      for (const [id, reason] of failed) refuse(transfer, moving, { id, reason })
      yield* keepRefused(
        moving.selection,
        sources.filter(({ id }) => failed.has(id))
      )
    }
    const done = rows.filter(({ row }) => !failed.has(row.id))
    moving.report[step === "insert" ? "created" : "updated"] += done.length
    const isUnfinished = (row: SourceRow) => moving.later.some((name) => (row[name] ?? null) !== null)
    const kept = sources.filter(({ id }) => !failed.has(id))
    const unfinished = kept.filter(isUnfinished)
    for (const { id } of unfinished) moving.unfinished.add(id)
    const isFinished = (row: SourceRow) => !isUnfinished(row) && !withoutImages.has(row.id)
    yield* keepDigests(moving.selection, kept.filter(isFinished))
    yield* keepDigests(moving.selection, unfinished, unfinishedDigestOf)
    const lacking = kept.filter((row) => !isUnfinished(row) && withoutImages.has(row.id))
    yield* keepDigests(moving.selection, lacking, imagelessDigestOf)
    done.forEach((each) => noteRow(transfer, moving, table, each))
  }
})

export const refuse = (
  { note }: Transfer,
  { selection, report }: Pick<Moving, "selection" | "report">,
  { id, reason }: RefusedRow
): void => {
  report.refused += 1
  note({ kind: "refused", table: selection.table, id, reason })
}

export const conflict = ({ note }: Transfer, { selection, report }: Moving, id: number, reason: string): void => {
  report.conflicts += 1
  note({ kind: "conflict", table: selection.table, id, reason })
}

type Converted = Exclude<ReturnType<typeof convert>, { readonly refused: string }>

const writeRows = Effect.fnUntraced(function* (
  transfer: Transfer,
  { selection, later }: Moving,
  sources: ReadonlyArray<SourceRow>,
  step: "insert" | "update"
) {
  const { type } = selection
  const around = { contentTypes: transfer.source.catalogue.contentTypes, isKnown, began: transfer.began }
  const refused: Array<RefusedRow> = []
  const rows: Array<Converted> = []
  for (const source of sources) {
    const converted = convert(selection, source, around, later)
    if ("refused" in converted) refused.push({ id: converted.id, reason: converted.refused })
    else rows.push(converted)
  }
  const pictures = yield* withPictures(
    type,
    transfer.files,
    rows.map(({ row }) => row)
  )
  const isOff = type.id === "extras.webhook" && !transfer.enablesWebhooks
  const plain = pictures.rows.map((row): NewRow => (isOff ? { ...row, enabled: false } : row))
  const verbatim = selection.fields.flatMap(({ name, kind }) =>
    kind === "verbatim" || kind === "initial" ? [name] : []
  )
  // A reference that is written later may have been taken away.
  const cleared = Object.fromEntries(later.map((name) => [name, null]))
  const lasting = selection.fields.flatMap(({ name, kind }) => (kind === "initial" ? [] : [name]))
  const sides = imageFieldsOf(type).flatMap((image) => image.sides.map(([field]) => field))
  const tracked = [...lasting, ...sides]
  const write =
    step === "insert"
      ? insertRows(type, plain, verbatim)
      : updateRows(
          type,
          plain.map((row) => ({ ...only(row, tracked), ...cleared })),
          verbatim.filter((name) => lasting.includes(name))
        )
  const failed = yield* write
  const isFailed = new Set(failed.map(({ id }) => id))
  const images = pictures.images.filter(({ id }) => !isFailed.has(id))
  yield* storePictures(type, transfer.files, images)
  const left = leftOut(pictures.images)
  return {
    rows: rows.map((each) => ({ ...each, homeless: { ...each.homeless, ...left.get(each.row.id) } })),
    withoutImages: new Set(left.keys()),
    refused: [...refused, ...pictures.refused, ...failed]
  }
})

const noteRow = (
  { note }: Transfer,
  { report }: Moving,
  table: string,
  { row: { id }, changed, homeless }: Converted
): void => {
  if (changed.length > 0) report.changed += 1
  for (const { field, from, to } of changed) note({ kind: "changed", table, id, ...maskedChange(field, from, to) })
  if (Object.keys(homeless).length === 0) return
  report.homeless += 1
  note({ kind: "homeless", table, id, values: withoutCredentials(homeless) })
}

const maskedChange = (field: string, from: unknown, to: unknown) => {
  const masked = withoutCredentials({ [field]: from }) as Record<string, unknown>
  return { field, from: masked[field], to: masked[field] === from ? to : masked[field] }
}

/** Sets the references of a type whose objects are written only now. */
export const setLater = Effect.fnUntraced(function* (
  { source, note, inTransaction }: Transfer,
  { selection, later, unfinished }: Moving
) {
  const { type, table } = selection
  if (unfinished.size === 0) return
  const write = Effect.fnUntraced(function* (page: ReadonlyArray<SourceRow>) {
    const rows = page.filter(({ id }) => unfinished.has(id))
    if (rows.length === 0) return
    const refused = yield* updateRows(
      type,
      rows.map((row) => only(row, later))
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const { id, reason } of refused) note({ kind: "homeless", table, id, values: { ...byId.get(id), reason } })
    yield* finishDigests(type, [...byId.keys()])
  })
  yield* source.pages(selection, fieldsStatement(selection, later), (page) => inTransaction(write(page)))
})
