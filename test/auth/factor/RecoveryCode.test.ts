/** The form of recovery codes. */
import { describe, expect, it } from "vitest"
import { newRecoveryCode, plainRecoveryCode } from "../../../src/auth/factor/RecoveryCode.ts"

describe("a recovery code", () => {
  it("has four groups of four characters, drawn anew each time", () => {
    const codes = Array.from({ length: 500 }, newRecoveryCode)
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
    expect(new Set(codes).size).toBe(500)
    expect(new Set(codes.join("").replaceAll("-", "")).size).toBe(32)
  })

  it("is read in upper case, without hyphens, with spaces, and with letters that resemble digits", () => {
    for (const text of ["k0dm-21xa-9wqe-tfrb", "K0DM21XA9WQETFRB", " k0dm 21xa 9wqe tfrb ", "kodm-2ixa-9wqe-tfrb"])
      expect(plainRecoveryCode(text)).toBe("k0dm21xa9wqetfrb")
  })

  it.each(["", "123456", "k0dm-21xa-9wqe-tfr", "k0dm-21xa-9wqe-tfrbb", "k0dm-21xa-9wqe-tfru", "-".repeat(1_000_000)])(
    "is not %j",
    (text) => {
      expect(plainRecoveryCode(text)).toBeUndefined()
    }
  )
})
