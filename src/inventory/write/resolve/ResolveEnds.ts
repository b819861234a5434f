/** The ends of cables in drafts, named by id or by attributes, resolved to ids of objects that exist, and their type. */
import { Effect } from "effect"
import type { Errors, Reference, Row } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import type { Draft } from "../../derive/values/Draft.ts"
import type { Target } from "../../field/Reference.ts"
import type { NamedEnd } from "../../field/Terminations.ts"
import { byAttributes, existingIds } from "../Resolve.ts"

/** `before`: the rows that the drafts change. They may keep ends that they already have. */
export const resolveEnds = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  let resolved = drafts
  for (const [name, { reference, wire }] of Object.entries(type.fields)) {
    if (reference?.ends === undefined || wire !== "both") continue
    const { typeIn } = reference.ends
    const found = new Map<Target, number | string>()
    const named = resolved.flatMap(({ values }, at) => {
      const row = before[at]
      const held = new Set(row === undefined ? [] : (row[name] as ReadonlyArray<number>))
      return endsIn(values[name]).filter(({ type, target }) => {
        if (!("id" in target) || row?.[typeIn] !== type || !held.has(target.id)) return true
        found.set(target, target.id)
        return false
      })
    })
    for (const [id, ends] of Map.groupBy(named, (end) => end.type)) {
      const targets = ends.map(({ target }) => target)
      const existing = yield* existingIds(objectType(id), targets)
      for (const target of targets) {
        if (!("id" in target)) found.set(target, yield* byAttributes(objectType(id), target.attributes))
        else found.set(target, existing.has(target.id) ? target.id : missing(target.id))
      }
    }
    resolved = resolved.map((draft) => resolveSide(draft, name, reference, found))
  }
  return resolved
})

const missing = (id: number): string => `Invalid pk "${id}" - object does not exist.`

const endsIn = (value: unknown): ReadonlyArray<NamedEnd> => (value ?? []) as ReadonlyArray<NamedEnd>

const resolveSide = (
  draft: Draft,
  name: string,
  { ends }: Reference,
  found: ReadonlyMap<Target, number | string>
): Draft => {
  if (!Object.hasOwn(draft.values, name)) return draft
  const given = endsIn(draft.values[name])
  const answers = given.map(({ target }) => found.get(target)!)
  const wrong = answers.find((answer) => typeof answer === "string")
  const types = [...new Set(given.map(({ type }) => type))]
  const errors: Errors = {
    ...(types.length > 1 && { __all__: ["Cannot connect different termination types to same end of cable."] }),
    ...draft.errors,
    ...(wrong !== undefined && { [name]: [wrong] })
  }
  const ids = answers.filter((answer) => typeof answer === "number")
  const values = {
    ...draft.values,
    [name]: [...new Set(ids)].sort((a, b) => a - b),
    ...(types[0] !== undefined && { [ends!.typeIn]: types[0] })
  }
  return { errors, values }
}
