/**
 * Declaration -> what others see of a row: the full representation, the brief one, the flat snapshot.
 *
 * The API and capture call the same functions with the same canonical rows, so what an event carries is what the API
 * answers.
 */
import type { Row, View } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"

export type Json = Readonly<Record<string, unknown>>

const heading = (type: ObjectType, row: Row, view: View) => ({
  id: row.id,
  url: `${view.base}${type.path}${row.id}/`,
  display: type.display(row, view)
})

/** All that may be seen of the object, in the order of its declaration. */
export const representation = (type: ObjectType, row: Row, view: View): Json => {
  const json: Record<string, unknown> = heading(type, row, view)
  for (const name in type.fields) {
    const field = type.fields[name]!
    if (field.wire === "both" || field.wire === "read") json[name] = field.represent(row[name], view)
    const revealed = field.copiedTo === undefined ? undefined : view.reveal?.(String(row[field.copiedTo]))
    if (revealed !== undefined) json[name] = revealed
  }
  return json
}

/** How the object appears inside another, and under `?brief=1`. */
export const brief = (type: ObjectType, row: Row, view: View): Json => {
  const json: Record<string, unknown> = heading(type, row, view)
  for (const name of type.brief) json[name] = type.fields[name]!.represent(row[name], view)
  return json
}

/** The flat state of an event: references as ids, choices as values, tags as sorted names; no id, no secrets. */
export const snapshot = (type: ObjectType, row: Row, view: View): Json => {
  const json: Record<string, unknown> = {}
  for (const name in type.fields) {
    const field = type.fields[name]!
    if (field.wire === "both" || field.wire === "read") json[name] = field.snapshot(row[name], view)
  }
  return json
}

/** A view on related rows that are at hand. */
export const viewOf = (base: string, find: (type: string, id: number) => Row | undefined): View => {
  const view: View = {
    base,
    row: find,
    nested: (id, key) => {
      const row = find(id, key)
      return row === undefined ? null : brief(objectType(id), row, view)
    }
  }
  return view
}

/** The references that rows hold in these fields: ids by object type. */
export const references = (
  type: ObjectType,
  rows: Iterable<Row>,
  fields: Iterable<string> = Object.keys(type.fields)
): ReadonlyMap<string, ReadonlySet<number>> => {
  const wanted = new Map<string, Set<number>>()
  for (const name of fields) {
    const { reference } = type.fields[name]!
    if (reference === undefined) continue
    const ids = wanted.get(reference.type) ?? new Set<number>()
    wanted.set(reference.type, ids)
    for (const row of rows) {
      const value = row[name]
      if (typeof value === "number") ids.add(value)
      else if (Array.isArray(value)) for (const id of value as ReadonlyArray<number>) ids.add(id)
    }
  }
  return wanted
}
