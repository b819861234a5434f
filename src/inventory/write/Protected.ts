/** Explains why objects cannot be deleted: others that are to stay refer to them. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { sqlStateOf } from "../../postgres/Postgres.ts"
import type { Row } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { byIds, viewFor } from "../read/Read.ts"
import { registry } from "../Registry.ts"
import { rowFromJson } from "../derive/values/Row.ts"
import { asTexts } from "../derive/filter/Where.ts"

/** `detail` names the objects that refer to them. */
export class Protected extends Schema.TaggedError<Protected>()("Protected", { detail: Schema.String }) {}

/** Whether Postgres refused because of a foreign key that restricts. */
export const isProtected = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const code = sqlStateOf(error)
  return code === "23001" || code === "23503"
}

/** Most objects that a message names. */
const namedMax = 100

interface Reach {
  readonly type: ObjectType
  readonly ids: ReadonlyArray<number>
}

/** The message for a refused deletion: the objects that refer to these, or to what would be deleted with them. */
export const protectedBy = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>) {
  const names: Array<string> = []
  // An object may refer to several of them, or by several fields: a wireless link to two interfaces.
  const counted = new Set<string>()
  let reached: ReadonlyArray<Reach> = [{ type, ids }]
  for (let step = 0; reached.length > 0 && names.length === 0 && step < registry.size; step++) {
    const next: Array<Reach> = []
    for (const { target, field, reach } of pointing(reached)) {
      const rows = yield* holding(target, field, reach.ids)
      if (rows.length === 0) continue
      if (fieldOf(target, field).reference!.onDelete === "protect") {
        const others = rows.filter(({ id }) => !counted.has(`${target.id} ${id}`))
        for (const { id } of others) counted.add(`${target.id} ${id}`)
        names.push(...(yield* called(target, others)))
      } else next.push({ type: target, ids: rows.map(({ id }) => id) })
    }
    reached = next
  }
  const count = names.length >= namedMax ? "Many" : String(names.length)
  return `Unable to delete object. ${count} dependent objects were found: ${names.slice(0, namedMax).join(", ")}`
})

/** The references that protect the reached objects, or are deleted with them. */
const pointing = (reached: ReadonlyArray<Reach>) =>
  reached.flatMap((reach) =>
    [...registry.values()].flatMap((target) =>
      Object.entries(target.fields).flatMap(([field, { reference }]) =>
        reference?.type === reach.type.id && !reference.many && /^(protect|cascade)$/.test(reference.onDelete)
          ? [{ target, field, reach }]
          : []
      )
    )
  )

const holding = Effect.fnUntraced(function* (type: ObjectType, field: string, ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `select row_to_json(t) as row from ${type.table} t where ${type.columns[field]} = any ($1::text[]::bigint[])
      order by id limit ${namedMax}`,
    [asTexts(ids)]
  )
  return found.map(({ row }) => rowFromJson(type, row))
})

/** The message of a deletion that a rule refuses: the reason as it is, where it says so itself. */
export const unableToDelete = (reason: string): string =>
  reason.startsWith("Unable to delete") ? reason : `Unable to delete object. ${reason}`

/** The names of the objects; the id alone of an object that the user may not see. */
const called = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const seen = yield* byIds(
    type,
    rows.map(({ id }) => id)
  )
  const view = yield* viewFor(type, seen, "")
  const names = new Map(seen.map((row) => [row.id, type.display(row, view)]))
  return rows.map(({ id }) => `${names.get(id) ?? `#${id}`} (${id})`)
})
