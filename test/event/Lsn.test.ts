import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatLsn, parseLsn } from "../../src/event/Lsn.ts"

const lsnMax = (1n << 64n) - 1n

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
