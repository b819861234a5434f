/**
 * Creates a deleted object again with the objects that were deleted with it, and restores the references to them.
 *
 * Responsible for: the order of the writes, and a reason for every object or reference that is not restored. Guarantees:
 * one transaction; each write is the ordinary one, with its rules and with the rights of its author. Does not: decide
 * which objects were deleted together (DeletedSet.ts).
 */
import { Effect, Result } from "effect"
import type { Dictionary } from "../Field.ts"
import { typeNamed } from "../field/Ends.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { flatFields } from "../derive/represent/Flat.ts"
import { snapshot } from "../derive/represent/Representation.ts"
import { byIds, viewFor } from "../read/Read.ts"
import { type Author, asAuthor } from "../write/Transaction.ts"
import { update } from "../write/Write.ts"
import { bodyOf, namedBy } from "./Body.ts"
import { type Progress, createAll, createOne } from "./Creation.ts"
import type { ClearedObject, DeletedSet } from "./DeletedSet.ts"
import { type LoggedObject, keyNamed } from "./Members.ts"
import { type Omission, type Reason, reasonOf, refusalOf } from "./Omission.ts"

export interface RestoredObject {
  readonly object: LoggedObject
  readonly id: number
}

export interface RestoreResult {
  /** The id of the root. */
  readonly id: number
  /** The objects beside the root. */
  readonly created: ReadonlyArray<RestoredObject>
  /** The objects that refer to a restored one again. */
  readonly reconnected: ReadonlyArray<RestoredObject>
  readonly omitted: ReadonlyArray<Omission>
}

/** Fails if the root is refused. */
export const restore = (set: DeletedSet, author: Author) => asAuthor(author)(restoring(set, author))

const restoring = Effect.fnUntraced(function* ({ root, others, cleared }: DeletedSet, author: Author) {
  const newIds = new Map<string, number | null>([root, ...others].map(({ key }) => [key, null]))
  const progress: Progress = { author, newIds, created: [], omitted: [], later: [] }
  const refused = yield* createOne(progress, root)
  if (refused !== undefined) return yield* refused
  yield* createAll(progress, others)
  yield* complete(progress)
  const { created, omitted } = progress
  const reconnected: Array<RestoredObject> = []
  for (const object of cleared) {
    const outcome = yield* reconnect(object, progress)
    if (outcome === undefined) continue
    if (outcome === "reconnected") reconnected.push({ object, id: object.id })
    else omitted.push({ object, ...outcome })
  }
  return {
    id: newIds.get(root.key)!,
    created: created.filter(({ key }) => key !== root.key).map((object) => ({ object, id: newIds.get(object.key)! })),
    reconnected,
    omitted
  } satisfies RestoreResult as RestoreResult
})

/** Writes the references to objects that were created after the ones that refer to them. */
const complete = Effect.fnUntraced(function* ({ author, newIds, later, omitted }: Progress) {
  for (const { member: object, field } of later) {
    const { body, incomplete } = bodyOf(object.type, object.before, newIds, [field])
    if (incomplete.length > 0) {
      omitted.push({ object, fields: [field], reason: { kind: "without", field } })
      if (!Array.isArray(body[field])) continue
    }
    const reason = yield* change(object.type, newIds.get(object.key)!, body, author)
    if (reason !== undefined) omitted.push({ object, fields: [field], reason })
  }
})

/** Sets the references of an object that the deletion took from it; undefined where it had none to a restored object. */
const reconnect = Effect.fnUntraced(function* (
  { type, id, before, after }: ClearedObject,
  { author, newIds, created }: Progress
) {
  const isOneOf = (target: string, value: unknown) =>
    typeof value === "string"
      ? created.some((each) => each.type.id === target && each.before["name"] === value)
      : typeof newIds.get(keyNamed({ type: target }, value)) === "number"
  const isBack = (name: string): boolean => {
    const { reference, generic } = fieldOf(type, name)
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) return false
    if (generic !== undefined) return isOneOf(String(before[name]), before[generic.id])
    return reference !== undefined && [before[name]].flat().some((value) => isOneOf(reference.type, value))
  }
  const back = flatFields(type).filter(isBack)
  if (back.length === 0) return undefined
  // A trigger may empty other fields with the reference, as the position in a virtual chassis.
  const emptied = flatFields(type).filter((name) => (before[name] ?? null) !== null && after[name] === null)
  const fields = [...new Set([...back, ...emptied])]
  const [row] = yield* byIds(type, [id], "change")
  if (row === undefined) return { fields, reason: { kind: "closed" } as const }
  const now = snapshot(type, row, yield* viewFor(type, [row], ""))
  const changed = fields.filter((name) => !Array.isArray(after[name]) && (now[name] ?? null) !== (after[name] ?? null))
  if (changed.length > 0) return { fields: changed, reason: { kind: "changed" } as const }
  const body: Record<string, unknown> = { ...bodyOf(type, before, newIds, fields).body }
  for (const name of back) {
    const { reference } = fieldOf(type, name)
    const kept = row[name]
    if (reference === undefined || !Array.isArray(kept)) continue
    const lost = (before[name] as ReadonlyArray<unknown>).filter((value) => isOneOf(reference.type, value))
    const added = lost.map((value) => namedBy(reference, value, newIds.get(keyNamed(reference, value)) ?? undefined))
    const own = { ...reference, type: typeNamed(reference, row) }
    body[name] = [...(kept as ReadonlyArray<unknown>).map((each) => namedBy(own, each)), ...added]
  }
  const reason = yield* change(type, id, body, author)
  return reason === undefined ? "reconnected" : { fields, reason }
})

/** Updates an object; returns why it was not updated. */
const change = Effect.fnUntraced(function* (type: ObjectType, id: number, body: Dictionary, author: Author) {
  const written = yield* refusalOf(update(type, [{ id, body }], false, author))
  if (Result.isFailure(written)) return reasonOf(written.failure)
  return written.success.length > 0 ? undefined : ({ kind: "closed" } satisfies Reason)
})
