/**
 * The place of a change in the write-ahead log. Positions order all changes of an installation; printed, they are the
 * ids of Redis' stream entries.
 */

import { formatLsn } from "./Lsn.ts"

export interface Position {
  /** The commit's LSN with its epoch in the high bits (`inEpoch`). */
  readonly position: bigint
  /** The number of the message within its transaction. */
  readonly idx: number
}

/** Bits of a position for the LSN: 4 petabytes of WAL. */
export const lsnBits = 52n

/**
 * An LSN with its epoch in the high bits, so that positions rise over the whole life of an installation, across a
 * restored or replaced database too. In epoch 0 a position is the LSN.
 */
export const inEpoch = (epoch: number, lsn: bigint): bigint => (BigInt(epoch) << lsnBits) | lsn

/**
 * The epoch of changes of a NetBox that was moved here, before all others: the LSN is the id of the change there. These
 * changes are in the change log, and no events: nothing is matched, queued or sent for them.
 */
export const historyEpoch = -1

/** SQL over a change of the log, by its alias: whether it is an event. */
export const isEvent = (alias: string): string => `${alias}.position >= 0`

/** The LSN of a position, as Postgres prints it. */
export const lsnOf = (position: bigint): string => formatLsn(BigInt.asUintN(Number(lsnBits), position))

/** `<position>-<idx>`, both decimal. */
export const formatPosition = ({ position, idx }: { readonly position: bigint | string; readonly idx: number }) =>
  `${position}-${idx}`

/** The position that `formatPosition` printed; leading zeros are allowed. Throws a RangeError for anything else. */
export const parsePosition = (text: string): Position => {
  const match = /^(\d+)-(\d+)$/.exec(text)
  if (match === null) throw new RangeError(`not a position: ${text}`)
  return { position: BigInt(match[1]!), idx: Number(match[2]) }
}

/** The position that a row or a delivery has as texts: JSON has no such numbers. */
export const positionOf = ({
  position,
  idx
}: {
  readonly position: string
  readonly idx: string | number
}): Position => ({
  position: BigInt(position),
  idx: Number(idx)
})

/** Negative if `one` is first, positive if `other` does, 0 if they are the same. */
export const comparePositions = (one: Position, other: Position): number =>
  one.position === other.position ? one.idx - other.idx : one.position < other.position ? -1 : 1
