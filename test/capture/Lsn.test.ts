import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatLsn, parseLsn, position } from "../../src/capture/Lsn.ts"

const lsnMax = (1n << 64n) - 1n

/** LSNs below 4 petabytes of WAL, which is what a position has room for. */
const lsn = fc.bigInt({ min: 0n, max: (1n << 52n) - 1n })
const epoch = fc.nat(2047)

describe("an LSN", () => {
  test("is printed as Postgres prints it", () => {
    expect(formatLsn(0n)).toBe("0/0")
    expect(formatLsn(0x16_b374_d848n)).toBe("16/B374D848")
    expect(formatLsn(0x1_0000_002an)).toBe("1/2A")
    expect(formatLsn(lsnMax)).toBe("FFFFFFFF/FFFFFFFF")
  })

  test("is read back from what is printed, in either case and with leading zeros", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: lsnMax }), (value) => {
        const text = formatLsn(value)
        expect(parseLsn(text)).toBe(value)
        expect(parseLsn(text.toLowerCase())).toBe(value)
        const padded = text.split("/").map((half) => half.padStart(8, "0"))
        expect(parseLsn(padded.join("/"))).toBe(value)
      })
    )
  })

  test.each(["", "0", "/", "0/", "/0", "0/0/0", "0/G", " 0/0", "0/0 ", "-1/0", "123456789/0", "0/123456789", "0x1/0"])(
    "is not read from %j",
    (text) => {
      expect(() => parseLsn(text)).toThrow(RangeError)
    }
  )
})

describe("a position", () => {
  test("in epoch 0 is the LSN", () => {
    fc.assert(
      fc.property(lsn, (value) => {
        expect(position(0, value)).toBe(value)
      })
    )
  })

  test("rises with the LSN within an epoch, and with the epoch whatever the LSNs", () => {
    fc.assert(
      fc.property(epoch, lsn, epoch, lsn, (epochA, lsnA, epochB, lsnB) => {
        const inOrder = epochA === epochB ? lsnA < lsnB : epochA < epochB
        expect(position(epochA, lsnA) < position(epochB, lsnB)).toBe(inOrder)
      })
    )
  })

  test("fits a bigint of Postgres, and both it and its epoch can be told from it", () => {
    fc.assert(
      fc.property(epoch, lsn, (number, value) => {
        const placed = position(number, value)
        expect(placed).toBeLessThan(1n << 63n)
        expect(placed >> 52n).toBe(BigInt(number))
        expect(BigInt.asUintN(52, placed)).toBe(value)
      })
    )
  })
})
