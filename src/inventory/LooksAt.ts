/** The rows that the rules of a type look at beside the ones that are written: one query per object type and step. */
import { Effect } from "effect"
import { Clearance } from "./Clearance.ts"
import type { Row } from "./Field.ts"
import type { Find, ObjectType } from "./ObjectType.ts"
import { byIds } from "./Read.ts"
import { objectType } from "./Registry.ts"
import { references } from "./derive/Representation.ts"

interface Step {
  readonly type: ObjectType
  readonly rows: ReadonlyArray<Row>
  /** Names of references, and the path from there. */
  readonly path: ReadonlyArray<string>
}

export const lookAt = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const known = new Map<string, Map<number, Row>>()
  const find: Find = (id, key) => known.get(id)?.get(key)
  let steps = type.looksAt.map((path): Step => ({ type, rows, path: path.split(".") }))
  while (steps.length > 0) {
    const next: Array<Step> = []
    for (const step of steps) {
      const [name, ...path] = step.path
      if (name === undefined || !Object.hasOwn(step.type.fields, name)) continue
      for (const [id, keys] of references(step.type, step.rows, [name])) {
        const found = known.get(id) ?? new Map<number, Row>()
        known.set(id, found)
        // Rules hold for everybody, whatever they may see.
        const rows = Effect.provideService(byIds(objectType(id), keys.difference(found)), Clearance, Clearance.all)
        for (const row of yield* rows) found.set(row.id, row)
        next.push({ type: objectType(id), rows: [...keys].flatMap((key) => found.get(key) ?? []), path })
      }
    }
    steps = next
  }
  return find
})
