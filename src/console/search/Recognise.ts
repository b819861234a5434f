/** Texts that name something by their shape: an id, a request, a delivery, a place in the write-ahead log. Pure. */
import { parseLsn } from "../../event/Lsn.ts"
import { isUuid } from "../../inventory/field/Scalar.ts"

export type SearchKey =
  | { readonly kind: "object"; readonly id: number }
  | { readonly kind: "request"; readonly id: string }
  | { readonly kind: "delivery"; readonly id: string }
  | { readonly kind: "lsn"; readonly lsn: bigint }

/** `12` or `#12`, a request id, `3-26741400-0`, `0/1980A58`; undefined for other texts. */
export const recognise = (text: string): SearchKey | undefined => {
  if (isUuid(text)) return { kind: "request", id: text.toLowerCase() }
  // As long as ids of the database are.
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? []
  if (number !== undefined) return { kind: "object", id: Number(number) }
  if (/^\d{1,16}-\d{5,19}-\d{1,10}$/.test(text)) return { kind: "delivery", id: text }
  if (/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(text)) return { kind: "lsn", lsn: parseLsn(text) }
  return undefined
}
