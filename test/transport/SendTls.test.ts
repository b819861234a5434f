import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { SecureContextOptions } from "node:tls"
import { Worker } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import type { ConnectionOptions } from "../../src/transport/Connector.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { connections, listen, sent } from "../deliver/Receiver.ts"

/** Posts its port, and when it gets a message, how many handshakes there were. */
const quickReceiver = `
  const { parentPort, workerData } = require("node:worker_threads")
  let handshakes = 0
  const server = require("node:https").createServer(workerData, (_, response) => response.end("taken"))
  server.on("secureConnection", () => (handshakes += 1))
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))
  parentPort.on("message", () => parentPort.postMessage(handshakes))
`

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

  test("that answers at once, in a thread of its own, keeps its connections", async () => {
    const [key, cert] = [certificate.keyFile, certificate.certificateFile].map((file) => readFileSync(file, "utf8"))
    const receiver = new Worker(quickReceiver, { eval: true, workerData: { key, cert } })
    onTestFinished(() => receiver.terminate().then(() => {}))
    const port = (await once(receiver, "message"))[0] as number
    const opened = connections({ tls: { rejectUnauthorized: false } })
    const outgoing = { method: "POST", url: `https://localhost:${port}/`, headers: {}, body: Buffer.from("x") } as const
    const sendMany = async () => {
      for (let request = 0; request < 200; request += 1) {
        expect((await sent(outgoing, opened, 10_000)).failure).toBeUndefined()
      }
    }
    await Promise.all(Array.from({ length: 8 }, sendMany))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    receiver.postMessage("count")
    const [handshakes] = (await once(receiver, "message")) as [number]
    // A connection is free a turn after its answer: meanwhile the next request takes another one.
    expect(handshakes).toBeLessThanOrEqual(16)
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
