/**
 * A row in the WAL. Its cells are decoded when `row` is called; folding needs the id only.
 *
 * A tuple keeps a reference to the bytes of its message: they live as long as its window.
 */
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { textDecoders } from "../../inventory/derive/values/Row.ts"
import { Unreadable, valueBytesMax } from "../../inventory/Unreadable.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import type { Readable } from "../fold/Change.ts"

/** Kinds of cells. */
export const cellNull = 0x6e
export const cellText = 0x74
export const cellUnchanged = 0x75

export interface TupleLayout {
  readonly type: ObjectType
  readonly decoders: ReturnType<typeof textDecoders>
  /** A row without values, but for those of fields that have no column: its rows are older than a migration. */
  readonly blank: Readonly<Record<string, unknown>>
}

/** Largest cell that is decoded, bytes: JSON is longer as a text than Postgres counts it. */
const cellBytesMax = 2 * valueBytesMax

/** The value of a missing id. */
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
    const { bytes, old } = this
    const { decoders, blank } = this.layout
    const row: Record<string, unknown> = { ...blank }
    const oldRow = old?.read
    let at = this.start
    let oldAt = old?.start ?? 0
    for (const decoder of decoders) {
      const kind = bytes[at]
      const end = endOf(bytes, at)
      const oldEnd = old === undefined ? 0 : endOf(old.bytes, oldAt)
      if (decoder !== undefined) {
        // Most cells of an update are as they were: then both rows have one value, and it is decoded once.
        const isKnown =
          oldRow !== undefined && old !== undefined && isSame(bytes, at, end, old.bytes, oldAt, oldEnd - oldAt)
        if (isKnown) row[decoder.field] = this.noted(decoder.field, oldRow[decoder.field])
        else if (kind === cellText) row[decoder.field] = this.valueOf(decoder, at + 5, end)
        else if (kind === cellUnchanged) {
          row[decoder.field] = this.noted(decoder.field, old?.row()[decoder.field] ?? null)
        } else row[decoder.field] = null
      }
      at = end
      oldAt = oldEnd
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
    return this.noted(field, value)
  }

  /** The value; notes that it is an `Unreadable`. */
  private noted(field: string, value: unknown): unknown {
    if (value instanceof Unreadable) this.unreadable ??= `${field}: ${value.reason}`
    return value
  }
}

/** Where the cell at this offset ends. */
const endOf = (bytes: Buffer, at: number): number =>
  bytes[at] === cellText ? at + 5 + bytes.readInt32BE(at + 1) : at + 1

/** Longest cell that is compared byte by byte: a call out of JavaScript costs more than so few bytes. */
const comparedMax = 64

const isSame = (bytes: Buffer, at: number, end: number, old: Buffer, oldAt: number, length: number): boolean => {
  if (end - at !== length) return false
  if (length > comparedMax) return bytes.compare(old, oldAt, oldAt + length, at, end) === 0
  for (let each = 0; each < length; each++) if (bytes[at + each] !== old[oldAt + each]) return false
  return true
}
