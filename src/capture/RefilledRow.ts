/**
 * A row that a replay of a gap (changelog/Refill.ts) writes into the WAL as a message, so that an event of it is made at
 * a place of its own, like that of any change.
 *
 * Everybody who may connect to the database may write such a message. So ours are sealed with SECRET_KEY, and count only
 * in the transaction for which they were made.
 */
import { parseExactly } from "../postgres/ExactJson.ts"
import type { Kind } from "../event/Kind.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { registry } from "../inventory/Registry.ts"
import { rowFromJson } from "../inventory/derive/values/Row.ts"
import { isDictionary } from "../inventory/Field.ts"
import { messageBytesMax } from "./wal/Pgoutput.ts"
import type { Readable } from "./fold/Change.ts"

export const refilledPrefix = "rackwire:row:v1"

interface RefillMessage {
  readonly type: string
  readonly kind: Exclude<Kind, "deleted">
  /** The lower 32 bits of the transaction's number. */
  readonly xid: number
  /** JSON text, as `row_to_json` gives it. */
  readonly row: string
}

/** The message before it is sealed. */
export const refilledText = ({ row, ...head }: RefillMessage): string =>
  `${JSON.stringify(head).slice(0, -1)},"row":${row}}`

/** Whether capture reads a message of this length. */
export const fits = ({ length }: string): boolean => length < messageBytesMax

/** The row in a message that was opened; undefined if it is not of this transaction. */
export const refilledRow = (
  text: string | undefined,
  xid: number
): { readonly type: ObjectType; readonly kind: Kind; readonly row: Readable } | undefined => {
  if (text === undefined) return undefined
  const { type: id, kind, xid: its, row } = parseExactly(text) as Record<keyof RefillMessage, unknown>
  const type = registry.get(String(id))
  if (its !== xid || type?.kind !== "object" || !isDictionary(row)) return undefined
  const read = rowFromJson(type, row)
  return { type, kind: kind === "created" ? "created" : "updated", row: { id: read.id, row: () => read } }
}
