/**
 * The ends of cables. Triggers make them with their cables, under other ids: here they get the ids and times that they
 * have in the source. An end is never written by itself, so a cable that was changed here keeps its ends.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { type NewRow, asColumns, insertRows } from "./Load.ts"
import { keepDigests } from "./state/Moved.ts"
import { emptyReport } from "./Report.ts"
import { type Transfer, isKnown, refuse } from "./Transfer.ts"
import { type SourceRow, convert } from "./source/Convert.ts"
import { type Selection, rowsStatement } from "./source/Selection.ts"

export const transferEnds = Effect.fnUntraced(function* (transfer: Transfer, selection: Selection) {
  const { source, began, isAgain, inTransaction } = transfer
  const report = emptyReport(selection)
  const around = { contentTypes: source.catalogue.contentTypes, isKnown, began }
  const rowsOf = (page: ReadonlyArray<SourceRow>) =>
    page.flatMap((read): ReadonlyArray<NewRow> => {
      const converted = convert(selection, read, around)
      return "row" in converted ? [converted.row] : []
    })
  // The times of an end without times are those of its cable here.
  const timedRowsOf = (page: ReadonlyArray<SourceRow>) => {
    const sources = new Map(page.map((source) => [source.id, source]))
    return rowsOf(page).map((row): NewRow => ({
      ...row,
      ...Object.fromEntries(times.map((name) => [name, sources.get(row.id)?.[name] ?? null]))
    }))
  }
  const write = Effect.fnUntraced(function* (page: ReadonlyArray<SourceRow>) {
    const found = yield* takeAway(selection.type, timedRowsOf(page))
    const right = new Set(found.flatMap(({ id, isRight }) => (isRight ? [id] : [])))
    const renamed = new Set(found.flatMap(({ id, isRight }) => (isRight ? [] : [id])))
    report.rows += page.length
    const rows = rowsOf(page).filter(({ id }) => renamed.has(id))
    const refused = yield* insertRows(selection.type, rows, [])
    for (const each of refused) refuse(transfer, { selection, report }, each)
    const failed = new Set(refused.map(({ id }) => id))
    for (const { id } of page) {
      if (right.has(id) || renamed.has(id)) continue
      if (isAgain) report.unchanged += 1
      else refuse(transfer, { selection, report }, { id, reason: "The cable does not have this end here." })
    }
    report[isAgain ? "updated" : "created"] += rows.length - refused.length
    report[isAgain ? "unchanged" : "created"] += right.size
    yield* keepDigests(
      selection,
      page.filter(({ id }) => right.has(id) || (renamed.has(id) && !failed.has(id)))
    )
  })
  // An end that a trigger has made has an id behind all of the source, so none of a later page.
  yield* source.pages(selection, rowsStatement(selection), (page) => inTransaction(write(page)))
  return report
})

const times = ["created", "last_updated"]

/**
 * Deletes ends that have other ids or times than these rows, for the same ports of the same cables. Returns the rows that
 * have an end.
 */
const takeAway = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<NewRow>) {
  const sql = yield* SqlClient.SqlClient
  const values = yield* asColumns(type, rows)
  return yield* sql.unsafe<{ readonly id: number; readonly isRight: boolean }>(
    `with source as (select * from jsonb_populate_recordset(null::${type.table}, $1::jsonb)),
       found as (
         select j.id, t.id as other,
                t.id = j.id and coalesce(j.created <> t.created, false) is false
                  and coalesce(j.last_updated <> t.last_updated, false) is false as "isRight"
           from source j join ${type.table} t on t.cable_id = j.cable_id
            and t.termination_type = j.termination_type and t.termination_id = j.termination_id),
       deleted as (
         delete from ${type.table} t using found f where t.id = f.other and not f."isRight")
     select id::float8 as id, "isRight" from found`,
    [JSON.stringify(values)]
  )
})
