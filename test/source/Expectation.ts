/** The events that a transaction of a NetBox owes, by its rows of the change table. Pure. */
import type { Snapshot } from "./NetBoxModels.ts"

/** A row of the change table, as it is when its transaction ends. */
export interface ChangeRow {
  readonly id: number
  /** `dcim.site` */
  readonly type: string
  readonly objectId: number
  readonly action: "create" | "update" | "delete"
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  readonly user: string
  readonly requestId: string
}

export interface ExpectedEvent {
  readonly kind: "created" | "updated" | "deleted"
  readonly type: string
  readonly objectId: number
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  readonly user: string
  readonly requestId: string
  /** Ids of the rows that it is made of. */
  readonly changeIds: ReadonlyArray<number>
}

export interface CommittedTransaction {
  readonly events: ReadonlyArray<ExpectedEvent>
  /** Rows of earlier transactions that it updated, as they are now: no events of their own. */
  readonly amended: ReadonlyArray<ChangeRow>
  /** Ids of rows that retention deleted. */
  readonly retired: ReadonlyArray<number>
}

/**
 * One event for each object that is different after the rows, in the order of last rows: from the first `before` to the
 * last `after`. An object that is created and deleted is nothing; one that is deleted and created is updated.
 */
export const foldRows = (rows: ReadonlyArray<ChangeRow>): ReadonlyArray<ExpectedEvent> => {
  const objects = Map.groupBy(rows, ({ type, objectId }) => `${type} ${objectId}`)
  return [...objects.values()]
    .flatMap((own): ReadonlyArray<ExpectedEvent> => {
      const first = own[0]!
      const last = own.at(-1)!
      const existed = first.action !== "create"
      const exists = last.action !== "delete"
      if (!existed && !exists) return []
      const { type, objectId, user, requestId } = last
      return [
        {
          kind: existed ? (exists ? "updated" : "deleted") : "created",
          ...{ type, objectId, user, requestId },
          before: existed ? first.before : null,
          after: exists ? last.after : null,
          changeIds: own.map(({ id }) => id)
        }
      ]
    })
    .sort((one, other) => one.changeIds.at(-1)! - other.changeIds.at(-1)!)
}
