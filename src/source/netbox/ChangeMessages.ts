/**
 * Decodes the pgoutput messages of a publication of the change table (version 1, text format).
 *
 * Rows of that table are inserted, and updated in the transaction that inserted them; deletions are its retention, and
 * are not published.
 */
import { CaptureError } from "../../capture/CaptureError.ts"

/** The cells of a row by column: null, or undefined for a value that the WAL leaves out because it is unchanged. */
export type Cells = ReadonlyMap<string, string | null | undefined>

export interface ChangeHandler {
  readonly begin: () => void
  /** `bytes`: the length of the message. */
  readonly inserted: (cells: Cells, bytes: number) => void
  readonly updated: (cells: Cells, bytes: number) => void
  /** A message of the transaction (`pg_logical_emit_message`). */
  readonly message: (prefix: string, content: string) => void
  readonly commit: (endLsn: bigint) => void
}

const code = (letter: string) => letter.charCodeAt(0)
const [B, C, I, M, N, R, U] = [..."BCIMNRU"].map(code)

/** Longest message that is read, bytes: everybody who may connect to the database may write one of 1 GB. */
const messageBytesMax = 65_536

/** Largest transaction that is kept, bytes: the rows of a larger one are read by SQL. So no cell of it is larger. */
export const keptBytesMax = 8 * 1024 * 1024

const [cellNull, cellText, cellUnchanged] = [..."ntu"].map(code)

export class ChangeMessages {
  /** Columns by the oid of their table; null for another table. */
  private readonly columns = new Map<number, ReadonlyArray<string> | null>()
  private readonly table: string
  private readonly handler: ChangeHandler

  constructor(table: string, handler: ChangeHandler) {
    this.table = table
    this.handler = handler
  }

  /** Decodes the message from `start` to `end`. Other messages than those of rows mean nothing here. */
  decode(bytes: Buffer, start: number, end: number): void {
    switch (bytes[start]) {
      case B:
        return this.handler.begin()
      case C:
        return this.handler.commit(bytes.readBigUInt64BE(start + 10))
      case R:
        return this.describe(bytes, start + 1)
      case M:
        return this.message(bytes, start + 1, end)
      case I:
        return this.change(true, bytes, start + 1, end)
      case U:
        return this.change(false, bytes, start + 1, end)
      default:
    }
  }

  private message(bytes: Buffer, start: number, end: number): void {
    // Flags, LSN, prefix, length, content; a message outside of a transaction belongs to none.
    if (bytes[start] !== 1 || end - start > messageBytesMax) return
    const prefix = textAt(bytes, start + 9)
    this.handler.message(prefix.text, bytes.toString("utf8", prefix.end + 4, end))
  }

  private describe(bytes: Buffer, start: number): void {
    const schema = textAt(bytes, start + 4)
    const name = textAt(bytes, schema.end)
    const count = bytes.readUInt16BE(name.end + 1)
    let at = name.end + 3
    const columns: Array<string> = []
    for (let column = 0; column < count; column++) {
      const { text, end } = textAt(bytes, at + 1)
      columns.push(text)
      at = end + 8
    }
    this.columns.set(bytes.readUInt32BE(start), name.text === this.table ? columns : null)
  }

  private change(isInsert: boolean, bytes: Buffer, start: number, end: number): void {
    const columns = this.columns.get(bytes.readUInt32BE(start))
    if (columns === undefined) throw protocol("a change of a relation that was never described")
    if (columns === null) return
    let at = start + 4
    // An update begins with the old row where the table's replica identity is full.
    if (bytes[at] !== N) at = this.cells(bytes, at + 1, columns, undefined)
    if (bytes[at] !== N) throw protocol("a change without a new row")
    const cells = new Map<string, string | null | undefined>()
    this.cells(bytes, at + 1, columns, cells)
    if (isInsert) this.handler.inserted(cells, end - start)
    else this.handler.updated(cells, end - start)
  }

  /** Reads the cells of a row; returns where it ends. */
  private cells(
    bytes: Buffer,
    start: number,
    columns: ReadonlyArray<string>,
    into: Map<string, string | null | undefined> | undefined
  ): number {
    const count = bytes.readUInt16BE(start)
    if (count !== columns.length) throw protocol(`a row of ${count} cells in place of ${columns.length}`)
    let at = start + 2
    for (const column of columns) {
      const kind = bytes[at++]
      if (kind === cellText) {
        const end = at + 4 + bytes.readInt32BE(at)
        into?.set(column, end - at - 4 <= keptBytesMax ? bytes.toString("utf8", at + 4, end) : undefined)
        at = end
      } else if (kind === cellNull) into?.set(column, null)
      else if (kind === cellUnchanged) into?.set(column, undefined)
      else throw protocol(`a cell of kind ${kind} in ${column}`)
    }
    return at
  }
}

const textAt = (bytes: Buffer, start: number): { readonly text: string; readonly end: number } => {
  const zero = bytes.indexOf(0, start)
  return { text: bytes.toString("utf8", start, zero), end: zero + 1 }
}

const protocol = (message: string) => new CaptureError({ reason: "Protocol", message: `the change table: ${message}` })
