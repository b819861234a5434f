/** A row of NetBox's change table, and how several rows of one object in one transaction are one change. Pure. */
import type { Kind } from "../../event/Kind.ts"

/** As the row has it; other words of a later release are no changes of objects. */
type RowAction = "create" | "update" | "delete"

export interface ChangeRow {
  readonly id: string
  readonly action: string
  /** Id of the content type. */
  readonly contentType: number
  readonly objectId: string
  readonly display: string
  readonly username: string
  readonly requestId: string
  readonly message: string
  /** ISO 8601. */
  readonly time: string
  /** JSON texts; null where there is none. */
  readonly before: string | null
  readonly after: string | null
}

/** All rows of one object in one transaction. */
export interface FoldedChange extends ChangeRow {
  readonly kind: Kind
  /** Ids of all its rows. */
  readonly ids: ReadonlyArray<string>
  /** Whether a state is left out, because it is too long. */
  readonly isCut?: boolean
}

const isAction = (action: string): action is RowAction => ["create", "update", "delete"].includes(action)

/**
 * The kind of a change that began and ended with rows of these actions; undefined for an object that was created and
 * deleted, and for actions that are not known.
 */
const foldedKind = (first: string, last: string): Kind | undefined => {
  if (!isAction(first) || !isAction(last)) return undefined
  if (last === "delete") return first === "create" ? undefined : "deleted"
  return first === "create" ? "created" : "updated"
}

/** The changes of a transaction, one per object, in the order of their last rows. */
export const foldRows = (rows: Iterable<ChangeRow>): ReadonlyArray<FoldedChange> => {
  const objects = new Map<string, { readonly first: ChangeRow; last: ChangeRow; readonly ids: Array<string> }>()
  for (const row of rows) {
    const key = `${row.contentType} ${row.objectId}`
    const known = objects.get(key)
    if (known === undefined) {
      objects.set(key, { first: row, last: row, ids: [row.id] })
      continue
    }
    known.last = row
    known.ids.push(row.id)
    // In the order of last rows.
    objects.delete(key)
    objects.set(key, known)
  }
  return [...objects.values()].flatMap(({ first, last, ids }) => folded(first, last, ids))
}

/** One change of the first and the last row of an object; none where nothing is left of it. */
export const folded = (
  first: Pick<ChangeRow, "action" | "before">,
  last: ChangeRow,
  ids: ReadonlyArray<string>
): ReadonlyArray<FoldedChange> => {
  const kind = foldedKind(first.action, last.action)
  if (kind === undefined) return []
  const before = kind === "created" ? null : first.before
  return [{ ...last, kind, before, after: kind === "deleted" ? null : last.after, ids }]
}

/** A time as Postgres prints it with the style ISO, as ISO 8601: `2026-11-29 02:00:00.5+00` has no T. */
export const isoTime = (text: string): string => {
  const [, day, time, hours, minutes = ":00"] = /^(\d{4,}-\d\d-\d\d) ([\d:.]+)([+-]\d\d)(:\d\d)?/.exec(text) ?? []
  return day === undefined ? text : `${day}T${time}${hours}${minutes}`
}
