/**
 * Reads the rows that the rules of a type need beside the written ones: one query per object type and step, and one
 * more for a type of which the sender may not see all objects.
 */
import { Effect } from "effect"
import { Clearance, cleared } from "../Clearance.ts"
import type { Row } from "../Field.ts"
import type { Find, ObjectType } from "../ObjectType.ts"
import { byIds } from "../read/Read.ts"
import { objectType } from "../Registry.ts"
import { references } from "../derive/represent/Representation.ts"
import { isEverything } from "../derive/filter/Where.ts"

interface Step {
  readonly type: ObjectType
  readonly rows: ReadonlyArray<Row>
  /** Names of references, and the path from there. */
  readonly path: ReadonlyArray<string>
}

/** Rules see all objects, whatever the sender may see. Their messages leave out the names of hidden ones. */
const forRules = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlySet<number>) {
  const rows = yield* Effect.provideService(byIds(type, ids), Clearance, Clearance.all)
  if (rows.length === 0 || isEverything(yield* cleared(type, "view"))) return rows
  const seen = new Set((yield* byIds(type, ids)).map(({ id }) => id))
  return rows.map((row) => (seen.has(row.id) ? row : nameless(row)))
})

/** The fields that messages use as the name of an object. */
const names = ["name", "model"]

const nameless = (row: Row): Row => ({
  ...row,
  ...Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, `#${row.id}`]))
})

export const lookAt = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const known = new Map<string, Map<number, Row>>()
  const find = ((id, key) => (key === null ? undefined : known.get(id)?.get(key))) as Find
  let steps = type.looksAt.map((path): Step => ({ type, rows, path: path.split(".") }))
  while (steps.length > 0) {
    const next: Array<Step> = []
    for (const step of steps) {
      const [name, ...path] = step.path
      if (name === undefined || !Object.hasOwn(step.type.fields, name)) continue
      for (const [id, keys] of references(step.type, step.rows, [name])) {
        const found = known.get(id) ?? new Map<number, Row>()
        known.set(id, found)
        for (const row of yield* forRules(objectType(id), keys.difference(found))) found.set(row.id, row)
        next.push({ type: objectType(id), rows: [...keys].flatMap((key) => found.get(key) ?? []), path })
      }
    }
    steps = next
  }
  return find
})
