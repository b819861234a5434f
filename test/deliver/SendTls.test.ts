import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { SecureContextOptions } from "node:tls"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ConnectionOptions } from "../../src/deliver/attempt/Connector.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { connections, listen, sent } from "./Receiver.ts"

describe.runIf(hasOpenssl)("a receiver with a certificate of its own", () => {
  let certificate: Certificate

  beforeAll(() => {
    certificate = makeCertificate()
  })

  afterAll(() => certificate.remove())

  const trusted = () => Promise.resolve(readFileSync(certificate.certificateFile, "utf8"))

  const attempt = async (host: string, tls: ConnectionOptions["tls"], speaking: SecureContextOptions = {}) => {
    let requests = 0
    const server = createServer(
      { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certificateFile), ...speaking },
      (_, response) => {
        requests += 1
        response.end("taken")
      }
    )
    const port = await listen(server)
    const outgoing = { method: "POST", url: `https://${host}:${port}/`, headers: {}, body: Buffer.from("x") } as const
    return { ...(await sent(outgoing, connections({ tls }), 10_000)), requests }
  }

  test("is not trusted, and gets no request", async () => {
    const { response, failure, requests } = await attempt("localhost", {})
    expect(response).toBeUndefined()
    expect(failure).toMatchObject({ reason: "Tls", message: expect.stringContaining("self-signed") as string })
    expect(requests).toBe(0)
  })

  test("is trusted when the webhook names the certificate", async () => {
    const { response, failure } = await attempt("localhost", { authority: trusted })
    expect(failure).toBeUndefined()
    expect(response).toMatchObject({ status: 200, body: "taken" })
  })

  test("is not trusted under a name that the certificate does not have", async () => {
    const { failure, requests } = await attempt("127.0.0.1", { authority: trusted })
    expect(failure?.reason).toBe("Tls")
    expect(requests).toBe(0)
  })

  test("is taken as it is when the webhook asks for no verification", async () => {
    const { failure } = await attempt("localhost", { rejectUnauthorized: false })
    expect(failure).toBeUndefined()
  })

  test("to a peer that speaks at most TLS 1.1 fails, even without verification", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const
    const { failure, requests } = await attempt("localhost", { rejectUnauthorized: false }, old)
    expect(failure).toMatchObject({ reason: "Tls", message: expect.stringMatching(/protocol version/i) as string })
    expect(requests).toBe(0)
  })

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "is spoken with over %s, and the steps of it are timed",
    async (version) => {
      const only = { minVersion: version, maxVersion: version }
      const { failure, phases } = await attempt("localhost", { rejectUnauthorized: false }, only)
      expect(failure).toBeUndefined()
      for (const step of Object.values(phases)) expect(step).toBeGreaterThanOrEqual(0)
    }
  )
})
