import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseNetwork, printNetwork } from "../../../src/inventory/field/Network.ts"
import {
  type Block,
  type OwnedSpan,
  blockAround,
  blockAt,
  blockOfNetwork,
  blocksOf,
  cellOf,
  cellsOf,
  largestFree,
  lastIn,
  mapOf,
  networkOfBlock
} from "../../../src/inventory/derive/values/SpaceMap.ts"

const frames = fc
  .record({ size: fc.nat(11), at: fc.bigInt(0n, 2n ** 100n) })
  .map(({ size, at }): Block => ({ size, first: at << BigInt(size) }))

/** Spans within and around a frame, each with a number of its own. */
const filled = frames.chain((frame) =>
  fc.record({
    frame: fc.constant(frame),
    spans: fc.array(fc.tuple(fc.integer({ min: -20, max: 2100 }), fc.nat(300)), { maxLength: 12 }).map((all) =>
      all.map(([from, length], owner): OwnedSpan<number> => {
        const first = frame.first + BigInt(from)
        return { first, last: first + BigInt(length), owner }
      })
    )
  })
)

const network = (text: string) => blockOfNetwork(parseNetwork(text)!)

const within = (block: Block, { first, last }: { readonly first: bigint; readonly last: bigint }) =>
  first <= block.first && lastIn(block) <= last

const touches = (block: Block, { first, last }: { readonly first: bigint; readonly last: bigint }) =>
  first <= lastIn(block) && block.first <= last

describe("the map of a span", () => {
  it("has every cell once, in rectangles", () => {
    fc.assert(
      fc.property(filled, ({ frame, spans }) => {
        const pieces = mapOf(frame, spans, [])
        let next = 0
        for (const { at, cells } of pieces) {
          expect([at, at % cells, Number.isInteger(Math.log2(cells))]).toEqual([next, 0, true])
          next += cells
        }
        expect(next).toBe(cellsOf(frame).length)
      })
    )
  })

  it("says of each cell whether it is free, taken by the largest thing, or taken in part", () => {
    fc.assert(
      fc.property(filled, ({ frame, spans }) => {
        const cells = cellsOf(frame)
        const found = mapOf(frame, spans, []).flatMap((piece) =>
          cells.slice(piece.at, piece.at + piece.cells).map(() => piece)
        )
        const wrong = cells.filter((cell, at) => {
          const piece = found[at]!
          const whole = spans.filter((span) => within(cell, span))
          if (piece.kind !== "taken") {
            const isPart = spans.some((span) => touches(cell, span))
            return whole.length > 0 || (piece.kind === "part") !== isPart
          }
          const { first, last } = spans[piece.owner]!
          return !within(cell, { first, last }) || whole.some((each) => each.last - each.first > last - first)
        })
        expect(wrong).toEqual([])
      })
    )
  })

  it("joins free cells to the largest aligned blocks", () => {
    fc.assert(
      fc.property(filled, ({ frame, spans }) => {
        const free = mapOf(frame, spans, []).filter(({ kind }) => kind === "free")
        const starts = new Set(free.map(({ at, cells }) => `${at} ${cells}`))
        expect(free.filter(({ at, cells }) => at % (cells * 2) === 0 && starts.has(`${at + cells} ${cells}`))).toEqual(
          []
        )
      })
    )
  })

  it("takes cells with something smaller in them for taken in part", () => {
    const frame = network("10.0.0.0/8")
    const pieces = mapOf<never>(frame, [], [3, 300, -1])
    expect(pieces.filter(({ kind }) => kind === "part")).toEqual([{ at: 3, cells: 1, kind: "part" }])
    const free = largestFree(pieces, 3).map((piece) => printNetwork(networkOfBlock(4, blockAt(frame, piece))))
    expect(free).toEqual(["10.128.0.0/9", "10.64.0.0/10", "10.32.0.0/11"])
  })

  it("has no larger free pieces than it should", () => {
    const frame = network("192.0.2.0/28")
    const sizes = [1, 4, 16].map((most) => mapOf(frame, [], [], most).map(({ cells }) => cells))
    expect(sizes).toEqual([Array.from({ length: 16 }, () => 1), [4, 4, 4, 4], [16]])
  })

  it("has few pieces and blocks for the largest networks", () => {
    const frame = network("2001:db8::/32")
    expect([cellOf(frame), cellsOf(frame).length, blocksOf(frame).length]).toEqual([88, 256, 511])
    const spans = Array.from({ length: 5000 }, (_, at) => ({
      first: frame.first + BigInt(at),
      last: frame.first + BigInt(at),
      owner: at
    }))
    expect(mapOf(frame, spans, [])[0]).toEqual({ at: 0, cells: 1, kind: "part" })
  })
})

it("names the cells of a map, each in the blocks around it", () => {
  fc.assert(
    fc.property(frames, (frame) => {
      const blocks = blocksOf(frame)
      expect(blocks[0]).toEqual(frame)
      expect(blocks.slice(-cellsOf(frame).length)).toEqual(cellsOf(frame))
    })
  )
})

it("finds the smallest block around two numbers", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 4095n), fc.bigInt(0n, 4095n), (one, other) => {
      const [first, last] = one < other ? [one, other] : [other, one]
      const block = blockAround(first, last)
      expect([block.first <= first, last <= lastIn(block)]).toEqual([true, true])
      const half = block.first + (1n << BigInt(block.size)) / 2n
      expect(block.size === 0 || (first < half && half <= last)).toBe(true)
    })
  )
})
