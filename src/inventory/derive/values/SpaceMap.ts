/**
 * A span of numbers (the addresses of a network, or VLAN ids) as a map of few pieces, each free, taken or taken in
 * part. The work is bounded by the cells of the map, however large the span is. Pure.
 */
import type { Gap } from "./Space.ts"
import { type Network, baseOf, widthOf } from "../../field/Network.ts"

/** 2^size numbers from `first` on, a multiple of that. */
export interface Block {
  readonly first: bigint
  readonly size: number
}

/** Cells of a map at most, as a power of two: the map is a square of 16 by 16. */
const cellsSize = 8

/** Numbers that are taken, by something of the index of the caller. */
export interface OwnedSpan<Owner> extends Gap {
  readonly owner: Owner
}

/** Neighbouring cells that are alike: a power of two of them, aligned, so that they form a rectangle. */
export type Piece<Owner> = Place &
  (
    | { readonly kind: "free" }
    /** Smaller things are in it. */
    | { readonly kind: "part" }
    | { readonly kind: "taken"; readonly owner: Owner }
  )

interface Place {
  /** Number of the first cell. */
  readonly at: number
  /** How many cells. */
  readonly cells: number
}

/** The size of a cell in the map of a block. */
export const cellOf = ({ size }: Block): number => Math.max(size - cellsSize, 0)

const cellCount = (frame: Block): number => 2 ** (frame.size - cellOf(frame))

/** The numbers of a piece. */
export const blockAt = (frame: Block, { at, cells }: Place): Block => ({
  first: frame.first + (BigInt(at) << BigInt(cellOf(frame))),
  size: cellOf(frame) + Math.log2(cells)
})

/** The cells of the map as blocks. */
export const cellsOf = (frame: Block): ReadonlyArray<Block> =>
  Array.from({ length: cellCount(frame) }, (_, at) => blockAt(frame, { at, cells: 1 }))

/** Every aligned block from the whole map down to its cells, the larger ones first. */
export const blocksOf = (frame: Block): ReadonlyArray<Block> => {
  const count = cellCount(frame)
  const found: Array<Block> = []
  for (let cells = count; cells >= 1; cells /= 2) {
    for (let at = 0; at < count; at += cells) found.push(blockAt(frame, { at, cells }))
  }
  return found
}

/**
 * The pieces of the map, which together are all of its cells. Of things that take the same numbers the one with most
 * numbers counts. `parts`: cells with something smaller in them. `most`: cells of the largest free piece.
 */
export const mapOf = <Owner>(
  frame: Block,
  taken: ReadonlyArray<OwnedSpan<Owner>>,
  parts: Iterable<number>,
  most = Infinity
): ReadonlyArray<Piece<Owner>> => {
  const count = cellCount(frame)
  const painted: Array<OwnedSpan<Owner> | "free" | "part"> = Array.from({ length: count }, () => "free")
  for (const at of parts) if (at >= 0 && at < count) painted[at] = "part"
  const shift = BigInt(cellOf(frame))
  const cellAt = (bits: bigint): number => Number((bits - frame.first) >> shift)
  const end = frame.first + (1n << BigInt(frame.size))
  const byLength = [...taken].sort(
    (a, b) => Number(b.last - b.first > a.last - a.first) - Number(b.last - b.first < a.last - a.first)
  )
  for (const each of byLength) {
    if (each.last < frame.first || each.first >= end) continue
    const [first, last] = [each.first < frame.first ? frame.first : each.first, each.last >= end ? end - 1n : each.last]
    for (let at = cellAt(first); at <= cellAt(last); at++) {
      const cell = blockAt(frame, { at, cells: 1 })
      const isWhole = first <= cell.first && lastIn(cell) <= last
      if (typeof painted[at] !== "object") painted[at] = isWhole ? each : "part"
    }
  }
  return piecesOf(painted, most)
}

export const lastIn = ({ first, size }: Block): bigint => first + (1n << BigInt(size)) - 1n

const piecesOf = <Owner>(
  painted: ReadonlyArray<OwnedSpan<Owner> | "free" | "part">,
  most: number
): ReadonlyArray<Piece<Owner>> => {
  const pieces: Array<Piece<Owner>> = []
  for (let at = 0; at < painted.length;) {
    const what = painted[at]!
    const cells = what === "part" ? 1 : Math.min(alikeFrom(painted, at), what === "free" ? most : Infinity)
    pieces.push(typeof what === "object" ? { at, cells, kind: "taken", owner: what.owner } : { at, cells, kind: what })
    at += cells
  }
  return pieces
}

/** How many cells from this one on are alike and form an aligned block. */
const alikeFrom = (painted: ReadonlyArray<unknown>, at: number): number => {
  let cells = 1
  for (let twice = 2; at % twice === 0 && at + twice <= painted.length; twice *= 2) {
    for (let next = at + cells; next < at + twice; next++) if (painted[next] !== painted[at]) return cells
    cells = twice
  }
  return cells
}

/** The largest free pieces of a map, those with the lowest numbers first among equals. */
export const largestFree = <Owner>(pieces: ReadonlyArray<Piece<Owner>>, most: number): ReadonlyArray<Place> =>
  pieces
    .filter(({ kind }) => kind === "free")
    .sort((a, b) => b.cells - a.cells || a.at - b.at)
    .slice(0, most)

export const blockOfNetwork = (network: Network): Block => ({
  first: baseOf(network),
  size: widthOf(network.family) - network.length
})

export const networkOfBlock = (family: 4 | 6, { first, size }: Block): Network => ({
  family,
  bits: first,
  length: widthOf(family) - size
})

/** The smallest aligned block that has both numbers. */
export const blockAround = (first: bigint, last: bigint): Block => {
  let size = 0
  while (first >> BigInt(size) !== last >> BigInt(size)) size += 1
  return { first: (first >> BigInt(size)) << BigInt(size), size }
}
