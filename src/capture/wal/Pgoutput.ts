/**
 * Decodes pgoutput messages (version 1, text format) to calls of a handler.
 *
 * A relation message is compiled once, when it arrives, to the decoders of its object type's fields. Cells of a
 * relation that is no object type are skipped.
 */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { blankRow, textDecoders } from "../../inventory/derive/values/Row.ts"
import { valueBytesMax } from "../../inventory/Unreadable.ts"
import { CaptureError } from "../CaptureError.ts"
import { type Readable, type UnknownState, unknown } from "../fold/Change.ts"
import { Tuple, type TupleLayout, cellNull, cellText, cellUnchanged } from "./Tuple.ts"
import { postgresEpochMillis } from "./Walsender.ts"

export interface Handler {
  /**
   * `commitLsn`: position of the commit record; `micros`: time of the commit, microseconds since 1970; `xid`: the lower
   * 32 bits of the transaction's number.
   */
  readonly begin: (commitLsn: bigint, micros: number, xid: number) => void
  /**
   * A transactional message (`pg_logical_emit_message`). The content of a message that is too long to be one of ours is
   * "".
   */
  readonly message: (prefix: string, content: string) => void
  /**
   * `type` is undefined for a table that is no object type, `before` for an insert, `after` for a delete. `bytes`: the
   * length of the message.
   */
  readonly change: (
    type: ObjectType | undefined,
    before: Readable | UnknownState | undefined,
    after: Readable | undefined,
    bytes: number
  ) => void
  /** Whether the rows of this transaction are not read: changes pass to `skipped`. */
  readonly skipsRows: boolean
  readonly skipped: (type: ObjectType) => void
  /** Object types whose tables were truncated. */
  readonly truncate: (types: ReadonlyArray<ObjectType>) => void
  readonly commit: (commitLsn: bigint, endLsn: bigint) => void
}

interface Relation {
  readonly name: string
  readonly layout: TupleLayout
  /** Index of the id's column. */
  readonly idColumn: number
  /** Whether old rows are complete (replica identity full). */
  readonly full: boolean
}

/**
 * Largest prefix and content of a message that are decoded, bytes; ours may carry a row. Everybody who may connect to the
 * database may write one of 1 GB, more than the limit of a string.
 */
const prefixBytesMax = 256
export const messageBytesMax = 4 * valueBytesMax

const typesByTable = new Map([...registry.values()].map((type) => [type.table, type]))

const code = (letter: string) => letter.charCodeAt(0)
const [B, C, D, I, M, O, R, T, U, Y, N] = [..."BCDIMORTUYN"].map(code)
const identityFull = code("f")

export class Pgoutput {
  /** By oid; null for a table that is no object type. */
  private readonly relations = new Map<number, Relation | null>()
  private readonly handler: Handler
  private bytes: Buffer = Buffer.alloc(0)
  private at = 0
  /** Length of the message, bytes. */
  private size = 0

  constructor(handler: Handler) {
    this.handler = handler
  }

  decode(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes
    this.at = start + 1
    this.size = end - start
    const { handler } = this
    switch (bytes[start]) {
      case B: {
        const lsn = bytes.readBigUInt64BE(start + 1)
        const micros = Number(bytes.readBigInt64BE(start + 9)) + postgresEpochMillis * 1000
        return handler.begin(lsn, micros, bytes.readUInt32BE(start + 17))
      }
      case C:
        return handler.commit(bytes.readBigUInt64BE(start + 2), bytes.readBigUInt64BE(start + 10))
      case I:
      case U:
      case D:
        return this.row(bytes[start], this.relation())
      case M:
        return this.message(end)
      case R:
        return this.describe()
      case T:
        return this.truncate()
      case O:
      case Y:
        return
      default:
        throw protocol(`unknown message tag ${JSON.stringify(String.fromCharCode(bytes[start] ?? 0))}`)
    }
  }

  private row(tag: number | undefined, relation: Relation | null): void {
    // A change of a table that is no object type: nothing of it is kept.
    if (relation === null) return this.handler.change(undefined, undefined, undefined, 0)
    if (this.handler.skipsRows) return this.handler.skipped(relation.layout.type)
    if (tag === I) return this.insert(relation)
    return tag === U ? this.update(relation) : this.delete(relation)
  }

  private insert(relation: Relation): void {
    this.at += 1
    this.handler.change(relation.layout.type, undefined, this.tuple(relation, undefined), this.size)
  }

  private update(relation: Relation): void {
    const kind = this.bytes[this.at]
    if (kind !== O && relation.full) throw protocol(`${relation.name}: an update without its old row`)
    let before: Tuple | UnknownState = unknown
    let formerId: number | undefined
    if (kind !== N) {
      this.at += 1
      const old = this.tuple(relation, undefined)
      if (old.unsafeId === undefined) formerId = old.id
      if (kind === O) before = old
    }
    this.at += 1
    const after = this.tuple(relation, before === unknown ? undefined : before)
    // A trigger refuses it, but not for the replica role.
    if (formerId !== undefined && formerId !== after.id) after.unreadable ??= `its id was ${formerId}`
    this.handler.change(relation.layout.type, before, after, this.size)
  }

  private delete(relation: Relation): void {
    const kind = this.bytes[this.at++]
    if (kind !== O && relation.full) throw protocol(`${relation.name}: a delete without its old row`)
    const before = this.tuple(relation, undefined)
    if (kind !== O) before.incomplete = "the WAL carries only its id: the table had lost its replica identity"
    this.handler.change(relation.layout.type, before, undefined, this.size)
  }

  private truncate(): void {
    const count = this.bytes.readUInt32BE(this.at)
    this.at += 5
    const relations = Array.from({ length: count }, () => this.relation())
    this.handler.truncate(relations.flatMap((relation) => relation?.layout.type ?? []))
  }

  private relation(): Relation | null {
    const oid = this.bytes.readUInt32BE(this.at)
    this.at += 4
    const relation = this.relations.get(oid)
    if (relation === undefined) throw protocol(`a change of relation ${oid}, which was never described`)
    return relation
  }

  /** Skips the cells of a tuple and reads only the id. */
  private tuple(relation: Relation, old: Tuple | undefined): Tuple {
    const { layout } = relation
    const { bytes } = this
    const count = bytes.readUInt16BE(this.at)
    if (count !== layout.decoders.length) throw protocol(`${relation.name}: a row of ${count} cells`)
    const start = this.at + 2
    let at = start
    let id = ""
    for (let column = 0; column < count; column++) {
      const kind = bytes[at++]
      if (kind === cellText) {
        const end = at + 4 + bytes.readInt32BE(at)
        if (column === relation.idColumn) id = bytes.toString("latin1", at + 4, end)
        at = end
      } else if (kind !== cellNull && (kind !== cellUnchanged || (old === undefined && relation.full))) {
        throw protocol(`${relation.name}: a cell of kind ${kind} in column ${column}`)
      }
    }
    this.at = at
    if (id === "" && old !== undefined) id = old.unsafeId ?? `${old.id}`
    return new Tuple(layout, id, bytes, start, old)
  }

  private message(end: number): void {
    const { bytes } = this
    const transactional = bytes[this.at] === 1
    // A message outside of transactions belongs to no change.
    if (!transactional) return
    const prefixEnd = bytes.indexOf(0, this.at + 9)
    const isOurs = prefixEnd - this.at - 9 <= prefixBytesMax && end - prefixEnd <= messageBytesMax
    if (!isOurs) return this.handler.message("", "")
    this.handler.message(this.text(this.at + 9), bytes.toString("utf8", this.at + 4, end))
  }

  private describe(): void {
    const { bytes } = this
    const oid = bytes.readUInt32BE(this.at)
    const schema = this.text(this.at + 4)
    const name = this.text(this.at)
    const full = bytes[this.at] === identityFull
    const count = bytes.readUInt16BE(this.at + 1)
    this.at += 3
    const columns = Array.from({ length: count }, () => {
      const column = this.text(this.at + 1)
      this.at += 8
      return column
    })
    const type = typesByTable.get(name)
    if (type === undefined) return void this.relations.set(oid, null)
    this.relations.set(oid, {
      name: `${schema}.${name}`,
      layout: { type, decoders: textDecoders(type, columns), blank: blankRow(type, columns) },
      idColumn: columns.indexOf("id"),
      full
    })
  }

  /** The text up to the next zero byte; moves behind it. */
  private text(start: number): string {
    const end = this.bytes.indexOf(0, start)
    this.at = end + 1
    return this.bytes.toString("utf8", start, end)
  }
}

const protocol = (message: string) => new CaptureError({ reason: "Protocol", message })
