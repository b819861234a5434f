/**
 * Collects the rows of each transaction of NetBox, and folds them at its commit.
 *
 * A row counts where it is inserted, with what later statements of the same transaction make of it. An update of an
 * older row is no change: NetBox writes one to all rows of a user who is deleted. The rows of a large transaction are not
 * kept: its ids are, and the rows are read from the table, which has them as they were committed.
 */
import { type ChangeRow, type FoldedChange, foldRows, isoTime } from "./ChangeRow.ts"
import { type Cells, type ChangeHandler, keptBytesMax } from "./ChangeMessages.ts"
import { switchPrefix } from "./SwitchMessage.ts"

/** A transaction that changed objects. Either its changes are there, or the ids of the rows to read. */
export interface SourceTransaction {
  /** Where the server may forget the WAL up to. */
  readonly endLsn: bigint
  /** Size of its messages, bytes. */
  readonly bytes: number
  readonly rows: number
  /** Sealed messages about webhooks that are taken over from here on (SwitchMessage.ts). */
  readonly switches: ReadonlyArray<string>
  readonly found: { readonly changes: ReadonlyArray<FoldedChange> } | { readonly ids: ReadonlyArray<string> }
}

/** Most rows of a transaction that are kept. */
const keptRowsMax = 2000

/** Most messages of a transaction that are kept: ours has one. */
const switchesMax = 10

export class Transactions implements ChangeHandler {
  private rows = new Map<string, ChangeRow>()
  private ids: Set<string> | undefined
  private switches: Array<string> = []
  private bytes = 0
  private isOpen = false
  private readonly onCommit: (transaction: SourceTransaction) => void

  constructor(onCommit: (transaction: SourceTransaction) => void) {
    this.onCommit = onCommit
  }

  get inTransaction(): boolean {
    return this.isOpen
  }

  begin(): void {
    this.isOpen = true
    this.rows = new Map()
    this.ids = undefined
    this.switches = []
    this.bytes = 0
  }

  inserted(cells: Cells, bytes: number): void {
    this.bytes += bytes
    const row = rowOf(cells, undefined)
    if (this.ids !== undefined) return void this.ids.add(row.id)
    this.rows.set(row.id, row)
    this.bound()
  }

  updated(cells: Cells, bytes: number): void {
    this.bytes += bytes
    const earlier = this.rows.get(cells.get("id") ?? "")
    if (earlier === undefined) return
    this.rows.set(earlier.id, rowOf(cells, earlier))
    this.bound()
  }

  message(prefix: string, content: string): void {
    if (prefix === switchPrefix && this.switches.length < switchesMax) this.switches.push(content)
  }

  commit(endLsn: bigint): void {
    this.isOpen = false
    const { ids, rows, bytes, switches } = this
    const found = ids === undefined ? { changes: foldRows(rows.values()) } : { ids: [...ids] }
    this.onCommit({ endLsn, bytes, rows: ids?.size ?? rows.size, switches, found })
    this.begin()
    this.isOpen = false
  }

  /** Keeps the ids alone where there is too much. */
  private bound(): void {
    if (this.rows.size <= keptRowsMax && this.bytes <= keptBytesMax) return
    this.ids = new Set(this.rows.keys())
    this.rows = new Map()
  }
}

/** The row of these cells. An update leaves out long values that it does not change: the row as it was has them. */
const rowOf = (cells: Cells, earlier: ChangeRow | undefined): ChangeRow => {
  const value = (column: string, known: string | null | undefined): string | null => {
    const cell = cells.get(column)
    return cell === undefined ? (known ?? null) : cell
  }
  const text = (column: string, known: string | undefined): string => value(column, known) ?? ""
  return {
    id: text("id", earlier?.id),
    action: text("action", earlier?.action),
    contentType: Number(text("changed_object_type_id", earlier && `${earlier.contentType}`)),
    objectId: text("changed_object_id", earlier?.objectId),
    display: text("object_repr", earlier?.display),
    username: text("user_name", earlier?.username),
    requestId: text("request_id", earlier?.requestId),
    message: text("message", earlier?.message),
    time: isoTime(text("time", earlier?.time)),
    before: value("prechange_data", earlier?.before),
    after: value("postchange_data", earlier?.after)
  }
}
