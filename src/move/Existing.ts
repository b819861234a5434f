/** Ids of the source that objects of the target have already. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { takenIds } from "./Load.ts"
import type { Selection } from "./Selection.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Most ids of a type in a message. */
const shownMax = 10

/** Users that both sides have under one id and name are the same. */
const sameUsers = Effect.fnUntraced(function* (snapshot: Snapshot, table: string) {
  const sql = yield* SqlClient.SqlClient
  const here = yield* sql<{ readonly id: number; readonly username: string }>`
    select id::float8 as id, username from users_user`
  const names = new Map(here.map(({ id, username }) => [id, username]))
  const same = new Set<number>()
  yield* snapshot.pages(
    `select json_build_object('id', id, 'username', username) as row from public."${table}"`,
    (rows) =>
      Effect.sync(() => {
        for (const row of rows) if (names.get(row.id) === row["username"]) same.add(row.id)
      })
  )
  return same
})

/** The users that stay as they are; a message with the ids of other objects, if there are any. */
export const findTaken = Effect.fnUntraced(function* (snapshot: Snapshot, selections: ReadonlyArray<Selection>) {
  const sql = yield* SqlClient.SqlClient
  const users = selections.find(({ type }) => type.id === "users.user")
  const kept = new Map<string, ReadonlySet<number>>()
  if (users !== undefined) kept.set(users.type.id, yield* sameUsers(snapshot, users.table))
  const taken: Array<string> = []
  for (const { type, table } of selections) {
    const [some] = yield* sql.unsafe<{ readonly some: boolean }>(`select exists (select from ${type.table}) as some`)
    if (!some!.some) continue
    const ids: Array<number> = []
    yield* snapshot.pages(`select json_build_object('id', id) as row from public."${table}"`, (rows) =>
      Effect.map(
        takenIds(
          type,
          rows.map(({ id }) => id)
        ),
        (found) => {
          for (const id of found) if (kept.get(type.id)?.has(id) !== true) ids.push(id)
        }
      )
    )
    if (ids.length === 0) continue
    const more = ids.length > shownMax ? ` and ${ids.length - shownMax} more` : ""
    taken.push(`${type.id} ${ids.slice(0, shownMax).join(", ")}${more}`)
  }
  if (taken.length === 0) return { kept, message: undefined }
  const message = `Other objects have ids of the source, so nothing was written: ${taken.join("; ")}. Move into an empty inventory, or delete these objects first.`
  return { kept, message }
})
