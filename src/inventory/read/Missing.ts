/** Finds objects that filters name and that do not exist. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance } from "../Clearance.ts"
import { type Errors, emptyRecord } from "../Field.ts"
import { unknownChoice } from "../derive/filter/Lookup.ts"
import { type Named, missingQuery } from "../derive/filter/Named.ts"
import { isEverything } from "../derive/filter/Where.ts"

/**
 * One query at most, and none if the objects found prove that everything named exists. Types of which the user may not
 * see all objects are not checked: the answer would reveal which hidden objects exist.
 */
export const missing = Effect.fnUntraced(function* (named: ReadonlyArray<Named>, found: number) {
  const { where } = yield* Clearance
  const doubtful = named.filter(
    ({ target, isProven }) => isEverything(where(target, "view")) && !(isProven && found > 0)
  )
  if (doubtful.length === 0) return {}
  const sql = yield* SqlClient.SqlClient
  const query = missingQuery(doubtful)
  const rows = yield* sql.unsafe<{ readonly at: number; readonly value: string }>(query.sql, query.parameters)
  const errors = emptyRecord<ReadonlyArray<string>>()
  for (const { at, value } of rows) {
    const name = doubtful[at]!.filter
    errors[name] = [...(errors[name] ?? []), unknownChoice(value)]
  }
  return errors satisfies Errors
})
