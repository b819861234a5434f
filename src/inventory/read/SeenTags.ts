/**
 * The names of tags in snapshots of the change log, as far as the reader may see the tags: those that have the names now.
 * A reader who may see all tags sees all names, those of deleted tags too.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { type Row, isDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { allOf, isEverything } from "../derive/filter/Where.ts"
import { mentionKey, tagNamesIn, tagType, withoutTags } from "../derive/represent/Masked.ts"

/** The keys of the tags of these names that the reader may not see (Masked.ts). */
const hiddenAmong = Effect.fnUntraced(function* (names: ReadonlySet<string>) {
  const sql = yield* SqlClient.SqlClient
  const type = objectType(tagType)
  const where = allOf({ sql: "t.name = any ($1::text[])", parameters: [[...names]] }, yield* cleared(type, "view"))
  const found = yield* sql.unsafe<{ readonly name: string }>(
    `select t.name from ${type.table} t where ${where.sql}`,
    where.parameters
  )
  const seen = new Set(found.map(({ name }) => name))
  return new Set([...names].filter((name) => !seen.has(name)).map((name) => mentionKey(tagType, name)))
})

/** Snapshots as the reader may see them. */
export const snapshotsAsSeen = Effect.fnUntraced(function* <Snapshot>(snapshots: ReadonlyArray<Snapshot>) {
  if (isEverything(yield* cleared(objectType(tagType), "view"))) return snapshots
  const names = new Set(snapshots.flatMap(tagNamesIn))
  if (names.size === 0) return snapshots
  const hidden = yield* hiddenAmong(names)
  return snapshots.map((snapshot) => withoutTags(snapshot, hidden))
})

/** Shown in place of a snapshot that the database has cut: its beginning and its length may reveal tags. */
const cut = "…"

/** Rows with their snapshots as the reader may see them; rows of types without snapshots stay as they are. */
export const rowsAsSeen = Effect.fnUntraced(function* <R extends Row>(type: ObjectType, rows: ReadonlyArray<R>) {
  const { snapshots: sides } = type
  if (sides.length === 0 || isEverything(yield* cleared(objectType(tagType), "view"))) return rows
  const shown = yield* snapshotsAsSeen(rows.flatMap((row) => sides.map((side) => row[side])))
  return rows.map((row, at): R => {
    const own = sides.map((side, nth) => {
      const snapshot = shown[at * sides.length + nth]
      return [side, isDictionary(snapshot) ? snapshot : (snapshot ?? null) === null ? null : cut] as const
    })
    return { ...row, ...Object.fromEntries(own) }
  })
})
