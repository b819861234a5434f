/** Users who were moved from NetBox log in with the passwords that they had there. */
import { describe, expect, test } from "vitest"
import { verifyStored } from "../../src/auth/password/DjangoPassword.ts"
import { hashPassword, isOutdated } from "../../src/inventory/Vault.ts"

describe("a password", () => {
  // Made by Python's hashlib.
  test.each([
    "pbkdf2_sha256$1000$saltABC123$zqfc7cQhd0/ZceLQp7ORzk2DU0n/tDHYXyB7HpXwB+Q=",
    "pbkdf2_sha1$1000$saltABC123$tH3DwM2pdp9VA7K/F8wBM4BbkEc="
  ])("of a moved user is verified against the hash of Django: %s", async (stored) => {
    expect(await verifyStored("pässword", stored)).toBe(true)
    expect(await verifyStored("password", stored)).toBe(false)
    expect(isOutdated(stored)).toBe(true)
  })

  test("of a moved user is verified against Argon2 as Django stores it", async () => {
    expect(await verifyStored("p", `argon2${await hashPassword("p")}`)).toBe(true)
  })

  test.each([
    "pbkdf2_sha256$4000001$salt$aGFzaA==",
    "pbkdf2_sha256$0$salt$aGFzaA==",
    "pbkdf2_sha256$1000$salt$",
    "pbkdf2_md5$1000$salt$aGFzaA==",
    "!RC3LMqIHSnKTbI5ZxkQYxzDoRIlqUMuHkfVEQKfh",
    "$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHQ$aGFzaA",
    "argon2$argon2id$v=19$m=64,t=99999,p=1$c2FsdHNhbHQ$aGFzaA"
  ])("is refused where its hash is no hash, or costs too much: %s", async (stored) => {
    expect(await verifyStored("p", stored)).toBe(false)
  })
})
