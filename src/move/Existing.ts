/** Ids of the source that objects of the target have already. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { takenIds } from "./Load.ts"
import type { Selection } from "./source/Selection.ts"
import type { Snapshot } from "./source/Snapshot.ts"

/** Most ids of a type in a message. */
const shownMax = 10

/** Users that both sides have under one id and name are the same. */
const sameUsers = Effect.fnUntraced(function* (snapshot: Snapshot, table: string) {
  const sql = yield* SqlClient.SqlClient
  const here = yield* sql<{ readonly id: number; readonly username: string }>`
    select id::float8 as id, username from users_user`
  const names = new Map(here.map(({ id, username }) => [id, username]))
  const same = new Set<number>()
  yield* snapshot.pages(`select json_build_object('id', id, 'username', username) as row from "${table}"`, (rows) =>
    Effect.sync(() => {
      for (const row of rows) if (names.get(row.id) === row["username"]) same.add(row.id)
    })
  )
  return same
})

/** A message with the ids of the source that other objects have here; undefined if there are none. */
export const findTaken = Effect.fnUntraced(function* (snapshot: Snapshot, selections: ReadonlyArray<Selection>) {
  const sql = yield* SqlClient.SqlClient
  const taken: Array<string> = []
  for (const { type, table, where } of selections) {
    // Ends of cables are made with their cables.
    if (type.kind === "record") continue
    const [some] = yield* sql.unsafe<{ readonly some: boolean }>(
      `select exists (select from ${type.table} t where not exists (
         select from rackwire_moved m where m.object_type = $1 and m.object_id = t.id and m.state is distinct from 'refused')) as some`,
      [type.id]
    )
    if (!some!.some) continue
    const same = type.id === "users.user" ? yield* sameUsers(snapshot, table) : undefined
    const ids: Array<number> = []
    yield* snapshot.pages(
      `select json_build_object('id', t.id) as row from "${table}" t where ${where}`,
      Effect.fnUntraced(function* (rows) {
        const found = yield* takenIds(
          type,
          rows.map(({ id }) => id)
        )
        for (const id of found) if (same?.has(id) !== true) ids.push(id)
      })
    )
    if (ids.length === 0) continue
    const more = ids.length > shownMax ? ` and ${ids.length - shownMax} more` : ""
    taken.push(`${type.id} ${ids.slice(0, shownMax).join(", ")}${more}`)
  }
  if (taken.length === 0) return undefined
  return `Other objects have ids of the source, so nothing was written: ${taken.join("; ")}. Move into an empty inventory, or delete these objects first.`
})
