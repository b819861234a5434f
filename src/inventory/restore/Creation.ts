/** Creates the objects of a set, each as far as the rules and the rights of the author allow. */
import { Effect, Result } from "effect"
import type { OutOfBounds } from "../Clearance.ts"
import type { Errors } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { flatFields } from "../derive/represent/Flat.ts"
import type { Author } from "../write/Transaction.ts"
import { create } from "../write/Write.ts"
import { Replicates } from "../write/create/Instantiate.ts"
import { WriteRefused } from "../write/WriteRefused.ts"
import { bodyOf } from "./Body.ts"
import { type Member, nextToCreate } from "./Members.ts"
import { type Omission, reasonOf, refusalOf } from "./Omission.ts"

/** The state of one restore. */
export interface Progress {
  readonly author: Author
  /** New ids by old keys; null for an object that is not restored, or not yet. */
  readonly newIds: Map<string, number | null>
  readonly created: Array<Member>
  readonly omitted: Array<Omission>
  /** Fields of created objects that name objects which were not there yet. */
  readonly later: Array<{ readonly member: Member; readonly field: string }>
}

type Creation = ReturnType<typeof create>
type CreationError = Exclude<Effect.Error<Creation>, WriteRefused | OutOfBounds>
type Creating = Effect.Effect<void, CreationError, Effect.Services<Creation>>

/** Creates objects of a type, all or none; returns the refusal. */
const attempt = Effect.fnUntraced(function* (
  { author, newIds, created, later }: Progress,
  members: ReadonlyArray<Member>,
  without: ReadonlyArray<string> = []
) {
  const [{ type }] = members as [Member]
  const fields = flatFields(type).filter((name) => !without.includes(name))
  const written = members.map(({ before }) => bodyOf(type, before, newIds, fields))
  const bodies = written.map(({ body }) => body)
  const result = yield* refusalOf(Effect.provideService(create(type, bodies, author), Replicates, false))
  if (Result.isFailure(result)) return result.failure
  for (const [at, member] of members.entries()) {
    newIds.set(member.key, result.success[at]!.row.id)
    created.push(member)
    for (const field of written[at]!.incomplete) later.push({ member, field })
  }
  return undefined
})

/** Creates an object, if need be without references that are refused. Returns the refusal. */
export const createOne = Effect.fnUntraced(function* (progress: Progress, member: Member) {
  const refusal = yield* attempt(progress, [member])
  if (!(refusal instanceof WriteRefused)) return refusal
  const errors = refusal.errors[0] ?? {}
  const fields = dispensable(member.type, errors)
  if (fields === undefined || (yield* attempt(progress, [member], fields)) !== undefined) return refusal
  progress.omitted.push({ object: member, fields, reason: { kind: "refused", errors } })
  return undefined
})

/** The refused fields, if all are references that the object can do without. */
const dispensable = (type: ObjectType, errors: Errors): ReadonlyArray<string> | undefined => {
  const fields = Object.keys(errors).flatMap((name) => {
    const field = flatFields(type).find((each) => each === name || fieldOf(type, each).generic?.id === name)
    return field === undefined ? [] : [field]
  })
  const isDispensable = (name: string): boolean => {
    const { reference, generic, nullable } = fieldOf(type, name)
    const { onDelete } = reference ?? generic ?? { onDelete: "cascade" }
    return onDelete !== "cascade" && reference?.ends === undefined && (nullable || reference?.many === true)
  }
  if (fields.length < Object.keys(errors).length || !fields.every(isDispensable)) return undefined
  return fields.flatMap((name) => [name, fieldOf(type, name).generic?.id ?? []].flat())
}

/** Creates objects of a type; halves those that are refused together, until each refused one is alone. */
const createGroup: (progress: Progress, members: ReadonlyArray<Member>) => Creating = Effect.fnUntraced(
  function* (progress, members) {
    const [object] = members
    if (object === undefined) return
    if (members.length === 1) {
      const refusal = yield* createOne(progress, object)
      if (refusal !== undefined) progress.omitted.push({ object, reason: reasonOf(refusal) })
      return
    }
    if ((yield* attempt(progress, members)) === undefined) return
    const half = Math.ceil(members.length / 2)
    yield* createGroup(progress, members.slice(0, half))
    yield* createGroup(progress, members.slice(half))
  }
)

/** Creates objects after those that they refer to. */
export const createAll = Effect.fnUntraced(function* (progress: Progress, members: ReadonlyArray<Member>) {
  const { newIds, omitted } = progress
  let pending = members
  while (pending.length > 0) {
    const next = new Set(nextToCreate(pending))
    if (next.size === 0) {
      omitted.push(...pending.map((object): Omission => ({ object, reason: { kind: "circle" } })))
      return
    }
    const waiting = new Set(pending.map(({ key }) => key))
    const isLost = (key: string) => newIds.get(key) === null && !waiting.has(key)
    const possible = [...next].filter((object) => {
      const missing = object.pointers.find(({ isNeeded, targets }) => isNeeded && targets.some(isLost))
      if (missing !== undefined) omitted.push({ object, reason: { kind: "without", field: missing.field } })
      return missing === undefined
    })
    yield* createGroup(progress, possible)
    pending = pending.filter((each) => !next.has(each))
  }
})
