/**
 * Writes batches of rows, and collects the results. A batch with a wrong row is not written; the next ones are still
 * checked.
 */
import { Effect } from "effect"
import { type Errors, isDictionary } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import type { Item } from "../ImportItems.ts"
import type { Request } from "../../wire/Request.ts"
import type { Claiming } from "./Claims.ts"
import { explained } from "./Faults.ts"
import { type WrittenRow, createAll, updateAll } from "./Writes.ts"

/** Most changes that are observed. */
export const observedMax = 1000

export interface Refused {
  readonly row: number
  readonly errors: Errors
}

export const batchWriter = (type: ObjectType, request: Request, isObserved: boolean) => {
  /** `completed`: created objects that got the references which had to wait. */
  const counts = { created: 0, updated: 0, completed: 0 }
  const errors: Array<Refused> = []
  const written: Array<number> = []
  const changes: Array<WrittenRow> = []
  const claims: Array<Claiming> = []
  const note = (rows: ReadonlyArray<WrittenRow>) => {
    if (isObserved) changes.push(...rows.slice(0, observedMax - changes.length))
  }
  const act = Effect.fnUntraced(function* (batch: ReadonlyArray<Item>, kind: keyof typeof counts) {
    if (batch.length === 0) return []
    const writing = kind === "created" ? createEach(type, batch, request) : updateAll(type, batch, request)
    const { rows, refused } = yield* writing.pipe(
      Effect.map((rows) => ({ rows, refused: [] as ReadonlyArray<Errors> })),
      Effect.catchIf(
        (error): error is WriteRefused => error instanceof WriteRefused,
        ({ errors }) => Effect.succeed({ rows: [], refused: errors })
      )
    )
    const wrong = batch
      .map((item, n) => ({ row: item.row, errors: explained(type, item.body, { ...refused[n], ...item.errors }) }))
      .filter((each) => Object.keys(each.errors).length > 0)
    errors.push(...wrong)
    counts[kind] += batch.length - wrong.length
    if (kind === "completed" || rows.length === 0) return rows
    note(rows)
    written.push(...rows.map(({ after }) => after.id))
    const ids = kind === "created" ? rows.map(({ after }) => after.id) : batch.map(({ id }) => id!)
    for (const [n, { row, claim }] of batch.entries()) {
      if (claim !== undefined) claims.push({ row, id: ids[n]!, claim })
    }
    return rows
  })
  return { act, note, counts, errors, written, changes, claims }
}

/** The references that may be empty until the objects are there which refer to each other. */
export const postponedIn = (type: ObjectType, { early }: Item): ReadonlyArray<string> =>
  [...early].filter((name) => type.fields[name]?.reference?.onDelete === "set null")

/** The entries of a dictionary whose names are in the list, or are not. */
const filtered = (value: unknown, names: ReadonlyArray<string>, isIn: boolean): unknown =>
  isDictionary(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name) === isIn))
    : value

/** Creates the objects without the references that are postponed. */
const createEach = (type: ObjectType, items: ReadonlyArray<Item>, request: Request) => {
  const early = items.map((item) => postponedIn(type, item))
  if (early.every((names) => names.length === 0)) return createAll(type, items, request)
  const without = items.map((item, n) => ({ ...item, body: filtered(item.body, early[n]!, false) }))
  return createAll(type, without, request).pipe(
    // After a fault of another field, the missing objects are reported as well.
    Effect.catchIf(
      (error): error is WriteRefused => error instanceof WriteRefused,
      () => createAll(type, items, request)
    )
  )
}

/** The item that gives a created object the references that were postponed. */
export const completing = (item: Item, id: number, names: ReadonlyArray<string>): Item => ({
  ...item,
  id,
  body: filtered(item.body, names, true),
  errors: filtered(item.errors, names, true) as Errors
})
