/**
 * A row in the WAL. Its cells are decoded when `row` is called; folding needs the id only.
 *
 * A tuple keeps a reference to the bytes it came in: they live as long as its window.
 */
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { textDecoders } from "../../inventory/derive/values/Row.ts"
import { Unreadable, valueBytesMax } from "../../inventory/Unreadable.ts"
import { inWords } from "../../Telemetry.ts"
import type { Readable } from "../fold/Change.ts"

/** Kinds of cells. */
export const cellNull = 0x6e
export const cellText = 0x74
export const cellUnchanged = 0x75

export interface TupleLayout {
  readonly type: ObjectType
  readonly decoders: ReturnType<typeof textDecoders>
  /** Values of fields for which the relation has no column: its rows are older than a migration. */
  readonly absent: Readonly<Record<string, unknown>>
}

/** Largest cell that is decoded, bytes: JSON is longer as a text than Postgres counts it. */
const cellBytesMax = 2 * valueBytesMax

/** Stands for an id that is not there. */
const noId = "?"

const tooLong = new Unreadable(`longer than ${cellBytesMax} bytes`)

export class Tuple implements Readable {
  readonly id: number
  readonly unsafeId: string | undefined = undefined
  unreadable: string | undefined
  incomplete: string | undefined
  private readonly layout: TupleLayout
  private readonly bytes: Buffer
  private readonly start: number
  /** The row before, for unchanged cells that the WAL leaves out. */
  private readonly old: Tuple | undefined
  private read: Row | undefined

  /** `id`: "" if the WAL does not carry it. `start`: the offset of the first cell. */
  constructor(layout: TupleLayout, id: string, bytes: Buffer, start: number, old: Tuple | undefined) {
    this.layout = layout
    this.id = Number(id)
    if (id === "") {
      this.unsafeId = noId
      this.unreadable =
        "the WAL does not carry its id: the table had lost its replica identity, or the publication columns"
    } else if (!Number.isSafeInteger(this.id)) {
      this.unsafeId = id
      this.unreadable = `id: ${id} is beyond ${Number.MAX_SAFE_INTEGER}`
    }
    this.bytes = bytes
    this.start = start
    this.old = old
  }

  row(): Row {
    this.read ??= this.decode()
    return this.read
  }

  private decode(): Row {
    const { bytes } = this
    const { decoders, absent } = this.layout
    const row: Record<string, unknown> = { ...absent }
    let at = this.start
    for (const decoder of decoders) {
      const kind = bytes[at++]
      if (kind === cellText) {
        const end = at + 4 + bytes.readInt32BE(at)
        if (decoder !== undefined) row[decoder.field] = this.valueOf(decoder, at + 4, end)
        at = end
      } else if (decoder !== undefined) {
        const value = kind === cellUnchanged ? (this.old?.row()[decoder.field] ?? null) : null
        if (value instanceof Unreadable) this.unreadable ??= `${decoder.field}: ${value.reason}`
        row[decoder.field] = value
      }
    }
    return row as Row
  }

  /** The value of a cell, or an `Unreadable`, which is noted as well. */
  private valueOf(
    { field, decode }: NonNullable<TupleLayout["decoders"][number]>,
    start: number,
    end: number
  ): unknown {
    let value: unknown
    try {
      value = end - start > cellBytesMax ? tooLong : decode(this.bytes.toString("utf8", start, end))
    } catch (error) {
      value = new Unreadable(inWords(error))
    }
    if (value instanceof Unreadable) this.unreadable ??= `${field}: ${value.reason}`
    return value
  }
}
