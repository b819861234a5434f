/** Positions in the write-ahead log. */

/** A byte position in the WAL, as Postgres prints it: `16/B374D848`. */
export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`

export const parseLsn = (text: string): bigint => {
  const match = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text)
  if (match === null) throw new RangeError(`not an LSN: ${text}`)
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`)
}

/** Bits of a position that hold the LSN: 4 petabytes of WAL. */
const lsnBits = 52n

/**
 * An LSN with its epoch in the high bits, so that positions rise over the whole life of an installation, across a
 * restored or replaced database too. In epoch 0 a position is the LSN.
 */
export const position = (epoch: number, lsn: bigint): bigint => (BigInt(epoch) << lsnBits) | lsn
