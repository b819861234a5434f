/** The objects of a set that is restored: their references to each other, and the order in which they can be created. */
import { type Dictionary, type Reference, isDictionary } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { flatFields } from "../derive/represent/Flat.ts"

/** An object as the change log knows it. */
export interface LoggedObject {
  readonly type: ObjectType
  readonly id: number
  readonly name: string
  /** Its state before the transaction. */
  readonly before: Dictionary
}

interface Pointer {
  readonly field: string
  /** Keys of the objects that the field refers to. */
  readonly targets: ReadonlyArray<string>
  /** Whether the object is deleted with the target. */
  readonly belongs: boolean
  /** Whether the object cannot be created without it. */
  readonly isNeeded: boolean
}

export interface Member extends LoggedObject {
  readonly key: string
  readonly pointers: ReadonlyArray<Pointer>
}

export const keyOf = (type: string, id: unknown): string => `${type} ${String(id)}`

/** The key of an object that a state names: by its id, or as an end of a cable. */
export const keyNamed = ({ type }: Pick<Reference, "type">, named: unknown): string =>
  isDictionary(named) ? keyOf(String(named["object_type"]), named["object_id"]) : keyOf(type, named)

/** The fields of an object whose values refer to objects by their ids. */
const pointersOf = (type: ObjectType, state: Dictionary): ReadonlyArray<Pointer> =>
  flatFields(type).flatMap((field): ReadonlyArray<Pointer> => {
    const { reference, generic, nullable } = fieldOf(type, field)
    const value = state[field] ?? null
    if (value === null) return []
    if (generic !== undefined) {
      const targets = [keyOf(String(value), state[generic.id])]
      const belongs = generic.onDelete === "cascade"
      return [{ field, targets, belongs, isNeeded: belongs || !nullable }]
    }
    if (reference === undefined) return []
    const targets = [value].flat().map((named: unknown) => keyNamed(reference, named))
    const belongs = reference.onDelete === "cascade" || reference.ends !== undefined
    return [{ field, targets, belongs, isNeeded: belongs || (!reference.many && !nullable) }]
  })

export const memberOf = (object: LoggedObject): Member => ({
  ...object,
  key: keyOf(object.type.id, object.id),
  pointers: pointersOf(object.type, object.before)
})

/** The objects among these that were deleted because they belong to the root, or to each other. */
export const belongings = (root: Member, deleted: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const owned = new Map<string, Array<Member>>()
  for (const member of deleted) {
    for (const key of member.pointers.flatMap(({ belongs, targets }) => (belongs ? targets : []))) {
      const known = owned.get(key)
      if (known === undefined) owned.set(key, [member])
      else known.push(member)
    }
  }
  const found = new Set([root])
  for (const member of found) {
    for (const each of owned.get(member.key) ?? []) if (each.key !== root.key) found.add(each)
  }
  return [...found].slice(1)
}

/**
 * The objects to create next, all of one type: those that refer to none that is pending. Where references form a circle,
 * one object that can be created without them. Empty where every object needs another one that is pending.
 */
export const nextToCreate = (pending: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const keys = new Set(pending.map(({ key }) => key))
  const waits = ({ key, pointers }: Member, isEvery: boolean) =>
    pointers.some(
      ({ isNeeded, targets }) => (isEvery || isNeeded) && targets.some((target) => target !== key && keys.has(target))
    )
  const free = pending.filter((member) => !waits(member, true))
  const chosen = free.length > 0 ? free : pending.filter((member) => !waits(member, false)).slice(0, 1)
  return chosen.filter(({ type }) => type === chosen[0]!.type)
}
