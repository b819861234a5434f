/** Clues to a transaction as a request names them. Pure. */
import { parseLsn } from "../../event/Lsn.ts"
import { isUuid } from "../../inventory/field/Scalar.ts"
import type { Clue } from "./Transactions.ts"

const positionMax = 2n ** 63n - 1n

/** A position as its text; undefined for anything else. */
export const positionIn = (text: string): bigint | undefined => {
  const position = /^\d{1,19}$/.test(text) ? BigInt(text) : positionMax + 1n
  return position <= positionMax ? position : undefined
}

/** Postgres shows the number of a transaction with its epoch or without; the digits are of either. */
export const xidClue = (digits: string): Clue => ({ kind: "xid", xid: Number(BigInt.asUintN(32, BigInt(digits))) })

/** By the name of the parameter: what it takes, and how it is read. */
const readers: Readonly<Record<string, readonly [takes: string, read: (text: string) => Clue | undefined]>> = {
  lsn: [
    "an LSN, such as 0/1980A58",
    (text) => (/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(text) ? { kind: "lsn", lsn: parseLsn(text) } : undefined)
  ],
  request_id: [
    "a request id, a UUID",
    (text) => (isUuid(text) ? { kind: "request", id: text.toLowerCase() } : undefined)
  ],
  xid: ["the number of a transaction in Postgres", (text) => (/^\d{1,19}$/.test(text) ? xidClue(text) : undefined)],
  change: [
    "the id of a change",
    (text) => (/^\d{1,15}$/.test(text) ? { kind: "change", id: Number(text) } : undefined)
  ],
  delivery: [
    "the id of a delivery, such as 3-26741400-0",
    (text) =>
      /^\d{1,15}$|^\d{1,16}-\d{1,19}-\d{1,15}(-.{1,40})?$/.test(text) ? { kind: "delivery", id: text } : undefined
  ]
}

/** The clue that a query names; `errors` by parameter where one is wrong, or where there are several. */
export const clueIn = (
  query: URLSearchParams
): { readonly clue: Clue | undefined } | { readonly errors: Readonly<Record<string, ReadonlyArray<string>>> } => {
  const named = Object.keys(readers).filter((name) => query.has(name))
  const [name] = named
  if (name === undefined) return { clue: undefined }
  if (named.length > 1) return { errors: { [named[1]!]: [`Name only one of ${Object.keys(readers).join(", ")}.`] } }
  const [takes, read] = readers[name]!
  const clue = read(query.get(name)!.trim())
  return clue === undefined ? { errors: { [name]: [`Expected ${takes}.`] } } : { clue }
}
