/** Codes of authenticator apps: the vectors of RFC 6238, the drift of clocks, and the address for apps. */
import { Secret, TOTP } from "otpauth"
import { describe, expect, it } from "vitest"
import { addressForApps, newSecret, stepOfCode } from "../../../src/auth/factor/Totp.ts"

/** The secret of RFC 6238, appendix B. Its codes there have eight digits, of which six are the last. */
const known = Secret.fromLatin1("12345678901234567890").base32

const codeAt = (secret: string, seconds: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: seconds * 1000 })

describe("a code", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"]
  ])("of RFC 6238 at %i seconds is right", async (seconds, code) => {
    expect(await stepOfCode(known, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  it("is right one step early and late, in which case its own step is returned, and wrong two steps away", async () => {
    const now = 1_700_000_010
    const steps = [-60, -30, 0, 30, 60].map((drift) => stepOfCode(known, codeAt(known, now + drift), now * 1000))
    const step = now / 30
    const own = [undefined, step - 1, step, step + 1, undefined].map((each) => each && Math.floor(each))
    expect(await Promise.all(steps)).toEqual(own)
  })

  it.each(["", "28708", "2870820", "28708a", "２８７０８２", "-28708", "1e5   ", "287082\n", "9".repeat(100_000)])(
    "is no code: %j",
    async (text) => {
      expect(await stepOfCode(known, text, 59_000)).toBeUndefined()
    }
  )
})

describe("a secret", () => {
  it("has 160 random bits in base32", async () => {
    const [one, other] = [await newSecret(), await newSecret()]
    expect([one.length, one === other]).toEqual([32, false])
    expect(one).toMatch(/^[A-Z2-7]+$/)
  })

  it.each(["ana", "a:b&secret=x", "名".repeat(150), "😀".repeat(150), ""])(
    "is in the address for apps of the user %j",
    async (name) => {
      const url = new URL(await addressForApps(known, name, "rack.example.org"))
      expect([url.protocol, url.host, url.searchParams.getAll("secret")]).toEqual(["otpauth:", "totp", [known]])
      expect([url.searchParams.get("issuer"), url.href.length < 1200]).toEqual(["Rackwire rack.example.org", true])
    }
  )
})
