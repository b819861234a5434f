/** The order in which object types are written, so that every object exists before others refer to it. Pure. */
import type { Field } from "../../inventory/Field.ts"
import { typesNamed } from "../../inventory/field/Ends.ts"
import type { Selection } from "./Selection.ts"

interface Step {
  readonly selection: Selection
  /** References that are written after all types: the objects that they name are written later. */
  readonly later: ReadonlyArray<string>
}

interface Need {
  readonly field: string
  readonly types: ReadonlyArray<string>
  /** Whether the row can be written without it first. */
  readonly mayWait: boolean
}

/** A reference to an object of any type. Types with one are written last. */
const isOfAny = ({ generic }: Field): boolean => generic !== undefined && generic.types === undefined

const needsOf = ({ type, fields, parent }: Selection): ReadonlyArray<Need> =>
  fields.flatMap(({ name }): ReadonlyArray<Need> => {
    const field = type.fields[name]!
    if (field.generic?.types !== undefined) return [{ field: name, types: field.generic.types, mayWait: false }]
    if (field.reference === undefined) return []
    // Rows are read level by level.
    if (parent === `${name}_id`) return []
    return [{ field: name, types: typesNamed(field.reference), mayWait: field.nullable && !field.reference.many }]
  })

/** Throws if types need each other and no reference can wait: then a declaration is wrong, not the source. */
export const ordered = (selections: ReadonlyArray<Selection>): ReadonlyArray<Step> => {
  const isLast = ({ type, fields }: Selection) => fields.some(({ name }) => isOfAny(type.fields[name]!))
  const first = selections.filter((each) => !isLast(each))
  return [...inTurn(first), ...inTurn(selections.filter(isLast))]
}

const inTurn = (selections: ReadonlyArray<Selection>): ReadonlyArray<Step> => {
  const waiting = new Map(selections.map((selection) => [selection.type.id, selection]))
  const steps: Array<Step> = []
  while (waiting.size > 0) {
    const open = [...waiting.values()].map((selection) => {
      const missing = needsOf(selection).filter(({ types }) => types.some((type) => waiting.has(type)))
      // An object of the type itself can only be named later.
      return {
        selection,
        later: missing.filter((need) => need.mayWait),
        fixed: missing.filter((need) => !need.mayWait)
      }
    })
    const next = open.filter(({ fixed }) => fixed.length === 0).sort((a, b) => others(a) - others(b))[0]
    if (next === undefined) throw new Error(`object types need each other: ${[...waiting.keys()].join(", ")}`)
    waiting.delete(next.selection.type.id)
    steps.push({ selection: next.selection, later: next.later.map(({ field }) => field) })
  }
  return steps
}

/** How many references of a type would have to wait that it could have had, written later. */
const others = ({ selection, later }: { readonly selection: Selection; readonly later: ReadonlyArray<Need> }): number =>
  later.filter(({ types }) => types.some((type) => type !== selection.type.id)).length
