/**
 * Bytes of pgoutput messages, version 1, as the protocol's documentation lays them out
 * (https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html).
 */

/** A cell: text, null, a TOASTed value that did not change, or (never asked for) binary. */
export type Cell = string | null | { readonly kind: "unchanged" } | { readonly kind: "binary"; readonly hex: string }

export const unchanged: Cell = { kind: "unchanged" }

const int = (size: 1 | 2 | 4, value: number): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeIntBE(value, 0, size)
  return bytes
}

const long = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}

const letter = (text: string): Buffer => Buffer.from(text, "latin1")
const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const cellBytes = (cell: Cell): Buffer => {
  if (cell === null) return letter("n")
  if (typeof cell === "string") {
    const value = Buffer.from(cell)
    return Buffer.concat([letter("t"), int(4, value.length), value])
  }
  if (cell.kind === "unchanged") return letter("u")
  const value = Buffer.from(cell.hex, "hex")
  return Buffer.concat([letter("b"), int(4, value.length), value])
}

const tuple = (cells: ReadonlyArray<Cell>): Buffer => Buffer.concat([int(2, cells.length), ...cells.map(cellBytes)])

/** `micros` counts from 2000-01-01. */
export const begin = (commitLsn: bigint, micros: bigint, xid = 7): Buffer =>
  Buffer.concat([letter("B"), long(commitLsn), long(micros), int(4, xid)])

export const commit = (commitLsn: bigint, endLsn: bigint, micros = 0n): Buffer =>
  Buffer.concat([letter("C"), int(1, 0), long(commitLsn), long(endLsn), long(micros)])

/** `identity`: "f" when old rows come whole, "d" when only their keys do. */
export const relation = (
  oid: number,
  name: string,
  columns: ReadonlyArray<string>,
  schema = "public",
  identity = "f"
): Buffer =>
  Buffer.concat([
    letter("R"),
    int(4, oid),
    text(schema),
    text(name),
    letter(identity),
    int(2, columns.length),
    ...columns.map((column) => Buffer.concat([int(1, 1), text(column), int(4, 25), int(4, -1)]))
  ])

export const insert = (oid: number, cells: ReadonlyArray<Cell>): Buffer =>
  Buffer.concat([letter("I"), int(4, oid), letter("N"), tuple(cells)])

/** `identity`: "O" with the whole old row, "K" with its key only, "" with none. */
export const update = (
  oid: number,
  identity: "O" | "K" | "",
  old: ReadonlyArray<Cell>,
  now: ReadonlyArray<Cell>
): Buffer =>
  Buffer.concat([
    letter("U"),
    int(4, oid),
    ...(identity === "" ? [] : [letter(identity), tuple(old)]),
    letter("N"),
    tuple(now)
  ])

export const remove = (oid: number, identity: "O" | "K", old: ReadonlyArray<Cell>): Buffer =>
  Buffer.concat([letter("D"), int(4, oid), letter(identity), tuple(old)])

export const truncate = (oids: ReadonlyArray<number>): Buffer =>
  Buffer.concat([letter("T"), int(4, oids.length), int(1, 0), ...oids.map((oid) => int(4, oid))])

export const logical = (prefix: string, content: string, transactional = true): Buffer => {
  const value = Buffer.from(content)
  return Buffer.concat([
    letter("M"),
    int(1, transactional ? 1 : 0),
    long(0x1528948n),
    text(prefix),
    int(4, value.length),
    value
  ])
}
