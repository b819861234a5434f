/**
 * Rows that the representation of a changed object points at: loaded once, then kept fresh by the WAL itself.
 *
 * Bounded; the rows longest unused go first. A row that is loaded is as of now, not as of the change that wanted it, and
 * the WAL catches up with it.
 */
import { Effect } from "effect"
import type { Row } from "../inventory/Field.ts"
import { byIds } from "../inventory/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import { references } from "../inventory/derive/Representation.ts"
import type { Folded, Readable } from "./Change.ts"

/** Most rows of one object type. */
const rowsMax = 50_000

export class Related {
  private readonly types = new Map<string, Map<number, Row>>()

  find = (type: string, id: number): Row | undefined => {
    const rows = this.types.get(type)
    const row = rows?.get(id)
    if (rows !== undefined && row !== undefined) {
      rows.delete(id)
      rows.set(id, row)
    }
    return row
  }

  /** Takes over what a change says about a row that others point at. */
  apply(change: Folded<Readable>): void {
    const rows = this.types.get(change.type.id)
    if (rows === undefined || !rows.has(change.last.id)) return
    if (change.after === undefined) rows.delete(change.last.id)
    else rows.set(change.last.id, change.after.row())
  }

  /** Loads what the representations of these changes need and is not here. */
  load = Effect.fnUntraced({ self: this }, function* (this: Related, changes: ReadonlyArray<Folded<Readable>>) {
    let pending = [...Map.groupBy(changes, ({ type }) => type)].flatMap(([type, each]) => [
      ...references(
        type,
        each.flatMap(({ before, last }) => (before === undefined ? [last.row()] : [before.row(), last.row()]))
      )
    ])
    while (pending.length > 0) {
      const next: typeof pending = []
      for (const [id, ids] of pending) {
        const target = objectType(id)
        const rows = this.types.get(id) ?? new Map<number, Row>()
        this.types.set(id, rows)
        // Changes of accounts are not in the WAL: a row of theirs would go stale.
        const wanted = target.kind === "account" ? ids : ids.difference(rows)
        const found = yield* byIds(target, wanted)
        for (const row of found) rows.set(row.id, row)
        for (const old of rows.keys().take(Math.max(rows.size - rowsMax, 0))) rows.delete(old)
        next.push(...references(target, found, target.brief))
      }
      pending = next
    }
  })
}
