import { argon2Sync, createHash, randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  digestToken,
  generateToken,
  hashOfNobody,
  hashPassword,
  isOutdated,
  verifyPassword
} from "../../src/inventory/Vault.ts"
import { codePoint } from "../support/CodePoint.ts"
import { runs } from "../support/Seed.ts"
import { vaultOf } from "../support/Vault.ts"

const vault = vaultOf("a key of 32 characters or more ..")

const text = fc.oneof(fc.string({ unit: codePoint }), fc.constant(""), fc.string({ unit: "grapheme", maxLength: 300 }))

const bytesOf = (sealed: string): Buffer => Buffer.from(sealed.slice(vault.prefix.length), "base64url")
const sealedOf = (bytes: Uint8Array): string => vault.prefix + Buffer.from(bytes).toString("base64url")

describe("a sealed text", () => {
  test("is opened exactly, with the same key", () => {
    const same = vaultOf("a key of 32 characters or more ..")
    fc.assert(
      fc.property(text, (text) => {
        expect(vault.open(vault.seal(text))).toBe(text)
        expect(same.open(vault.seal(text))).toBe(text)
      })
    )
  })

  test("is opened with no other key", () => {
    fc.assert(
      fc.property(text, fc.string({ minLength: 1 }), (text, key) => {
        expect(vaultOf(key).open(vault.seal(text))).toBeUndefined()
      })
    )
  })

  test("is not opened if a bit was flipped, or a byte removed or added", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.nat(7), fc.nat(255), (text, bit, extra) => {
        const bytes = bytesOf(vault.seal(text))
        for (let at = 0; at < bytes.length; at++) {
          const changed = Buffer.from(bytes)
          changed[at] = changed[at]! ^ (1 << bit)
          expect(vault.open(sealedOf(changed))).toBeUndefined()
        }
        for (let end = 0; end < bytes.length; end++) {
          expect(vault.open(sealedOf(bytes.subarray(0, end)))).toBeUndefined()
        }
        expect(vault.open(sealedOf(Buffer.from([...bytes, extra])))).toBeUndefined()
      }),
      { numRuns: runs(30) }
    )
  })

  test("is not opened if it is forged or malformed", () => {
    const sealed = vault.seal("text")
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.base64String().map((each) => `s1.${each}`),
          fc.base64String().map((each) => vault.prefix + each)
        ),
        (other) => {
          expect(vault.open(other)).toBeUndefined()
        }
      )
    )
    for (const other of [sealed.slice(3), `s1${sealed.slice(2)}`, `S2${sealed.slice(2)}`, ` ${sealed}`]) {
      expect(vault.open(other)).toBeUndefined()
    }
  })

  test("reveals neither its text nor whether another one is equal", () => {
    const [once, again] = [vault.seal("a secret"), vault.seal("a secret")]
    expect(once).not.toBe(again)
    expect(bytesOf(once).toString("latin1")).not.toContain("a secret")
    expect(once).toMatch(/^s2\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_-]+$/)
  })

  test("is opened with any of the earlier keys, and sealed with the current one", () => {
    const key = fc.string({ unit: fc.constantFrom(..."abcdef0123456789"), minLength: 1 })
    fc.assert(
      fc.property(text, fc.uniqueArray(key, { minLength: 2, maxLength: 4 }), (text, [first, ...later]) => {
        const sealed = vaultOf(first!).seal(text)
        const now = vaultOf(later.at(-1)!, first!, ...later)
        expect(now.open(sealed)).toBe(text)
        expect(sealed.startsWith(now.prefix)).toBe(false)
        expect(now.seal(text).startsWith(now.prefix)).toBe(true)
        expect(vaultOf(later[0]!).open(sealed)).toBeUndefined()
      })
    )
  })

  test("from before keys had names is opened with any of the keys", () => {
    const old = `s1.${bytesOf(vault.seal("a secret")).toString("base64url")}`
    expect(vault.open(old)).toBe("a secret")
    expect(vaultOf("another key", "a key of 32 characters or more ..").open(old)).toBe("a secret")
    expect(vaultOf("another key").open(old)).toBeUndefined()
  })
})

describe("a password", () => {
  test.each(["correct horse", "", " ", "pässwörd \u{1f511}", "a\0b", "x".repeat(1000)])(
    "is verified against its hash: %j",
    async (password) => {
      const stored = await hashPassword(password)
      expect(await verifyPassword(password, stored)).toBe(true)
    }
  )

  test("is not verified if it differs at all", async () => {
    const stored = await hashPassword("Password")
    const others = ["password", "Password ", " Password", "Passwor", "Passwordd", "", "Password\0"]
    const answers = await Promise.all(others.map((other) => verifyPassword(other, stored)))
    expect(answers).toEqual(others.map(() => false))
  })

  test("is hashed with argon2id, at OWASP's cost, and with salt", async () => {
    const [once, again] = await Promise.all([hashPassword("p"), hashPassword("p")])
    expect(once).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(once).not.toBe(again)
  })

  test("that nobody has costs as much to refuse as another", async () => {
    const stored = hashOfNobody()
    expect(isOutdated(stored)).toBe(false)
    expect(stored).toHaveLength((await hashPassword("p")).length)
    expect(await verifyPassword("p", stored)).toBe(false)
    expect(hashOfNobody()).not.toBe(stored)
  })

  test("is verified against a hash of another cost, which the hash states", async () => {
    const nonce = randomBytes(8)
    const hash = argon2Sync("argon2id", { message: "p", nonce, tagLength: 16, memory: 64, passes: 1, parallelism: 2 })
    const stored = `$argon2id$v=19$m=64,t=1,p=2$${nonce.toString("base64")}$${hash.toString("base64")}`
    expect(await verifyPassword("p", stored)).toBe(true)
    expect(await verifyPassword("q", stored)).toBe(false)
  })

  test.each([
    "",
    "p",
    "pbkdf2_sha256$1$a$b",
    "$argon2id$v=19$m=64,t=1,p=1$$",
    "$argon2id$v=19$m=64,t=1,p=1$YWJjZGVmZ2g",
    "$argon2id$v=19$m=0,t=1,p=1$YWJjZGVmZ2g$YWJjZGVmZ2g",
    "$argon2id$v=19$m=64,t=1,p=1$YQ$YWJjZGVmZ2g",
    "$argon2id$v=19$m=64,t=1,p=1$YWJjZGVmZ2g$YQ",
    "$argon2i$v=19$m=64,t=1,p=1$YWJjZGVmZ2g$YWJjZGVmZ2g"
  ])("is not verified against what is no hash of ours: %j", async (stored) => {
    expect(await verifyPassword("p", stored)).toBe(false)
    expect(await verifyPassword("", stored)).toBe(false)
  })
})

describe("the key of a token", () => {
  test("is digested to its last characters and its SHA-256, always the same", () => {
    expect(digestToken("0123456789abcdef0123456789abcdef01234567")).toBe(
      "234567$deb87fabd17715bb31ad4cf4ffb9494eeb15f8d33d85b031a301c64ab3417eaa"
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{40}$/), (key) => {
        const digest = digestToken(key)
        expect(digest).toBe(`${key.slice(34)}$${createHash("sha256").update(key).digest("hex")}`)
        expect(digest).not.toContain(key)
        expect(digestToken(key)).toBe(digest)
      })
    )
  })

  test("is generated as 40 hexadecimal digits, different each time", () => {
    const keys = Array.from({ length: 100 }, generateToken)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{40}$/)
    expect(new Set(keys).size).toBe(100)
  })
})
