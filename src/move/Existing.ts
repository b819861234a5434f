/** Ids of the source that objects of the target have already. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { wasWritten } from "./state/Moved.ts"
import { keepPairs, renumber } from "./state/Renumbered.ts"
import type { Finding } from "./Report.ts"
import type { Pair } from "./source/Ids.ts"
import type { Selection } from "./source/Selection.ts"
import type { Snapshot } from "./source/Snapshot.ts"
import type { Source } from "./source/Source.ts"

/** Ids of a type that other objects have here. */
interface TakenIds {
  readonly selection: Selection
  readonly ids: ReadonlyArray<number>
}

/** SQL over `t`, a row of the table of the type `$1`: whether no run wrote it under an id of the source. */
const isForeign = `(not ${wasWritten}
  or exists (select from rackwire_renumbered r where r.object_type = $1 and r.target_id = t.id))`

/** Users of the source whose names users here have that no run wrote: they are one. */
const sameUsers = Effect.fnUntraced(function* (snapshot: Snapshot, { type, table }: Selection) {
  const sql = yield* SqlClient.SqlClient
  const here = yield* sql.unsafe<{ readonly id: number; readonly username: string }>(
    `select id::float8 as id, username from users_user t where ${isForeign}`,
    [type.id]
  )
  const ids = new Map(here.map(({ id, username }) => [username, id]))
  const same: Array<Pair> = []
  yield* snapshot.pages(`select json_build_object('id', id, 'username', username) as row from "${table}"`, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        const id = ids.get(String(row["username"]))
        if (id !== undefined) same.push({ there: row.id, here: id })
      }
    })
  )
  return same
})

/** The ids of the source that other objects have here, without `same`. */
const takenIds = Effect.fnUntraced(function* (
  { snapshot, ids }: Source,
  selection: Selection,
  same: ReadonlyArray<Pair>
) {
  const sql = yield* SqlClient.SqlClient
  const { type, table, where } = selection
  const [some] = yield* sql.unsafe<{ readonly some: boolean }>(
    `select exists (select from ${type.table} t where ${isForeign}) as some`,
    [type.id]
  )
  if (!some!.some) return []
  const known = new Set(same.map(({ there }) => there))
  const taken: Array<number> = []
  yield* snapshot.pages(
    `select json_build_object('id', t.id) as row from "${table}" t where ${where}`,
    Effect.fnUntraced(function* (rows) {
      const asked = rows.flatMap(({ id }) => (ids.isRenumbered(type.id, id) || known.has(id) ? [] : [id]))
      const found = yield* sql.unsafe<{ readonly id: number }>(
        `select t.id::float8 as id from ${type.table} t where t.id = any ($2::text[]::bigint[]) and ${isForeign} order by 1`,
        [type.id, asTexts(asked)]
      )
      for (const { id } of found) taken.push(id)
    })
  )
  return taken
})

/** The ids of the source that other objects have here, and users that are one on both sides under two ids. */
export const findTaken = Effect.fnUntraced(function* (source: Source) {
  const { snapshot, selections, ids } = source
  const users = selections.find(({ type }) => type.id === "users.user")
  const same = users === undefined ? [] : yield* sameUsers(snapshot, users)
  const taken: Array<TakenIds> = []
  for (const selection of selections) {
    const found = yield* takenIds(source, selection, selection === users ? same : [])
    if (found.length > 0) taken.push({ selection, ids: found })
  }
  const others = same.filter(({ there, here }) => there !== here && !ids.isRenumbered("users.user", there))
  return { taken, users: users === undefined || others.length === 0 ? undefined : { selection: users, pairs: others } }
})

/** Most ids of a type in a message. */
const shownMax = 10

/** The taken ids as a message; undefined if there are none. */
export const takenInWords = (taken: ReadonlyArray<TakenIds>): string | undefined => {
  // Ends of cables are made with their cables.
  const named = taken.filter(({ selection }) => selection.type.kind !== "record")
  if (named.length === 0) return undefined
  const lists = named.map(({ selection, ids }) => {
    const more = ids.length > shownMax ? ` and ${ids.length - shownMax} more` : ""
    return `${selection.type.id} ${ids.slice(0, shownMax).join(", ")}${more}`
  })
  return `Other objects have ids of the source, so nothing was written: ${lists.join("; ")}. Move with --keep-ids=no to give new ids to these, or delete the objects here first.`
}

/**
 * Gives objects of the source new ids where theirs are taken. `lasts`: the last ids of the source, of types whose
 * sequences do not continue behind them.
 */
export const giveNewIds = Effect.fnUntraced(function* (
  source: Source,
  { taken, users }: Effect.Success<ReturnType<typeof findTaken>>,
  { lasts, note }: { readonly lasts: ReadonlyMap<Selection, number>; readonly note: (finding: Finding) => void }
) {
  const keep = ({ type, table }: Selection, pairs: ReadonlyArray<Pair>) => {
    source.ids.add(type.id, pairs)
    for (const { there, here } of pairs) note({ kind: "renumbered", table, id: there, here })
  }
  for (const { selection, ids } of taken) keep(selection, yield* renumber(selection.type, ids, lasts.get(selection)))
  if (users === undefined) return
  yield* keepPairs(users.selection.type, users.pairs)
  keep(users.selection, users.pairs)
})
