/** Conflicts that only Postgres found, as errors of the write. */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import type { Errors } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { uniqueName, uniquesOf } from "../../derive/table/TableOf.ts"
import { conflictMessage } from "../Unique.ts"
import { refusing } from "../WriteRefused.ts"
import { bondRefusal, withNames } from "./Bonds.ts"

/**
 * Reports the bond of another object that the write would break, and what the checks could not see, also in the
 * repeated transaction: rows that exchange unique values in one write, or a race without end. The error is that of the
 * changed object, or of the first item. `ids`: of the objects that are changed; 0 for new ones.
 */
export const refuseConflicts =
  (type: ObjectType, ids: ReadonlyArray<number>) =>
  <A, E, R>(write: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.catchIf(write, SqlError.isSqlError, (error) => refusal(type, ids, error))

const refusal = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>, error: SqlError.SqlError) {
  const bond = bondRefusal(type, error)
  if (bond !== undefined) {
    const at = ids.indexOf(bond.id)
    // New objects have no place yet.
    const field = at < 0 && !ids.includes(0) ? "__all__" : bond.field
    const errors: Errors = { [field]: [yield* withNames(bond.message)] }
    return yield* refusing(ids.length, [{ at: Math.max(at, 0), errors }])
  }
  const { reason } = error
  if (reason._tag !== "UniqueViolation" && reason._tag !== "ConstraintError") return yield* error
  const { constraint, detail = "" } = reason.cause as { readonly constraint?: string; readonly detail?: string }
  const unique = uniquesOf(type).find((unique) => uniqueName(type, unique) === constraint)
  const errors: Errors =
    unique === undefined ? { __all__: [detail || String(constraint)] } : conflictMessage(type, unique)
  return yield* refusing(ids.length, [{ at: 0, errors }])
})
