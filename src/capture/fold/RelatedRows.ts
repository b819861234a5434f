/**
 * A cache of the rows that changed objects refer to: a row is loaded once, and then updated by the changes in the WAL.
 *
 * The cache is bounded and drops the least recently used rows. A row is loaded as it is now, not as it was at the
 * change that needs it; the WAL catches up with it. It is never older than the WAL that was read: a load waits until it
 * sees all transactions (SeenTransactions.ts), and rows that it read without waiting to the end are not kept.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Row } from "../../inventory/Field.ts"
import { type ObjectType, columnOf, fieldOf, perType } from "../../inventory/ObjectType.ts"
import { rowFromJson } from "../../inventory/derive/values/Row.ts"
import { customFieldsByType, list } from "../../inventory/read/Read.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { nestedFields, references, referencesBehind } from "../../inventory/derive/represent/Representation.ts"
import { everything, asTexts } from "../../inventory/derive/filter/Where.ts"
import { customReferences } from "../../inventory/field/CustomFields.ts"
import type CustomFieldType from "../../inventory/types/extras/CustomField.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"
import type { ObjectChange, Readable } from "./Change.ts"
import { SeenTransactions } from "./SeenTransactions.ts"
import type { Window } from "./TransactionWindows.ts"

const customField = "extras.customfield"

const all = { where: everything, ordering: [], limit: undefined, offset: 0 }

/** Most rows of one object type. */
const rowsMax = 50_000

/** Whether a field has values of any length that no representation of a related object shows. */
const isLong = (type: ObjectType, name: string): boolean => {
  const { type: stored, maxLength, choices, generic } = fieldOf(type, name)
  const isText = stored === "text" && maxLength === undefined && choices === undefined && generic === undefined
  return (isText || stored === "jsonb") && !nestedFields(type).includes(name)
}

const shortColumns = perType((type) =>
  ["id", ...Object.keys(type.fields).flatMap((name) => (isLong(type, name) ? [] : [columnOf(type, name)]))].join(", ")
)

/** Rows without their long values: a row with all of them may be longer than a message of the server may be. */
const shortRows = Effect.fnUntraced(function* (type: ObjectType, ids: Iterable<number>) {
  const wanted = [...ids]
  if (wanted.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `select row_to_json(t) as row from (select ${shortColumns(type)} from ${type.table} where id = any ($1::text[]::bigint[])) t`,
    [asTexts(wanted)]
  )
  return rows.map(({ row }) => rowFromJson(type, row))
})

/** The custom field that the change leaves behind; undefined where it is of another type, or a deletion. */
const definitionIn = ({ type, after }: ObjectChange<Readable>): CustomField | undefined =>
  type.id === customField ? (after?.row() as CustomField | undefined) : undefined

export class RelatedRows {
  private readonly types = new Map<string, Map<number, Row>>()
  /** All custom fields, once they were read, and the same by object type. */
  private definitions: Map<number, CustomField> | undefined
  private definitionsByType: ReturnType<typeof customFieldsByType> = new Map()
  private readonly transactions = new SeenTransactions()
  /** Whether the load under way sees all transactions; undefined before its first statement. */
  private isCurrent: boolean | undefined
  /** Rows of the last load that may be older than the WAL, by type. */
  private doubtful: Array<readonly [type: string, ids: ReadonlySet<number>]> = []

  /** The custom fields of an object type, in their order. */
  customFields = (type: string): ReadonlyArray<CustomField> => this.definitionsByType.get(type) ?? []

  find = (type: string, id: number): Row | undefined => {
    const rows = this.types.get(type)
    const row = rows?.get(id)
    if (rows !== undefined && row !== undefined) {
      rows.delete(id)
      rows.set(id, row)
    }
    return row
  }

  /** Updates the cache with a change. */
  apply(change: ObjectChange<Readable>): void {
    if (change.last.unsafeId !== undefined) return
    if (change.type.id === customField && this.definitions !== undefined) {
      this.definitions.delete(change.last.id)
      const definition = definitionIn(change)
      if (definition !== undefined) this.definitions.set(change.last.id, definition)
      this.define(this.definitions)
    }
    const rows = this.types.get(change.type.id)
    if (rows === undefined || !rows.has(change.last.id)) return
    if (change.after === undefined) rows.delete(change.last.id)
    else rows.set(change.last.id, change.after.row())
  }

  /** Loads the rows that the representations of these changes need and the cache does not have. */
  load = Effect.fnUntraced(
    { self: this },
    function* (this: RelatedRows, windows: ReadonlyArray<Pick<Window, "transaction" | "changes" | "moved">>) {
      for (const [type, ids] of this.doubtful) for (const id of ids) this.types.get(type)?.delete(id)
      if (this.doubtful.some(([type]) => type === customField)) this.forget(customField)
      this.doubtful = []
      this.isCurrent = undefined
      for (const { transaction, moved = [] } of windows) {
        this.transactions.add(transaction.xid)
        for (const { id } of moved) this.forget(id)
      }
      if (this.definitions === undefined) {
        if (!(yield* this.seesAll)) this.doubtful.push([customField, new Set()])
        const found = yield* list(objectType<typeof CustomFieldType>(customField), all)
        this.define(new Map(found.map((row) => [row.id, row])))
      }
      const changes = windows.flatMap((window) => window.changes)
      const coming = customFieldsByType(changes.flatMap((change) => definitionIn(change) ?? []))
      const changed = [...Map.groupBy(changes, ({ type }) => type)].map(([type, each]) => ({
        type,
        rows: each.flatMap(({ before, last }) => (before === undefined ? [last.row()] : [before.row(), last.row()]))
      }))
      yield* this.follow(
        changed.flatMap(({ type, rows }) => {
          const definitions = [...this.customFields(type.id), ...(coming.get(type.id) ?? [])]
          return [...references(type, rows), ...customReferences(definitions, rows, registry)]
        })
      )
      // If the same window changes an object, the rows behind it are loaded for that change.
      yield* this.follow(changed.flatMap(({ type, rows }) => referencesBehind(type, rows, this.find)))
    }
  )

  /** Loads these rows, and those that their brief representations need. */
  private follow = Effect.fnUntraced(
    { self: this },
    function* (this: RelatedRows, wanted: ReadonlyArray<readonly [id: string, ids: ReadonlySet<number>]>) {
      let pending = wanted
      while (pending.length > 0) {
        const next: Array<(typeof pending)[number]> = []
        for (const [id, ids] of pending) {
          if (ids.size === 0) continue
          const target = objectType(id)
          const rows = this.types.get(id) ?? new Map<number, Row>()
          this.types.set(id, rows)
          // Changes of accounts are not in the WAL: a cached row of theirs would become stale.
          const wanted = target.kind === "account" ? ids : ids.difference(rows)
          if (wanted.size > 0 && !(yield* this.seesAll)) this.doubtful.push([id, wanted])
          const found = yield* shortRows(target, wanted)
          for (const row of found) rows.set(row.id, row)
          for (const old of rows.keys().take(Math.max(rows.size - rowsMax, 0))) rows.delete(old)
          // Also for rows that were cached: the rows that they refer to may have changed, or been evicted.
          const needed = nestedFields(target).some((name) => target.fields[name]!.reference !== undefined)
            ? [...ids].flatMap((key) => this.find(id, key) ?? [])
            : []
          next.push(...references(target, needed, nestedFields(target)))
        }
        pending = next
      }
    }
  )

  /** Rows of a type were changed without changes in the WAL that are read. */
  private forget(type: string): void {
    this.types.delete(type)
    if (type === customField) this.definitions = undefined
  }

  /** Waits once in a load. */
  private readonly seesAll = Effect.suspend(() =>
    this.isCurrent === undefined
      ? Effect.tap(this.transactions.visible, (isCurrent) => Effect.sync(() => (this.isCurrent = isCurrent)))
      : Effect.succeed(this.isCurrent)
  )

  private define(definitions: Map<number, CustomField>): void {
    this.definitions = definitions
    this.definitionsByType = customFieldsByType(definitions.values())
  }
}
