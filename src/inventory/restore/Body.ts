/** The state of the change log as the body of a write, with the new ids of objects that were restored. Pure. */
import { type Dictionary, type Reference, emptyRecord, isDictionary } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { flatFields } from "../derive/represent/Flat.ts"
import { keyNamed, keyOf } from "./Members.ts"

/** New ids of restored objects by their old keys; null for an object that is not restored, or not yet. */
type NewIds = ReadonlyMap<string, number | null>

interface Body {
  readonly body: Dictionary
  /** Fields that name an object without a new id, or have lost one of theirs. */
  readonly incomplete: ReadonlyArray<string>
}

/** The body that writes these fields. */
export const bodyOf = (type: ObjectType, state: Dictionary, newIds: NewIds, fields = flatFields(type)): Body => {
  const body = emptyRecord<unknown>()
  const incomplete: Array<string> = []
  const newId = (target: string, id: unknown): unknown => {
    const found = newIds.get(keyOf(target, id))
    return found === undefined ? id : found
  }
  for (const name of fields) {
    if (!Object.hasOwn(state, name)) continue
    const { reference, generic } = fieldOf(type, name)
    const value = state[name]
    if (generic !== undefined && typeof value === "string") {
      const id = newId(value, state[generic.id])
      body[name] = id === null ? null : value
      body[generic.id] = id
      if (id === null) incomplete.push(name)
    } else if (reference === undefined || value === null) {
      if (!Object.hasOwn(body, name)) body[name] = value
    } else if (Array.isArray(value)) {
      const named = value.flatMap((each: unknown) => {
        const found = newIds.get(keyNamed(reference, each))
        return found === null ? [] : [namedBy(reference, each, found)]
      })
      body[name] = named
      if (named.length < value.length) incomplete.push(name)
    } else {
      body[name] = newId(reference.type, value)
      if (body[name] === null) incomplete.push(name)
    }
  }
  return { body, incomplete }
}

/** The item of a list that names an object as a state does, with its new id: by that, or a tag by its name. */
export const namedBy = ({ type, ends }: Pick<Reference, "type" | "ends">, named: unknown, newId?: number): unknown => {
  const id = newId ?? (isDictionary(named) ? named["object_id"] : named)
  // Earlier versions joined interfaces only, and named them by their ids.
  if (ends !== undefined) return { object_type: isDictionary(named) ? named["object_type"] : type, object_id: id }
  return typeof id === "string" ? { name: id } : id
}
