/** The writes of an import: rows that create objects, and rows that change them. */
import { Effect } from "effect"
import type { Row } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { create, update } from "../../../inventory/write/Write.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import type { Request } from "../../wire/Request.ts"

/** A change that an import makes. */
export interface WrittenRow {
  readonly type: ObjectType
  /** Undefined for a new object. */
  readonly before: Row | undefined
  readonly after: Row
}

interface Write {
  readonly body: unknown
  /** Undefined for a new object. */
  readonly id: number | undefined
}

export const createAll = (type: ObjectType, items: ReadonlyArray<Write>, { author }: Request) =>
  Effect.map(
    create(
      type,
      items.map(({ body }) => body),
      author
    ),
    (created) => created.map(({ row }): WrittenRow => ({ type, before: undefined, after: row }))
  )

/** Fails if one of the objects does not exist, or is not one that the author may change. */
export const updateAll = Effect.fnUntraced(function* (
  type: ObjectType,
  items: ReadonlyArray<Write>,
  { author }: Request
) {
  const changes = items.map(({ id, body }) => ({ id: id!, body }))
  const before = new Map<number, Row>()
  const remember = (rows: ReadonlyArray<Row>) => Effect.sync(() => rows.forEach((row) => before.set(row.id, row)))
  const known = yield* update(type, changes, false, author, remember)
  const ids = new Set(known.map(({ id }) => id))
  const missing = changes.map(({ id }) => (ids.has(id) ? {} : { id: ["There is no such object."] }))
  if (ids.size < changes.length) return yield* new WriteRefused({ errors: missing })
  return known.map((after): WrittenRow => ({ type, before: before.get(after.id), after }))
})
