/** What happened to rows: changes as the WAL tells them, and folded to one per object. Pure. */
import type { Row } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"

/** Who wrote, and for which request. */
export interface ChangeContext {
  readonly username: string
  /** A UUID. */
  readonly requestId: string
}

/** A row before and after, with its place in the transaction; a fact that knows no webhook. */
export interface Change {
  readonly type: ObjectType
  readonly before: Row | undefined
  readonly after: Row | undefined
  /** Count of raw messages before it in its transaction. */
  readonly idx: number
  readonly context: ChangeContext | undefined
}

export type Kind = "created" | "updated" | "deleted"

/** All changes of one object in one window, as one. */
export interface Folded {
  readonly type: ObjectType
  readonly kind: Kind
  /** The object before the first change; undefined when it was created. */
  readonly before: Row | undefined
  /** The object after the last change; undefined when it was deleted. */
  readonly after: Row | undefined
  /** The object as it was last seen: after, or for a deleted one right before its end. */
  readonly last: Row
  /** Of the last change. */
  readonly idx: number
  readonly context: ChangeContext | undefined
}

/**
 * Folds the changes of a window: one entry per object that is different after it, in the order of last changes.
 * created then updated = created; updated twice = updated, from the first before to the last after; updated then
 * deleted = deleted; created then deleted = nothing; deleted then created = updated.
 */
export const fold = (changes: Iterable<Change>): ReadonlyArray<Folded> => {
  const objects = new Map<string, { readonly first: Row | undefined; last: Change }>()
  const see = (change: Change) => {
    const key = `${change.type.id} ${(change.after ?? change.before)!.id}`
    const seen = objects.get(key)
    // Taken out and put back, so that the map's order is that of last changes.
    objects.delete(key)
    objects.set(key, { first: seen === undefined ? change.before : seen.first, last: change })
  }
  for (const change of changes) {
    const { before, after } = change
    if (before !== undefined && after !== undefined && before.id !== after.id) {
      // An update of the id is the end of one object and the start of another.
      see({ ...change, after: undefined })
      see({ ...change, before: undefined })
    } else see(change)
  }
  return [...objects.values()].flatMap(
    ({ first, last: { type, before, after, idx, context } }): ReadonlyArray<Folded> => {
      if (first === undefined && after === undefined) return []
      const kind = first === undefined ? "created" : after === undefined ? "deleted" : "updated"
      return [{ type, kind, before: first, after, last: (after ?? before)!, idx, context }]
    }
  )
}
