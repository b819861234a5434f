/**
 * Creations that only the database can refuse: one statement, which is its own transaction, and which also reads what
 * the representations of the new objects need.
 *
 * Most creations are such: their values are valid, they name other objects by id, and no rule reads other rows. A
 * write that a uniqueness or a foreign key then refuses is retried by Write.ts, which explains the error.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { Clearance } from "../Clearance.ts"
import { Counts } from "../read/Count.ts"
import type { Premise } from "../read/Premise.ts"
import { readAll } from "../read/Read.ts"
import type { Row } from "../Field.ts"
import { grammarErrors } from "../Grammar.ts"
import { type ObjectType, perType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { stored } from "./Stored.ts"
import { contextPrefix } from "../../postgres/Messages.ts"
import { type Author, contextOf, lostRace } from "./Transaction.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { insertPage } from "../derive/values/InsertStatement.ts"
import { filledReferences } from "../derive/represent/Representation.ts"
import { columnsOf } from "../derive/values/Row.ts"
import { everything, isEverything } from "../derive/filter/Where.ts"
import type { Target } from "../field/Reference.ts"

/**
 * The new rows and the rows that were read with them; none if nothing was made and Write.ts must do it. `holds`: whether
 * a statement found that the premise holds.
 */
export const quickly = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  author: Author,
  premise: Premise
) {
  const sql = yield* SqlClient.SqlClient
  const { where } = yield* Clearance
  const isOpen = (of: ObjectType, action: "add" | "refer") => isEverything(where(of, action))
  // Within a transaction a refusal would abort the caller's.
  if (Option.isSome(yield* Effect.serviceOption(sql.transactionService))) return untried
  if (drafts.length === 0 || type.rivals.length > 0 || type.quota !== undefined) return untried
  if (drafts.some(({ files }) => files !== undefined)) return untried
  if (type.creation.components !== undefined || type.creation.inherits !== undefined) return untried
  if (!isOpen(type, "add")) return untried
  const rows = yield* mapInSlices(drafts, (draft) => rowOf(type, draft, (target) => isOpen(target, "refer")))
  if (!rows.every((row) => row !== undefined) || !(yield* areSound(type, rows))) return untried
  const values = yield* stored(type, rows)
  const { forget } = yield* Counts
  const rowsOf = JSON.stringify(values.map((row) => columnsOf(type, row)))
  const page = insertPage(type, [rowsOf, contextPrefix, contextOf(author)], premise ?? everything)
  // Nothing can name the new objects yet, so the snapshot in which they are missing gives their counts all the same.
  const made = yield* readAll(type, page, { fields: filledReferences(type, rows), premise }).pipe(
    // A statement that runs out of a read's time is tried again in a transaction, which has more.
    Effect.catchIf(
      (error) => lostRace(error) || error.reason._tag === "StatementTimeoutError",
      () => Effect.undefined
    ),
    Effect.ensuring(forget)
  )
  if (made === undefined) return untried
  // The statement inserts only where the premise holds, and inserted rows must not be inserted again.
  return made.rows.length > 0
    ? { made: Option.some(made), holds: true }
    : { made: Option.none<typeof made>(), holds: made.holds }
})

const untried = { made: Option.none<Effect.Success<ReturnType<typeof readAll>>>(), holds: false }

const pointing = perType(({ fields }) =>
  Object.entries(fields).filter(([, { generic, reference }]) => generic !== undefined || reference !== undefined)
)

/** The row of a draft whose references are all ids; undefined where something has to be looked up. */
const rowOf = (type: ObjectType, draft: Draft, mayRefer: (target: ObjectType) => boolean): Row | undefined => {
  if (Object.keys(draft.errors).length > 0) return undefined
  const row: Record<string, unknown> & { readonly id: number } = { ...draft.values, id: 0 }
  for (const [name, { generic, reference }] of pointing(type)) {
    const value = row[name] ?? null
    if (generic !== undefined && value !== null) return undefined
    if (reference === undefined || value === null) continue
    const targets = (Array.isArray(value) ? value : [value]) as ReadonlyArray<Target>
    if (reference.ends !== undefined && targets.length > 0) return undefined
    if (targets.length > 0 && !mayRefer(objectType(reference.type))) return undefined
    const ids = targets.flatMap((target) => ("id" in target ? [target.id] : []))
    if (ids.length < targets.length) return undefined
    row[name] = reference.many ? [...new Set(ids)].sort((a, b) => a - b) : ids[0]
  }
  if (Object.keys((row["custom_fields"] as object | undefined) ?? {}).length > 0) return undefined
  const looks = type.looksAt.some((path) => [row[path.split(".")[0]!] ?? []].flat().length > 0)
  return looks ? undefined : row
}

const areSound = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const errors = yield* grammarErrors(
    type,
    rows.map((row) => ({ values: row, row }))
  )
  if (errors.some((own) => Object.keys(own).length > 0)) return false
  const broken = yield* mapInSlices(rows, (row) => [...type.check(row, () => undefined, undefined)].length > 0)
  return !broken.includes(true)
})
