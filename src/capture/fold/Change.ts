/** Changes of rows as the WAL has them, and folded to one per object. Pure. */
import type { Kind } from "../../event/Kind.ts"
import type { Row } from "../../inventory/Field.ts"
import type { RequestLine } from "../../inventory/write/Transaction.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"

/** The author of a change, and the request that made it. */
export interface ChangeContext {
  readonly username: string
  /** A UUID. */
  readonly requestId: string
  /** Absent for plain SQL. */
  readonly request?: RequestLine | undefined
  /** Why; absent where nothing is said. */
  readonly message?: string | undefined
}

/** A value with the id of an object: a row, or a tuple of the WAL. */
interface RowWithId {
  readonly id: number
  /** The id as text, if it is no safe integer. */
  readonly unsafeId?: string | undefined
}

/** A row that is decoded on demand. */
export interface Readable extends RowWithId {
  readonly row: () => Row
  /** Why no event can be made of the row, if so; known after `row` was called. */
  readonly unreadable?: string | undefined
  /** Why values of the row are missing, if so. An event is made of it if its type can do without them. */
  readonly incomplete?: string | undefined
}

/** There was a row, but the WAL does not have it. */
export const unknown = "unknown"
export type UnknownState = typeof unknown

/** A row before and after a change, with its place in the transaction. */
export interface Change<R extends RowWithId> {
  readonly type: ObjectType
  readonly before: R | UnknownState | undefined
  readonly after: R | undefined
  /** Count of raw messages before it in its transaction. */
  readonly idx: number
  readonly context: ChangeContext | undefined
}

/** All changes of one object in one window, as one. */
export interface ObjectChange<R extends RowWithId> {
  readonly type: ObjectType
  readonly kind: Kind
  /** The object before the first change; undefined if it was created, or if the WAL does not have it. */
  readonly before: R | undefined
  /** The object after the last change; undefined if it was deleted. */
  readonly after: R | undefined
  /** The object after the last change, or right before its deletion. */
  readonly last: R
  /** Count of raw messages before the last change in its transaction. */
  readonly idx: number
  readonly context: ChangeContext | undefined
}

interface ObjectSpan<R extends RowWithId> {
  readonly first: R | UnknownState | undefined
  last: Change<R>
}

/**
 * Folds the changes of a window: one entry per object that is different after it, in the order of last changes.
 * created then updated = created; updated twice = updated, from the first before to the last after; updated then
 * deleted = deleted; created then deleted = nothing; deleted then created = updated. The deletion of an append-only row
 * is nothing: the row was too old.
 */
export const fold = <R extends RowWithId>(changes: ReadonlyArray<Change<R>>): ReadonlyArray<ObjectChange<R>> => {
  // Most transactions have one change.
  const only = changes.length === 1 ? changes[0] : undefined
  if (only !== undefined) return entry(only.before, only)
  const types = new Map<ObjectType, Map<number | string, ObjectSpan<R>>>()
  for (const change of changes) {
    const objects = types.get(change.type) ?? new Map<number | string, ObjectSpan<R>>()
    types.set(change.type, objects)
    // Ids do not change: a trigger refuses it.
    const { id, unsafeId } = seenLast(change)
    const key = unsafeId ?? id
    const seen = objects.get(key)
    if (seen === undefined) objects.set(key, { first: change.before, last: change })
    else seen.last = change
  }
  return [...types.values()]
    .flatMap((objects) => [...objects.values()].flatMap(({ first, last }) => entry(first, last)))
    .sort((a, b) => a.idx - b.idx)
}

const entry = <R extends RowWithId>(
  first: R | UnknownState | undefined,
  last: Change<R>
): ReadonlyArray<ObjectChange<R>> => {
  const { type, after, idx, context } = last
  if (after === undefined && (first === undefined || type.isAppendOnly)) return []
  const kind = first === undefined ? "created" : after === undefined ? "deleted" : "updated"
  const before = first === unknown ? undefined : first
  return [{ type, kind, before, after, last: seenLast(last), idx, context }]
}

/** The row after the change, or before a deletion; only an update can be without its old row. */
const seenLast = <R extends RowWithId>({ before, after }: Change<R>): R => (after ?? before) as R
