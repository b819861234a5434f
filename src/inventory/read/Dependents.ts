/**
 * The objects that a deletion reaches: deleted as well, losing a reference, or forbidding it. Only those count that the
 * reader may view.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { visibleToSender } from "../Clearance.ts"
import { typesNamed } from "../field/Ends.ts"
import { literal } from "../../postgres/Literal.ts"
import { type ObjectType, columnOf, perType } from "../ObjectType.ts"
import { registry } from "../Registry.ts"
import { type Bind, asTexts, visibleRows, isNothing } from "../derive/filter/Where.ts"

type Effects = "delete" | "clear" | "forbid"

/** A field that may refer to objects of a type, and the effect of deleting one on the object that has the field. */
interface Pointing {
  readonly target: ObjectType
  readonly field: string
  readonly effect: Effects
  /** SQL that `c` refers to an object of these ids. */
  readonly among: (ids: string) => string
  /** The filter that finds them by the ids of the objects that they refer to. */
  readonly filter: string | undefined
}

const effects: Readonly<Record<string, Effects>> = { cascade: "delete", "set null": "clear", protect: "forbid" }

const pointingAt = perType(({ id }): ReadonlyArray<Pointing> =>
  [...registry.values()].flatMap((target) =>
    // Records of an object are deleted with it, and no preview counts them.
    Object.entries(target.kind === "record" ? {} : target.fields).flatMap(
      ([field, { reference, generic, isFiltered }]): ReadonlyArray<Pointing> => {
        const column = `c.${target.columns[field]}`
        const effect = effects[(reference ?? generic)?.onDelete ?? ""]
        if (effect === undefined) return []
        if (reference !== undefined && typesNamed(reference).includes(id)) {
          const { ends } = reference
          const ofType = ends === undefined ? "" : `c.${target.columns[ends.typeIn]} = ${literal(id)} and `
          const among = (ids: string) =>
            reference.many
              ? `${ofType}${column} && ${ids}::text[]::bigint[]`
              : `${column} = any (${ids}::text[]::bigint[])`
          const filter = ends === undefined && isFiltered ? `${field}_id` : undefined
          const pointing: Pointing = { target, field, effect, among, filter }
          if (ends === undefined) return [pointing]
          // A cable goes with the last object at one of its ends.
          const isBare = (ids: string) => `${column} <@ ${ids}::text[]::bigint[] and ${among(ids)}`
          return [{ ...pointing, effect: "delete", among: isBare }, pointing]
        }
        if (generic === undefined || (generic.types !== undefined && !generic.types.includes(id))) return []
        const among = (ids: string) =>
          `${column} = ${literal(id)} and c.${columnOf(target, generic.id)} = any (${ids}::text[]::bigint[])`
        return [{ target, field: generic.id.replace(/_id$/, ""), effect, among, filter: undefined }]
      }
    )
  )
)

export interface Dependents {
  readonly type: ObjectType
  /** The field that refers. */
  readonly field: string
  readonly effect: Effects
  readonly ids: ReadonlyArray<number>
  /** The objects that they refer to are among these; `filter` finds them by these, if there is one. */
  readonly targets: ReadonlyArray<number>
  readonly filter: string | undefined
}

/** Objects of one field are counted up to here, and followed no further. */
export const countedMax = 1000

/** Most steps from one object to the next. */
const stepsMax = 10

interface DependentIds {
  readonly type: ObjectType
  readonly ids: ReadonlyArray<number>
}

/** Follows what is deleted as well step by step, then counts what loses a reference to any of it, or forbids it. */
export const dependentsOf = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>) {
  const gone = new Map<ObjectType, Set<number>>([[type, new Set(ids)]])
  const found: Array<Dependents> = []
  let reached: ReadonlyArray<DependentIds> = [{ type, ids }]
  for (let step = 0; reached.length > 0 && step < stepsMax; step++) {
    const next: Array<DependentIds> = []
    for (const { target, ids, ...by } of yield* holding(reached, (each) => each.effect === "delete")) {
      const known = gone.get(target) ?? new Set<number>()
      const more = ids.filter((id) => !known.has(id))
      if (more.length === 0) continue
      gone.set(target, known.union(new Set(more)))
      found.push({ ...by, type: target, ids: more })
      next.push({ type: target, ids: more })
    }
    reached = next
  }
  const all = Array.from(gone, ([each, known]): DependentIds => ({ type: each, ids: [...known] }))
  for (const { target, ids, ...by } of yield* holding(all, (each) => each.effect !== "delete")) {
    const left = ids.filter((id) => gone.get(target)?.has(id) !== true)
    if (left.length > 0) found.push({ ...by, type: target, ids: left })
  }
  return found
})

/** The visible objects that refer to the reached ones, by field, in one statement. */
const holding = Effect.fnUntraced(function* (
  reached: ReadonlyArray<DependentIds>,
  isWanted: (pointing: Pointing) => boolean
) {
  const sql = yield* SqlClient.SqlClient
  const visible = yield* visibleToSender
  const parameters: Array<unknown> = []
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const fields = reached.flatMap(({ type, ids }) => {
    const wanted = pointingAt(type).filter((each) => isWanted(each) && !isNothing(visible(each.target)))
    if (wanted.length === 0) return []
    const texts = bind(asTexts(ids))
    return wanted.map((each) => ({ ...each, texts, targets: ids }))
  })
  if (fields.length === 0) return []
  const parts = fields.map(
    ({ target, among, texts }, at) =>
      `(select ${at} as at, c.id::text as id from ${visibleRows(target, visible, bind)} c where ${among(texts)} limit ${countedMax})`
  )
  const rows = yield* sql.unsafe<{ readonly at: number; readonly id: string }>(parts.join(" union all "), parameters)
  const byField = Map.groupBy(rows, ({ at }) => at)
  return fields.flatMap((field, at) => {
    const ids = (byField.get(at) ?? []).map(({ id }) => Number(id))
    return ids.length === 0 ? [] : [{ ...field, ids }]
  })
})
