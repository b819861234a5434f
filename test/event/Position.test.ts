import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { comparePositions, formatPosition, inEpoch, parsePosition } from "../../src/event/Position.ts"

/** LSNs below 4 petabytes of WAL, which is what a position has room for. */
const lsn = fc.bigInt({ min: 0n, max: (1n << 52n) - 1n })
const epoch = fc.nat(2047)
const position = fc.record({ position: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }), idx: fc.maxSafeNat() })

describe("a position", () => {
  test("in epoch 0 is the LSN", () => {
    fc.assert(
      fc.property(lsn, (value) => {
        expect(inEpoch(0, value)).toBe(value)
      })
    )
  })

  test("rises with the LSN within an epoch, and with the epoch whatever the LSNs", () => {
    fc.assert(
      fc.property(epoch, lsn, epoch, lsn, (epochA, lsnA, epochB, lsnB) => {
        const inOrder = epochA === epochB ? lsnA < lsnB : epochA < epochB
        expect(inEpoch(epochA, lsnA) < inEpoch(epochB, lsnB)).toBe(inOrder)
      })
    )
  })

  test("fits a bigint of Postgres, and both it and its epoch can be told from it", () => {
    fc.assert(
      fc.property(epoch, lsn, (number, value) => {
        const placed = inEpoch(number, value)
        expect(placed).toBeLessThan(1n << 63n)
        expect(placed >> 52n).toBe(BigInt(number))
        expect(BigInt.asUintN(52, placed)).toBe(value)
      })
    )
  })

  test("is read back from what is printed, with leading zeros too", () => {
    fc.assert(
      fc.property(position, (each) => {
        const text = formatPosition(each)
        expect(parsePosition(text)).toEqual(each)
        expect(
          parsePosition(
            text
              .split("-")
              .map((part) => part.padStart(20, "0"))
              .join("-")
          )
        ).toEqual(each)
      })
    )
  })

  test.each(["", "1", "-", "1-", "x-1", "1-x", "1-2-3"])("is not read from %j", (text) => {
    expect(() => parsePosition(text)).toThrow(RangeError)
  })

  test("comes before another one by the commit, then by the message within it", () => {
    expect(comparePositions({ position: 9n, idx: 7 }, { position: 10n, idx: 0 })).toBeLessThan(0)
    expect(comparePositions({ position: 9n, idx: 10 }, { position: 9n, idx: 9 })).toBeGreaterThan(0)
    fc.assert(
      fc.property(position, position, (one, other) => {
        expect(Math.sign(comparePositions(one, other))).toBe(-Math.sign(comparePositions(other, one)) + 0)
        expect(comparePositions(one, one)).toBe(0)
      })
    )
  })
})
