import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sign } from "../../src/webhook/Sign.ts"
import { codePoint } from "../support/CodePoint.ts"
import { runs } from "../support/Seed.ts"

/** Bytes that SHA-512 works on at a time. */
const blockSize = 128

const sha512 = (...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const hash = createHash("sha512")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** HMAC-SHA512 from two hashes, by RFC 2104. */
const hmac = (key: Uint8Array, message: Uint8Array): string => {
  const block = Buffer.alloc(blockSize)
  block.set(key.length > blockSize ? sha512(key) : key)
  const inner = sha512(
    block.map((byte) => byte ^ 0x36),
    message
  )
  return sha512(
    block.map((byte) => byte ^ 0x5c),
    inner
  ).toString("hex")
}

const secret = fc.oneof(
  fc.constant(""),
  fc.string({ unit: codePoint }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  // Around and beyond the block, in bytes and in characters.
  fc.string({ unit: "grapheme-ascii", minLength: blockSize - 1, maxLength: blockSize + 1 }),
  fc.string({ unit: "grapheme", minLength: 60, maxLength: 300 })
)
const body = fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.constant(new Uint8Array(0)))

describe("a signature", () => {
  test("is the HMAC-SHA512 of the body's bytes under the secret's UTF-8, in lower-case hex", () => {
    fc.assert(
      fc.property(secret, body, (secret, body) => {
        const signature = sign(secret, body)
        expect(signature).toBe(hmac(Buffer.from(secret, "utf8"), body))
        expect(signature).toMatch(/^[0-9a-f]{128}$/)
      }),
      { numRuns: runs(1000) }
    )
  })

  test("of a text is that of its UTF-8", () => {
    fc.assert(
      fc.property(secret, fc.string({ unit: codePoint }), (secret, text) => {
        expect(sign(secret, Buffer.from(text))).toBe(hmac(Buffer.from(secret), Buffer.from(text)))
      })
    )
  })

  test("covers the bytes that it is given and none around them", () => {
    const around = Buffer.from("--body--")
    expect(sign("key", around.subarray(2, 6))).toBe(sign("key", Buffer.from("body")))
  })

  test("is the one of RFC 4231", () => {
    const tested: ReadonlyArray<readonly [key: string, data: string, start: string]> = [
      ["\v".repeat(20), "Hi There", "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"],
      ["Jefe", "what do ya want for nothing?", "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"]
    ]
    for (const [key, data, start] of tested) expect(sign(key, Buffer.from(data)).slice(0, 64)).toBe(start)
  })
})
