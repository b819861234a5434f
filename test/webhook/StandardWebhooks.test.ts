/** Signatures of Standard Webhooks, verified by the packages that receivers use. */
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { Webhook as Svix } from "svix"
import { describe, expect, test } from "vitest"
import { type Signing, secretProblem, sign, signatureHeaders } from "../../src/webhook/Sign.ts"

const now = () => Math.floor(Date.now() / 1000)

const whsec = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`)
const plain = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.startsWith("wh"))
const json = fc.jsonValue().map((value) => JSON.stringify({ value }))
const id = fc.tuple(fc.nat(), fc.nat(), fc.nat()).map((parts) => parts.join("-"))

const headersOf = (signing: Partial<Signing>, id: string, body: string, timestamp = now()) =>
  signatureHeaders(
    { style: "standard", secret: "", previous: "", ...signing },
    { id, timestamp, body: Buffer.from(body) }
  )

/** The same headers under the names that Svix uses. */
const svixNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]))

describe("a standard signature", () => {
  test("is what the packages of receivers verify, with the secret or with the one before it", () => {
    fc.assert(
      fc.property(whsec, whsec, id, json, (secret, previous, id, body) => {
        const headers = headersOf({ secret, previous }, id, body)
        for (const key of [secret, previous]) {
          expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body))
          expect(() => new Svix(key).verify(body, svixNames(headers))).not.toThrow()
        }
      })
    )
  })

  test("of a secret that is any text is keyed with its UTF-8", () => {
    fc.assert(
      fc.property(plain, id, json, (secret, id, body) => {
        const raw = new Webhook(new TextEncoder().encode(secret), { format: "raw" })
        expect(raw.verify(body, headersOf({ secret }, id, body))).toEqual(JSON.parse(body))
      })
    )
  })

  test("does not hold for another body, id, time or secret", () => {
    fc.assert(
      fc.property(whsec, whsec, id, json, (secret, other, id, body) => {
        fc.pre(secret !== other)
        const headers = headersOf({ secret }, id, body)
        const fails = (key: string, body: string, headers: Record<string, string>) => {
          expect(() => new Webhook(key).verify(body, headers)).toThrow("No matching signature")
          expect(() => new Svix(key).verify(body, svixNames(headers))).toThrow("No matching signature")
        }
        fails(other, body, headers)
        fails(secret, `${body} `, headers)
        fails(secret, body, { ...headers, "webhook-id": `${id}0` })
        fails(secret, body, { ...headers, "webhook-timestamp": `${now() + 1}` })
      })
    )
  })

  test.each([
    {
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      signed: { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' },
      expected: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    },
    {
      secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
      signed: {
        id: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
        timestamp: 1649367553,
        body: '{"email":"test@example.com","username":"test_user"}'
      },
      expected: "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="
    },
    {
      secret: "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==",
      signed: { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' },
      expected: "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="
    }
  ])("is that of the specification's example: $expected", ({ secret, signed, expected }) => {
    expect(headersOf({ secret }, signed.id, signed.body, signed.timestamp)["webhook-signature"]).toBe(expected)
  })

  test("under an Ed25519 key is verified with its public key, beside the older secret during a change", () => {
    const keys = generateKeyPairSync("ed25519")
    const seed = keys.privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32)
    const secret = `whsk_${seed.toString("base64")}`
    fc.assert(
      fc.property(whsec, id, json, (previous, id, body) => {
        const headers = headersOf({ secret, previous }, id, body)
        const [v1a, v1] = headers["webhook-signature"]!.split(" ")
        const content = Buffer.from(`${id}.${headers["webhook-timestamp"]}.${body}`)
        const signature = Buffer.from(v1a!.slice("v1a,".length), "base64")
        expect(verify(null, content, createPublicKey(keys.privateKey), signature)).toBe(true)
        expect(v1).toMatch(/^v1,/)
        expect(new Webhook(previous).verify(body, headers)).toEqual(JSON.parse(body))
      })
    )
  })
})

describe("NetBox's signature", () => {
  test("is sent beside it, and for a secret that is being replaced in a header of its own", () => {
    const body = Buffer.from("{}")
    const signed = { id: "1-2-3", timestamp: 5, body }
    expect(signatureHeaders({ style: "netbox", secret: "a", previous: "b" }, signed)).toEqual({
      "x-hook-signature": sign("a", body),
      "x-hook-signature-previous": sign("b", body)
    })
    expect(headersOf({ secret: "a" }, "1-2-3", "{}")["x-hook-signature"]).toBe(sign("a", body))
  })

  test("is not there without a secret, and neither is the other", () => {
    expect(headersOf({ style: "netbox" }, "1", "{}")).toEqual({})
    expect(headersOf({}, "1", "{}", 5)).toEqual({ "webhook-id": "1", "webhook-timestamp": "5" })
  })
})

describe("a secret", () => {
  test.each([
    "whsk_",
    "whsk_AAAA",
    "whsec_",
    "whsec_AAAA",
    "whsec_!",
    `whsec_${"A".repeat(33)}`,
    `whsec_${"-".repeat(32)}`
  ])("that says it is a key and is none is refused: %s", (secret) => {
    expect(secretProblem(secret)).toMatch(/^A secret that begins with whs/)
  })

  test("is else any text", () => {
    fc.assert(
      fc.property(fc.oneof(plain, whsec), (secret) => {
        expect(secretProblem(secret)).toBeUndefined()
      })
    )
  })
})
