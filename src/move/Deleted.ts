/** Objects that runs wrote, and which the source has no more. */
import { Effect } from "effect"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { deleteRows } from "./Load.ts"
import { eachMoved, forgetDigests, stepsOf } from "./state/Moved.ts"
import type { Step } from "./state/Plan.ts"
import { type Moving, type Transfer, conflict, refuse } from "./Transfer.ts"
import type { Source } from "./source/Source.ts"

export interface Deleted {
  readonly count: number
  /** How many objects that runs wrote the source still has. */
  readonly kept: number
  /** The pages of ids of a type. */
  readonly of: (type: ObjectType) => ReadonlyArray<ReadonlyArray<number>>
}

export const noneDeleted: Deleted = { count: 0, kept: 0, of: () => [] }

/** Finds the objects that the source has no more. */
export const findDeleted = Effect.fnUntraced(function* (source: Source) {
  const found = new Map<ObjectType, Array<ReadonlyArray<number>>>()
  let [count, kept] = [0, 0]
  for (const selection of source.selections) {
    const { type } = selection
    const pages: Array<ReadonlyArray<number>> = []
    found.set(type, pages)
    yield* eachMoved(type, (ids) =>
      Effect.map(source.idsAmong(selection, ids), (there) => {
        const absent = ids.filter((id) => !there.has(id))
        if (absent.length > 0) pages.push(absent)
        // Ends are deleted with their cables.
        if (type.kind === "record") return
        count += absent.length
        kept += there.size
      })
    )
  }
  return { count, kept, of: (type) => found.get(type) ?? [] } satisfies Deleted
})

/** Deletes objects that the source has no more, unless they were changed here. */
export const deleteAbsent = Effect.fnUntraced(function* (
  transfer: Transfer,
  moving: Moving,
  pages: ReadonlyArray<ReadonlyArray<number>>
) {
  for (const ids of pages) yield* transfer.inTransaction(deletePage(transfer, moving, ids))
})

const deletePage = Effect.fnUntraced(function* (transfer: Transfer, moving: Moving, ids: ReadonlyArray<number>) {
  const { selection, report } = moving
  const wanted = ids.map((id) => ({ id, now: undefined }))
  const { steps } = yield* stepsOf(selection, wanted, transfer.prefer)
  const at = (step: Step) => ids.filter((id) => steps.get(id) === step)
  for (const id of at("conflict")) conflict(transfer, moving, id, "The object was deleted there, and changed here.")
  const refused = yield* deleteRows(
    selection.type,
    at("delete").map((id) => ({ id }))
  )
  for (const each of refused) refuse(transfer, moving, each)
  const kept = new Set(refused.map(({ id }) => id))
  const deleted = at("delete").filter((id) => !kept.has(id))
  report.deleted += deleted.length
  yield* forgetDigests(selection.type, [...deleted, ...at("accept")])
})
