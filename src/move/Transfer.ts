/** One object type from the source to the target, page by page. */
import { Effect } from "effect"
import { registry } from "../inventory/Registry.ts"
import type { Catalogue } from "./Catalogue.ts"
import { type SourceRow, convert } from "./Convert.ts"
import { type RefusedRow, insertRows, replaceTerminations, setReferences } from "./Load.ts"
import { type Finding, type TypeReport, withoutCredentials } from "./Report.ts"
import { type Selection, fieldsStatement, rowsStatement } from "./Selection.ts"
import type { Snapshot } from "./Snapshot.ts"

export interface Transfer {
  readonly snapshot: Snapshot
  readonly catalogue: Catalogue
  /** Ids by object type that the target has already, for the same objects: these stay as they are. */
  readonly kept: ReadonlyMap<string, ReadonlySet<number>>
  readonly began: string
  /** Whether webhooks are enabled here as they were there. */
  readonly enablesWebhooks: boolean
  readonly note: (finding: Finding) => void
  readonly progress: (type: string, rows: number, of: number) => Effect.Effect<void>
}

const isKnown = (type: string): boolean => registry.get(type)?.kind !== undefined

/** Moves the rows of a type, the fields among `later` left out. */
export const transferType = Effect.fnUntraced(function* (
  transfer: Transfer,
  selection: Selection,
  later: ReadonlyArray<string>
) {
  const { type, table } = selection
  const { snapshot, note } = transfer
  const report: TypeReport = { type: type.id, table, rows: 0, moved: 0, kept: 0, refused: 0, changed: 0, homeless: 0 }
  const around = { contentTypes: transfer.catalogue.contentTypes, isKnown, began: transfer.began }
  const kept = transfer.kept.get(type.id)
  const verbatim = selection.fields.flatMap(({ name, kind }) => (kind === "verbatim" ? [name] : []))
  const refuse = ({ id, reason }: RefusedRow) => {
    report.refused += 1
    note({ kind: "refused", table, id, reason })
  }
  const of = yield* snapshot.count(table, selection.where)
  const write = Effect.fnUntraced(function* (page: ReadonlyArray<SourceRow>) {
    const wanted = page.filter(({ id }) => kept?.has(id) !== true)
    report.rows += page.length
    report.kept += page.length - wanted.length
    const rows = wanted.flatMap((source) => {
      const converted = convert(selection, source, around, later)
      if ("refused" in converted) {
        refuse({ id: converted.id, reason: converted.refused })
        return []
      }
      return [converted]
    })
    const isOff = type.id === "extras.webhook" && !transfer.enablesWebhooks
    const plain = rows.map(({ row }) => (isOff ? { ...row, enabled: false } : row))
    const refused = yield* type.kind === "record" ? replaceTerminations(type, plain) : insertRows(type, plain, verbatim)
    const failed = new Set(refused.map(({ id }) => id))
    refused.forEach(refuse)
    for (const { row, changed, homeless } of rows) {
      if (failed.has(row.id)) continue
      report.moved += 1
      if (changed.length > 0) report.changed += 1
      for (const { field, from, to } of changed)
        note({ kind: "changed", table, id: row.id, ...maskedChange(field, from, to) })
      if (Object.keys(homeless).length === 0) continue
      report.homeless += 1
      note({ kind: "homeless", table, id: row.id, values: withoutCredentials(homeless) })
    }
    yield* transfer.progress(type.id, report.rows, of)
  })
  yield* snapshot.pages(rowsStatement(selection), write)
  return report
})

const maskedChange = (field: string, from: unknown, to: unknown) => {
  const masked = withoutCredentials({ [field]: from }) as Record<string, unknown>
  return { field, from: masked[field], to: masked[field] === from ? to : masked[field] }
}

/** Sets the references of a type whose objects are written only now. */
export const setLater = Effect.fnUntraced(function* (
  { snapshot, note, kept }: Transfer,
  selection: Selection,
  fields: ReadonlyArray<string>
) {
  const { type, table } = selection
  const write = Effect.fnUntraced(function* (page: ReadonlyArray<SourceRow>) {
    const rows = page.filter(({ id }) => kept.get(type.id)?.has(id) !== true)
    const refused = yield* setReferences(type, rows, fields)
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const { id, reason } of refused) note({ kind: "homeless", table, id, values: { ...byId.get(id), reason } })
  })
  yield* snapshot.pages(fieldsStatement(selection, fields), write)
})
