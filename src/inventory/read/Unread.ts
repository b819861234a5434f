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

/** A row of a statement that reads objects of several types; other parts of it have a mark (`#…`) in place of the type. */
interface TypedRow {
  readonly type: string
  readonly row: unknown
}

/** Runs such a statement: objects by type and id, in the order of the statement, and other parts by their mark. */
export const readTyped = Effect.fnUntraced(function* (statement: string, parameters: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const objects = new Map<string, Map<number, Row>>()
  const marked = new Map<string, Array<unknown>>()
  const rows = yield* sql.unsafe<TypedRow>(statement, parameters)
  yield* mapInSlices(rows, ({ type, row: json }) => {
    if (type.startsWith("#")) {
      const ofMark = marked.get(type)
      if (ofMark === undefined) marked.set(type, [json])
      else ofMark.push(json)
      return
    }
    const row = rowFromJson(objectType(type), json as Readonly<Record<string, unknown>>)
    const ofType = objects.get(type)
    if (ofType === undefined) objects.set(type, new Map([[row.id, row]]))
    else ofType.set(row.id, row)
  })
  return { objects, marked }
})

/** The rows of several types that the user may view, by type and id, in one statement. */
export const byIdsOfTypes = Effect.fnUntraced(function* (wanted: ReadonlyMap<string, ReadonlySet<number>>) {
  const { where } = yield* Clearance
  const parameters: Array<unknown> = []
  const bind = (value: unknown) => `$${parameters.push(value)}`
  const branches = Array.from(wanted, ([id, ids]) => {
    const rows = visibleRows(objectType(id), (target) => where(target, "view"), bind)
    const isWanted = `t.id = any (${bind(asTexts(ids))}::text[]::bigint[])`
    return `select ${literal(id)} as type, row_to_json(t) as row from ${rows} t where ${isWanted}`
  })
  return (yield* readTyped(branches.join(" union all "), parameters)).objects
})
