/** Keys and certificates are judged by our own reader before OpenSSL gets them. */
import { type KeyObject, X509Certificate, createPrivateKey, generateKeyPairSync } from "node:crypto"
import { rootCertificates } from "node:tls"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCertificates } from "../../src/transport/certificate/Certificates.ts"
import { clientKeyProblem } from "../../src/transport/certificate/ClientCertificate.ts"
import { elementsIn } from "../../src/transport/certificate/Der.ts"
import { privateKeyProblem } from "../../src/transport/certificate/KeyKind.ts"
import { blocksIn, pemOf } from "../../src/transport/certificate/Pem.ts"

/** DER of an element: its tag, and its content. */
const der = (tag: number, ...content: ReadonlyArray<Buffer>): Buffer => {
  const bytes = Buffer.concat(content)
  return Buffer.concat([
    Buffer.from([tag, 0x83, bytes.length >> 16, (bytes.length >> 8) & 0xff, bytes.length & 0xff]),
    bytes
  ])
}
const oid = (hex: string): Buffer => der(6, Buffer.from(hex, "hex"))
const integer = (bytes: Buffer): Buffer => der(2, Buffer.concat([Buffer.alloc(1), bytes]))
const filled = (bytes: number): Buffer => Buffer.alloc(bytes, 0xff)

/** PKCS#8 with these parameters of the algorithm, and with a key of 32 bytes. */
const pkcs8 = (algorithm: string, ...parameters: ReadonlyArray<Buffer>): string =>
  pemOf("PRIVATE KEY", der(0x30, der(2, Buffer.alloc(1)), der(0x30, oid(algorithm), ...parameters), der(4, filled(32))))

type Made = { readonly privateKey: string }

const made = (kind: string, options: object = {}, type = "pkcs8"): string =>
  (generateKeyPairSync as unknown as (kind: string, options: object) => Made)(kind, {
    privateKeyEncoding: { type, format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
    ...options
  }).privateKey

const accepted = [
  ["RSA, PKCS#8", made("rsa", { modulusLength: 2048 })],
  ["RSA, PKCS#1", made("rsa", { modulusLength: 2048 }, "pkcs1")],
  ...["P-256", "P-384", "P-521"].flatMap((namedCurve) => [
    [`${namedCurve}, PKCS#8`, made("ec", { namedCurve })] as const,
    [`${namedCurve}, SEC 1`, made("ec", { namedCurve }, "sec1")] as const
  ]),
  ["Ed25519", made("ed25519")]
] as const

const wrongKind = "Enter a key of RSA, of Ed25519, or of the curve P-256, P-384 or P-521."
const problemOf = (text: string, bitsMax = 4096) => {
  const [block] = blocksIn(text)
  return privateKeyProblem(block!.label, block!.bytes!, bitsMax)
}

describe("a private key", () => {
  it.each(accepted)("of the kind %s is accepted, also with parameters before it", (_, key) => {
    expect(clientKeyProblem(key, "")).toBeUndefined()
    expect(
      clientKeyProblem(`-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${key}`, "")
    ).toBe(undefined)
  })

  it.each([
    ["X25519", made("x25519")],
    ["Ed448", made("ed448")],
    ["secp256k1", made("ec", { namedCurve: "secp256k1" })],
    ["secp256k1, SEC 1", made("ec", { namedCurve: "secp256k1" }, "sec1")],
    ["P-256 with explicit parameters", made("ec", { namedCurve: "P-256", paramEncoding: "explicit" })],
    ["P-256 with explicit parameters, SEC 1", made("ec", { namedCurve: "P-256", paramEncoding: "explicit" }, "sec1")],
    ["RSA-PSS", made("rsa-pss", { modulusLength: 1024 })]
  ])("of the kind %s is refused", (_, key) => {
    expect(clientKeyProblem(key, "")).toBe(wrongKind)
  })

  // OpenSSL would take seconds for the parameters of 2,600 bytes, and call these keys unreadable.
  it.each([
    ["DSA", "2a8648ce380401"],
    ["DH", "2a864886f70d010301"],
    ["DH of X9.42", "2a8648ce3e0201"]
  ])("of %s is refused for its kind before OpenSSL reads its numbers", (_, algorithm) => {
    const numbers = der(0x30, integer(filled(2600)), integer(filled(32)), integer(filled(2600)))
    expect(clientKeyProblem(pkcs8(algorithm, numbers), "")).toBe(wrongKind)
  })

  it("of RSA is refused for its size before OpenSSL reads it", () => {
    const numbers = (modulus: number, exponent: number) =>
      pemOf(
        "RSA PRIVATE KEY",
        der(
          0x30,
          ...[Buffer.alloc(1), filled(modulus), filled(exponent)].map(integer),
          ...Array(6).fill(integer(filled(9)))
        )
      )
    expect(problemOf(numbers(512, 8))).toBeUndefined()
    expect(problemOf(numbers(513, 8))).toBe("modulus")
    expect(problemOf(numbers(512, 9))).toBe("exponent")
    // A number that is longer than the modulus.
    expect(problemOf(numbers(8, 8))).toBe("encoding")
  })

  it("of mangled bytes is refused, or is what OpenSSL reads", () => {
    fc.assert(
      fc.property(fc.constantFrom(...accepted.map(([, key]) => key)), mangling(), (key, mangle) => {
        const [block] = blocksIn(key)
        const bytes = mangle(block!.bytes!)
        const read =
          privateKeyProblem(block!.label, bytes, 4096) === undefined
            ? readOrUndefined(() => createPrivateKey(pemOf(block!.label, bytes)))
            : undefined
        expect(read === undefined || isAllowed(read)).toBe(true)
      }),
      { numRuns: 3000 }
    )
  })
})

const isAllowed = ({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): boolean =>
  kind === "ed25519" ||
  (kind === "rsa" && details!.modulusLength! <= 4096 && details!.publicExponent! < 2n ** 64n) ||
  (kind === "ec" && ["prime256v1", "secp384r1", "secp521r1"].includes(details!.namedCurve!))

const readOrUndefined = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Changes of some bytes: to another value, left out, repeated, or cut off. */
const mangling = () =>
  fc
    .array(fc.tuple(fc.nat({ max: 3000 }), fc.nat({ max: 255 }), fc.nat({ max: 9 })), { minLength: 1, maxLength: 3 })
    .map((changes) => (bytes: Buffer): Buffer => {
      let mangled = bytes
      for (const [at, value, kind] of changes) {
        const place = at % Math.max(mangled.length, 1)
        const [before, rest] = [mangled.subarray(0, place), mangled.subarray(place + 1)]
        if (kind === 0) mangled = Buffer.from(before)
        else if (kind === 1) mangled = Buffer.concat([before, rest])
        else if (kind === 2) mangled = Buffer.concat([before, Buffer.from([value]), mangled.subarray(place)])
        else mangled = Buffer.concat([before, Buffer.from([value]), rest])
      }
      return mangled
    })

const [root] = rootCertificates as [string]
const rootBytes = blocksIn(root)[0]!.bytes!

/** A certificate, not signed, with this public key and these extensions. */
const certificate = (key: Buffer, extensions: ReadonlyArray<Buffer> = []): string => {
  const name = der(0x30)
  const time = der(0x17, Buffer.from("300101000000Z"))
  const algorithm = der(0x30, oid("2a8648ce3d040302"))
  const added = extensions.length === 0 ? [] : [der(0xa3, der(0x30, ...extensions))]
  const version = der(0xa0, der(2, Buffer.from([2])))
  const signed = der(
    0x30,
    version,
    der(2, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, time, time),
    name,
    key,
    ...added
  )
  return pemOf("CERTIFICATE", der(0x30, signed, algorithm, der(3, Buffer.alloc(9))))
}
const publicKey = (algorithm: ReadonlyArray<Buffer>, ...bits: ReadonlyArray<Buffer>): Buffer =>
  der(0x30, der(0x30, ...algorithm), der(3, Buffer.alloc(1), ...bits))
const rsa = (modulus: number, exponent: number): Buffer =>
  publicKey([oid("2a864886f70d010101")], der(0x30, integer(filled(modulus)), integer(filled(exponent))))
const named = (id: string, bytes: number): Buffer => der(0x30, oid(id), der(4, Buffer.alloc(bytes)))

describe("a certificate", () => {
  it.each([
    ["DSA", publicKey([oid("2a8648ce380401"), der(0x30, integer(filled(999)))], integer(filled(99))), "public key"],
    ["another curve", publicKey([oid("2a8648ce3d0201"), oid("2b8104000a")], Buffer.from([4])), "public key"],
    ["explicit parameters", publicKey([oid("2a8648ce3d0201"), der(0x30)], Buffer.from([4])), "public key"],
    ["half a point", publicKey([oid("2a8648ce3d0201"), oid("2b81040023")], Buffer.from([2])), "public key"],
    ["RSA of 8,200 bits", rsa(1025, 3), "more than 8192 bits"],
    ["an exponent of 72 bits", rsa(256, 9), "exponent of more than 64 bits"],
    ["no key at all", der(0x30), "cannot be read"]
  ])("with a key of %s is refused before OpenSSL reads it", (_, key, message) => {
    expect(readCertificates(certificate(key)).problem).toContain(message)
  })

  it("is refused above its size, and with too many names in it or in others of the text", () => {
    expect(readCertificates(certificate(rsa(256, 3), [named("551d13", 8000)])).problem).toContain("8192 bytes")
    const half = (id: string) => certificate(rsa(256, 3), [named(id, 2049)])
    expect(readCertificates(half("551d1e")).problem).toBeUndefined()
    expect(readCertificates(`${half("551d1e")}${half("551d11")}`).problem).toContain("longer than 4096 bytes")
    expect(readCertificates(`${half("551d1e")}${half("551d13")}`).problem).toBeUndefined()
  })

  it("of mangled bytes is refused, or has a key that is allowed", () => {
    fc.assert(
      fc.property(mangling(), (mangle) => {
        const { pem } = readCertificates(pemOf("CERTIFICATE", mangle(rootBytes)))
        const key = pem === undefined ? undefined : readOrUndefined(() => new X509Certificate(pem).publicKey)
        expect(key === undefined || isAllowed(key)).toBe(true)
      }),
      { numRuns: 3000 }
    )
  })
})

describe("DER and PEM", () => {
  const elements = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.uint8Array({ maxLength: 300 })), { maxLength: 8 })

  it("give back the elements and blocks that were written", () => {
    fc.assert(
      fc.property(elements, fc.uint8Array({ minLength: 1, maxLength: 300 }), (written, bytes) => {
        const read = elementsIn(Buffer.concat(written.map(([tag, content]) => der(tag, Buffer.from(content)))))
        expect(read).toEqual(written.map(([tag, content]) => ({ tag, content: Buffer.from(content) })))
        expect(blocksIn(`x${pemOf("A B", Buffer.from(bytes))}`)).toEqual([{ label: "A B", bytes: Buffer.from(bytes) }])
      })
    )
  })

  it("are told apart in linear time, however many blanks a block has", () => {
    const blanks = `-----BEGIN CERTIFICATE-----\nA${" ".repeat(1_000_000)}!\n-----END CERTIFICATE-----\n`
    expect(blocksIn(blanks)).toEqual([{ label: "CERTIFICATE", bytes: undefined }])
  })

  it("of any bytes and texts end without an exception", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, text) => {
        elementsIn(Buffer.from(bytes))
        privateKeyProblem("PRIVATE KEY", Buffer.from(bytes), 4096)
        privateKeyProblem("EC PRIVATE KEY", Buffer.from(bytes), 4096)
        expect(readCertificates(pemOf("CERTIFICATE", Buffer.from(bytes))).problem).toBeDefined()
        expect(clientKeyProblem(text, "")).toBeDefined()
      })
    )
  })
})
