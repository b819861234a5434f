/** LSNs: positions in the write-ahead log of one database. */

/** A byte position in the WAL, as Postgres prints it: `16/B374D848`. */
export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`

export const parseLsn = (text: string): bigint => {
  const match = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text)
  if (match === null) throw new RangeError(`not an LSN: ${text}`)
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`)
}
