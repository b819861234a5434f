/** Receivers, token endpoints and proxies whose handshakes would take OpenSSL long. */
import { readFileSync } from "node:fs"
import { createServer as createPlainServer } from "node:http"
import { createServer } from "node:https"
import { connect } from "node:net"
import { type SecureContextOptions, type TLSSocket, createServer as createTlsServer } from "node:tls"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ConnectionOptions } from "../../src/transport/Connector.ts"
import { HandshakeGuard, handshakeBytesMax } from "../../src/transport/HandshakeGuard.ts"
import { AccessTokens } from "../../src/webhook/identity/AccessTokens.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { fillers } from "../hostile/Receivers.ts"
import { connections, listen, receiver, sent, targetRules } from "../deliver/Receiver.ts"

/** TLS options of servers whose handshakes are refused, and the message of the failure. */
const attacks: ReadonlyArray<readonly [name: string, SecureContextOptions & { readonly more?: number }, RegExp]> = [
  ["DHE alone", { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES256-GCM-SHA384", dhparam: "auto" }, /handshake failure/i],
  ["no AEAD", { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES256-SHA" }, /handshake failure/i],
  ["a group of finite fields in TLS 1.3", { minVersion: "TLSv1.3", ecdhCurve: "ffdhe2048" }, /handshake failure/i],
  ["95 kB of certificates", { more: 95_000 }, /more than 16384 bytes/],
  ["95 kB of certificates in TLS 1.2", { more: 95_000, maxVersion: "TLSv1.2" }, /more than 16384 bytes/],
  ["17 kB of certificates", { more: 17_000 }, /more than 16384 bytes/]
]

describe.runIf(hasOpenssl)("a handshake", () => {
  let certificate: Certificate
  let own: { readonly key: string; readonly cert: string }

  beforeAll(() => {
    certificate = makeCertificate(["rsa", "rsa_keygen_bits:2048"])
    own = { key: readFileSync(certificate.keyFile, "utf8"), cert: readFileSync(certificate.certificateFile, "utf8") }
  })

  afterAll(() => certificate.remove())

  /** A server of HTTP over TLS, the handshakes that it finished, and the requests that it got. */
  const start = async ({ more = 0, ...speaking }: SecureContextOptions & { readonly more?: number } = {}) => {
    const counts = { handshakes: 0, requests: 0 }
    const cert = more === 0 ? own.cert : `${own.cert}\n${fillers(more)}`
    const server = createServer({ ...own, cert, ...speaking }, (_, response) => {
      counts.requests += 1
      response.end("taken")
    })
    server.on("secureConnection", () => (counts.handshakes += 1))
    return { counts, server, port: await listen(server) }
  }

  const post = (url: string, options: Partial<ConnectionOptions> = {}) => {
    const outgoing = { method: "POST", url, headers: {}, body: Buffer.from("x") } as const
    return sent(outgoing, connections({ tls: { rejectUnauthorized: false }, ...options }), 10_000)
  }

  it.each(attacks)("of a receiver with %s fails with a reason of TLS", async (_, speaking, message) => {
    const { port, counts } = await start(speaking)
    const { failure, response } = await post(`https://localhost:${port}/`)
    expect(response).toBeUndefined()
    expect(failure).toEqual({ reason: "Tls", message: expect.stringMatching(message) as string })
    expect(counts.requests).toBe(0)
  })

  it.each(attacks)("of a token endpoint with %s gives no token", async (_, speaking, message) => {
    const { port, counts } = await start(speaking)
    const target = { webhook: 1, rules: targetRules, timeoutMillis: 10_000, tls: { rejectUnauthorized: false } }
    const client = { url: `https://localhost:${port}/`, id: "a", secret: "b", scope: "", auth: "basic" } as const
    const { failure } = await Effect.runPromise(new AccessTokens(client, target, "").get(10_000))
    expect(failure).toEqual({ reason: "Token", message: expect.stringMatching(message) as string })
    expect(counts.requests).toBe(0)
  })

  /** A proxy over TLS; its certificate is checked against the usual CAs, so that no tunnel is made. */
  it.each(attacks)("of a proxy with %s gives no tunnel", async (_, speaking, message) => {
    const { port, server, counts } = await start(speaking)
    server.on("connect", () => (counts.requests += 1))
    const proxy = { url: new URL(`https://localhost:${port}`), except: [] }
    const { failure } = await post("http://127.0.0.1:9/", { proxy })
    expect(failure).toEqual({ reason: "Proxy", message: expect.stringMatching(message) as string })
    expect(counts.requests).toBe(0)
  })

  it("of a receiver behind a proxy has the same limit", async () => {
    const { port } = await start({ more: 95_000 })
    const plain = createPlainServer().on("connect", (_, near) => {
      near.write("HTTP/1.1 200 OK\r\n\r\n")
      const far = connect(port, "127.0.0.1").on("error", () => near.destroy())
      near
        .on("error", () => {})
        .pipe(far)
        .pipe(near)
    })
    const proxy = { url: new URL(`http://127.0.0.1:${await listen(plain)}`), except: [] }
    const { failure } = await post(`https://localhost:${port}/`, { proxy })
    expect(failure).toMatchObject({ reason: "Tls", message: expect.stringContaining("16384 bytes") as string })
  })

  it("with a long chain, but within the limit, is done, and large answers pass", async () => {
    const { port, counts } = await start({ more: 12_000 })
    const { failure, response } = await post(`https://localhost:${port}/`)
    expect(failure).toBeUndefined()
    expect(response).toMatchObject({ status: 200, body: "taken" })
    expect(counts).toEqual({ handshakes: 1, requests: 1 })
  })

  it("is not begun again within TLS 1.2", async () => {
    const server = createTlsServer({ ...own, maxVersion: "TLSv1.2" })
    const refused = new Promise<Error | null>((resolve) =>
      server.on("secureConnection", (socket: TLSSocket) => {
        socket.on("error", resolve)
        socket.renegotiate({}, resolve)
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
      })
    )
    const port = await listen(server)
    await post(`https://localhost:${port}/`)
    expect(await refused).toBeInstanceOf(Error)
  })

  it("gives TLS no more than the limit, and what follows it without one", async () => {
    const url = new URL(await receiver(() => {}))
    const pushed = (bytes: ReadonlyArray<number>, isDone: boolean) =>
      new Promise<readonly [read: number, fault: string | undefined]>((resolve) => {
        const socket = connect(Number(url.port), url.hostname)
        const guard = new HandshakeGuard(socket, {})
        let read = 0
        guard.on("data", (piece: Buffer) => (read += piece.length)).on("error", () => {})
        if (isDone) guard.done()
        for (const each of bytes) socket.emit("data", Buffer.alloc(each))
        guard.on("close", () => resolve([read, guard.fault?.code]))
        setImmediate(() => guard.destroy())
      })
    const half = handshakeBytesMax / 2
    expect(await pushed([half, half], false)).toEqual([2 * half, undefined])
    expect(await pushed([half, half, 1], false)).toEqual([2 * half, "ERR_TLS_HANDSHAKE_TOO_LONG"])
    expect(await pushed([3 * half], false)).toEqual([0, "ERR_TLS_HANDSHAKE_TOO_LONG"])
    expect(await pushed([3 * half, half], true)).toEqual([4 * half, undefined])
  })
})
