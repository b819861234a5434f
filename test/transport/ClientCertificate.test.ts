/** TLS client certificates: their checks, and receivers that ask for them. */
import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:https"
import type { TLSSocket } from "node:tls"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ConnectionOptions } from "../../src/transport/Connector.ts"
import { AccessTokens } from "../../src/webhook/identity/AccessTokens.ts"
import {
  clientCertificateProblem as problemAt,
  clientKeyProblem
} from "../../src/transport/certificate/ClientCertificate.ts"
import { hasOpenssl } from "../support/Certificate.ts"
import { type ClientAuthority, makeClientAuthority } from "../support/ClientAuthority.ts"
import { connections, listen, sent, targetRules } from "../deliver/Receiver.ts"
import { thorough } from "../support/Seed.ts"

const clientCertificateProblem = (pem: string) => problemAt(pem, Date.now())

/** DER of a value: its kind, its length, its bytes. */
const der = (kind: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([kind, 0x82, bytes.length >> 8, bytes.length & 0xff]), bytes])

/** An RSA key of these numbers, base64url, in PEM. */
const pkcs1 = (parts: ReadonlyArray<string | undefined>): string => {
  const numbers = ["", ...parts].map((part) =>
    der(2, Buffer.concat([Buffer.alloc(1), Buffer.from(part ?? "", "base64url")]))
  )
  const base64 = der(0x30, Buffer.concat(numbers))
    .toString("base64")
    .match(/.{1,64}/g)!
  return `-----BEGIN RSA PRIVATE KEY-----\n${base64.join("\n")}\n-----END RSA PRIVATE KEY-----\n`
}

describe.runIf(hasOpenssl)("a client certificate", () => {
  let authority: ClientAuthority

  beforeAll(() => {
    authority = makeClientAuthority()
  })

  afterAll(() => authority.remove())

  test("is accepted with its key, of each kind, with the chain behind it", () => {
    for (const kind of [["ec", "ec_paramgen_curve:P-384"], ["rsa", "rsa_keygen_bits:2048"], ["ed25519"]] as const) {
      const { cert, key } = authority.issue("one", kind)
      expect(clientCertificateProblem(`${cert}\n${authority.certificate}`)).toBeUndefined()
      expect(clientKeyProblem(key, `${cert}\n${authority.certificate}`)).toBeUndefined()
      expect(clientKeyProblem(key.replaceAll("\n", "\r\n"), cert)).toBeUndefined()
    }
  })

  test("is refused in words where it expired, is none, or has too many others behind it", () => {
    const { cert } = authority.issue("one")
    expect(clientCertificateProblem(authority.issue("old", undefined, -1).cert)).toMatch(
      /^The certificate expired at 20/
    )
    expect(clientCertificateProblem("none")).toContain("PEM format")
    expect(clientCertificateProblem(`${cert}\n`.repeat(11))).toBe("Enter at most 10 certificates, not 11.")
  })

  thorough("is refused with a key that is another's, is locked, is none, or is of a kind that is not used", () => {
    const { cert, key } = authority.issue("one")
    const pem = { type: "pkcs8", format: "pem" } as const
    const made = (kind: "rsa" | "dsa" | "ec", options: object): string =>
      (generateKeyPairSync as (kind: string, options: object) => { privateKey: string })(kind, {
        privateKeyEncoding: pem,
        publicKeyEncoding: { type: "spki", format: "pem" },
        ...options
      }).privateKey
    expect(clientKeyProblem(authority.issue("two").key, cert)).toContain("not the key of the first certificate")
    expect(clientKeyProblem(key, `${authority.certificate}\n${cert}`)).toContain("not the key of the first certificate")
    const locked = { privateKeyEncoding: { ...pem, cipher: "aes-256-cbc", passphrase: "open" } }
    expect(clientKeyProblem(made("ec", { namedCurve: "P-256", ...locked }), cert)).toContain("without a passphrase")
    expect(clientKeyProblem("none", cert)).toContain("private key in PEM format")
    expect(clientKeyProblem(cert, cert)).toContain("private key in PEM format")
    expect(clientKeyProblem(made("ec", { namedCurve: "secp256k1" }), "")).toContain("P-256")
    expect(clientKeyProblem(made("dsa", { modulusLength: 1024, divisorLength: 160 }), "")).toContain("P-256")
    expect(clientKeyProblem(made("rsa", { modulusLength: 4224 }), "")).toContain("more than 4096 bits")
  })

  test("is refused where TLS would refuse it at each connection", () => {
    const { cert, key } = authority.issue("short", ["rsa", "rsa_keygen_bits:1024"])
    expect(clientKeyProblem(key, cert)).toMatch(/^The client certificate cannot be used: .*too small/)
  })

  test("with an RSA key whose numbers would make a signature take long is refused", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const { kty, n, e, d, p, q, dp, dq, qi } = privateKey.export({ format: "jwk" })
    const jwk = { kty, n, e, d, p, q, dp, dq, qi }
    const keyWith = (parts: object) => pkcs1(Object.values({ ...jwk, ...parts }).slice(1))
    const long = (bytes: number) => Buffer.alloc(bytes, 0xff).toString("base64url")
    expect(clientKeyProblem(keyWith({}), "")).toBeUndefined()
    expect(clientKeyProblem(keyWith({ e: long(256) }), "")).toContain("public exponent")
    expect(clientKeyProblem(keyWith({ n: long(3000) }), "")).toContain("more than 4096 bits")
    // OpenSSL itself does not sign with the other parts if they are longer than the modulus.
    for (const part of ["d", "p", "dq"]) {
      expect(() => sign("sha256", Buffer.from("x"), keyWith({ [part]: long(257) }))).toThrow("invalid keypair")
    }
  })

  /** A receiver that asks for a certificate of the authority and answers with the name in it. */
  const startStrict = async () => {
    const server = createServer(
      { ...authority.server, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
      (request, response) => response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN)
    )
    return `https://localhost:${await listen(server)}/`
  }

  const post = (url: string, tls: ConnectionOptions["tls"]) => {
    const opened = connections({ tls: { authority: () => Promise.resolve(authority.certificate), ...tls } })
    const outgoing = { method: "POST", url, headers: {}, body: Buffer.from("x") } as const
    return { opened, post: () => sent(outgoing, opened, 10_000) }
  }

  test("is shown to a receiver that asks for it, by the connections of its webhook alone", async () => {
    const url = await startStrict()
    const [one, two] = ["one", "two"].map((name) => post(url, { client: authority.issue(name) }))
    for (const _ of [1, 2]) {
      const answers = await Promise.all([one!.post(), two!.post()])
      expect(answers.map(({ response }) => response?.body)).toEqual(["one", "two"])
    }
    const without = await post(url, {}).post()
    expect(without.response).toBeUndefined()
    // Node ends such a connection without a word; others send an alert.
    expect(["Reset", "Tls"]).toContain(without.failure?.reason)
  })

  test("is shown to the token endpoint of its webhook, too", async () => {
    const target = {
      ...{ webhook: 5, rules: targetRules, timeoutMillis: 10_000 },
      tls: { authority: () => Promise.resolve(authority.certificate), client: authority.issue("one") }
    }
    const client = { url: await startStrict(), id: "a", secret: "b", scope: "", auth: "basic" } as const
    const answer = await Effect.runPromise(new AccessTokens(client, target, "").get(10_000))
    // It answers 200 with the name in the certificate, which is no token.
    expect(answer.failure?.message).toContain("answered 200")
  })

  test("is shown also where the usual CAs are trusted, and where none is verified", async () => {
    const url = await startStrict()
    const client = authority.issue("one")
    const lax = await post(url, { client, authority: undefined, rejectUnauthorized: false }).post()
    expect(lax.response?.body).toBe("one")
    const { failure } = await post(url, { client, authority: undefined }).post()
    expect(failure).toMatchObject({ reason: "Tls", message: expect.stringMatching(/certificate/) as string })
  })

  test("that plain SQL has broken fails the attempt with a reason of its own", async () => {
    const url = await startStrict()
    const client = { cert: authority.issue("one").cert, key: authority.issue("two").key }
    const { failure } = await post(url, { client }).post()
    expect(failure).toEqual({
      reason: "ClientCertificate",
      message: expect.stringMatching(/^The client certificate cannot be used: .*mismatch/) as string
    })
  })
})
