/** Objects that references name and that are not read yet, of several types in one statement. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { literal } from "../../postgres/Literal.ts"
import { Clearance } from "../Clearance.ts"
import type { Row } from "../Field.ts"
import { objectType } from "../Registry.ts"
import { asTexts, visibleRows } from "../derive/filter/Where.ts"
import { rowFromJson } from "../derive/values/Row.ts"

/** Ids of objects of a type. */
export type IdsOfType = readonly [id: string, ids: ReadonlySet<number>]

/** The ids that are not read yet, by type. */
export const unreadOf = (
  wanted: ReadonlyArray<IdsOfType>,
  known: ReadonlyMap<string, ReadonlyMap<number, Row>>
): ReadonlyMap<string, ReadonlySet<number>> => {
  const unread = new Map<string, Set<number>>()
  for (const [id, ids] of wanted) {
    const found = known.get(id)
    for (const key of ids) {
      if (found?.has(key) === true) continue
      const ofType = unread.get(id)
      if (ofType === undefined) unread.set(id, new Set([key]))
      else ofType.add(key)
    }
  }
  return unread
}

interface TypedRow {
  readonly type: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The rows of several types that the user may view, by type and id, in one statement. */
export const byIdsOfTypes = Effect.fnUntraced(function* (wanted: ReadonlyMap<string, ReadonlySet<number>>) {
  const sql = yield* SqlClient.SqlClient
  const { where } = yield* Clearance
  const parameters: Array<unknown> = []
  const bind = (value: unknown) => `$${parameters.push(value)}`
  const branches = Array.from(wanted, ([id, ids]) => {
    const rows = visibleRows(objectType(id), (target) => where(target, "view"), bind)
    const isWanted = `t.id = any (${bind(asTexts(ids))}::text[]::bigint[])`
    return `select ${literal(id)} as type, row_to_json(t) as row from ${rows} t where ${isWanted}`
  })
  const found = new Map<string, Map<number, Row>>()
  const rows = yield* sql.unsafe<TypedRow>(branches.join(" union all "), parameters)
  yield* mapInSlices(rows, ({ type, row: json }) => {
    const row = rowFromJson(objectType(type), json)
    const ofType = found.get(type)
    if (ofType === undefined) found.set(type, new Map([[row.id, row]]))
    else ofType.set(row.id, row)
  })
  return found
})
