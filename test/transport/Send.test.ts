import type { IncomingHttpHeaders } from "node:http"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { Shares } from "../../src/limit/Shares.ts"
import { Clients } from "../../src/transport/exchange/Clients.ts"
import type { Outgoing } from "../../src/transport/Outgoing.ts"
import { wantsNoMore } from "../../src/transport/Send.ts"
import type { Answer } from "../../src/event/Outcome.ts"
import { connections, nobody, rawReceiver, receiver, sent } from "../deliver/Receiver.ts"

const now = Date.UTC(2026, 10, 20, 12)

/** Long enough for anything that answers at all. */
const patient = 10_000

const attempt = (url: string, outgoing: Partial<Outgoing> = {}, timeoutMillis = patient): Promise<Answer> => {
  const whole = { method: "POST", headers: {}, body: Buffer.from("body"), url, ...outgoing } as const
  return sent(whole, connections(), timeoutMillis, now)
}

const answering = (status: number, headers: Readonly<Record<string, string>> = {}, body = "") =>
  receiver((request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  })

describe("a request", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"] as const)("is sent as it is, by %s", async (method) => {
    const seen: Array<readonly [string | undefined, string | undefined, IncomingHttpHeaders, string]> = []
    const url = await receiver(async (request, response) => {
      const chunks = await request.toArray()
      seen.push([request.method, request.url, request.headers, Buffer.concat(chunks as Array<Buffer>).toString("hex")])
      response.end()
    })
    const body = Buffer.from([0, 255, 13, 10, 195, 164])
    const headers = { "content-type": "text/plain", "x-hook-signature": "ab" }
    const sent = await attempt(`${url}path?a=b`, { method, headers, body })
    expect(sent).toMatchObject({ response: { status: 200, body: "" }, failure: undefined })
    const own = { "content-type": "text/plain", "x-hook-signature": "ab", "content-length": "6" }
    expect(seen).toEqual([[method, "/path?a=b", expect.objectContaining(own), "00ff0d0ac3a4"]])
  })

  test("without a body has a length of 0", async () => {
    const lengths: Array<string | undefined> = []
    const url = await receiver((request, response) => {
      lengths.push(request.headers["content-length"])
      response.end()
    })
    await attempt(url, { body: Buffer.alloc(0) })
    expect(lengths).toEqual(["0"])
  })

  test("that HTTP cannot carry fails for good", async () => {
    const url = await answering(200)
    const { response, failure } = await attempt(url, { headers: { "x-a": "\u2603" } })
    expect(response).toBeUndefined()
    expect(failure).toMatchObject({ reason: "Render", message: expect.stringContaining("x-a") as string })
  })
})

describe("an answer", () => {
  test.each([200, 201, 202, 204, 299])("of %i is a success", async (status) => {
    const { response, failure } = await attempt(await answering(status))
    expect(response?.status).toBe(status)
    expect(failure).toBeUndefined()
  })

  test.each([300, 304, 400, 401, 404, 409, 411, 429, 499, 500, 502, 503, 599])("of %i is a failure", async (status) => {
    const { response, failure } = await attempt(await answering(status))
    expect(response?.status).toBe(status)
    expect(failure).toEqual({
      reason: "Status",
      message: `The receiver answered ${status}.`,
      retryAfterMillis: undefined,
      isTooMuch: [429, 502, 503].includes(status)
    })
  })

  test("of 410 says that the receiver will never take it", async () => {
    const { response, failure } = await attempt(await answering(410, {}, "gone"))
    expect(response).toMatchObject({ status: 410, body: "gone" })
    expect(failure?.reason).toBe("Gone")
  })

  test.each([
    [200, "disable", undefined, true],
    [200, "abort-message", undefined, false],
    [500, "disable", "Gone", true],
    [400, " Abort-Message ", "Declined", false],
    [410, "abort-message", "Gone", true],
    [400, "please", "Status", false]
  ])("of %i with `webhook-delivery: %s` is understood", async (status, wish, reason, isLast) => {
    const sent = await attempt(await answering(status, { "webhook-delivery": wish }))
    expect(sent.failure?.reason).toBe(reason)
    expect(wantsNoMore(sent.response!)).toBe(isLast)
  })

  test("may ask to wait, in seconds or until a date", async () => {
    const until = new Date(now + 90_000).toUTCString()
    const seconds = await attempt(await answering(503, { "retry-after": "120" }))
    const date = await attempt(await answering(429, { "retry-after": until }))
    const nonsense = await attempt(await answering(503, { "retry-after": "later" }))
    expect([seconds, date, nonsense].map(({ failure }) => failure?.retryAfterMillis)).toEqual([
      120_000,
      90_000,
      undefined
    ])
  })

  test.each([301, 302, 303, 307, 308])("of %i is not followed", async (status) => {
    let visits = 0
    const elsewhere = await receiver((_, response) => {
      visits += 1
      response.end()
    })
    const { response, failure } = await attempt(await answering(status, { location: elsewhere }))
    expect(response?.status).toBe(status)
    expect(failure?.reason).toBe("Status")
    expect(visits).toBe(0)
  })

  test("that is compressed is kept as it came", async () => {
    const zipped = gzipSync("x".repeat(1_000_000))
    const url = await receiver((request, response) => {
      request.resume()
      response.writeHead(200, { "content-encoding": "gzip" }).end(zipped)
    })
    expect((await attempt(url)).response?.body).toBe(zipped.toString("utf8"))
  })

  test("is kept whole up to 16 KiB, whatever its pieces", async () => {
    const kept = "a".repeat(16 * 1024 - 2)
    const url = await receiver((request, response) => {
      request.resume()
      response.write(kept.slice(0, 5))
      response.write(kept.slice(5))
      response.end("é")
    })
    expect((await attempt(url)).response?.body).toBe(`${kept}é`)
  })

  test("beyond 16 KiB is cut there, and the rest is not read", async () => {
    let written = 0
    let closed: () => void
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const piece = Buffer.alloc(64 * 1024, "b")
    const url = await receiver((request, response) => {
      request.resume()
      response.on("close", () => closed())
      const more = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length
      }
      response.on("drain", more)
      more()
    })
    const { response, failure } = await attempt(url)
    expect(failure).toBeUndefined()
    expect(response).toMatchObject({ status: 200, body: "b".repeat(16 * 1024) })
    await gone
    // Bytes in the socket buffers of both ends.
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })
})

describe("time", () => {
  const short = 150

  const timedOut = { reason: "Timeout", message: `No complete answer within ${short} ms.` }

  test("ends while nothing is answered", async () => {
    const { response, failure } = await attempt(await rawReceiver(() => {}), {}, short)
    expect(response).toBeUndefined()
    expect(failure).toEqual(timedOut)
  })

  test("ends while headers drip in", async () => {
    const url = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const drip = setInterval(() => socket.write("x: y\r\n"), 10)
      socket.on("close", () => clearInterval(drip))
    })
    expect((await attempt(url, {}, short)).failure).toEqual(timedOut)
  })

  test("ends while a body drips in, and closes the connection", async () => {
    let closed: () => void
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const url = await receiver((request, response) => {
      request.resume()
      response.writeHead(200)
      const drip = setInterval(() => response.write("."), 10)
      response.on("close", () => {
        clearInterval(drip)
        closed()
      })
    })
    const { response, failure } = await attempt(url, {}, short)
    expect(response).toBeUndefined()
    expect(failure).toEqual(timedOut)
    await gone
  })

  test("ends while the receiver does not read the request", async () => {
    const url = await rawReceiver((socket) => socket.pause())
    expect((await attempt(url, { body: Buffer.alloc(64 * 1024 * 1024) }, short)).failure).toEqual(timedOut)
  })
})

describe("a connection", () => {
  test("that is refused says so", async () => {
    const { response, failure } = await attempt(await nobody())
    expect(response).toBeUndefined()
    expect(failure).toMatchObject({ reason: "Refused", message: expect.stringContaining("ECONNREFUSED") as string })
  })

  test.each([
    ["EHOSTUNREACH", "Refused"],
    ["ENETUNREACH", "Refused"],
    ["EADDRNOTAVAIL", "Refused"],
    ["ENOTFOUND", "Dns"],
    ["EAI_AGAIN", "Dns"],
    ["ETIMEDOUT", "Timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "Timeout"],
    ["CERT_HAS_EXPIRED", "Tls"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "Tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "Tls"],
    ["ERR_SSL_NO_PROTOCOLS_AVAILABLE", "Tls"],
    ["EPIPE", "Reset"]
  ])("that ends in %s is told as %s", async (code, reason) => {
    const error = Object.assign(new Error(`it ended in ${code}`), { code })
    const keeping = { webhook: 1, idle: new Shares<number>(8) }
    const clients = new Clients((_, answer) => answer(error, null), { idleMillis: 1000, ageMillis: 1000 }, keeping)
    const outgoing = { method: "POST", url: "https://receiver.example/", headers: {}, body: Buffer.alloc(0) } as const
    const { failure } = await sent(outgoing, { clients, last: () => undefined }, patient, now)
    expect(failure).toMatchObject({ reason, message: `it ended in ${code}` })
  })

  test.each<readonly [string, (socket: Parameters<Parameters<typeof rawReceiver>[0]>[0]) => void]>([
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["is closed without an answer", (socket) => socket.end()],
    ["is closed in the middle of the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")],
    [
      "switches to another protocol",
      (socket) => socket.end("HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n")
    ]
  ])("that %s is a broken one", async (_, answer) => {
    const { response, failure } = await attempt(await rawReceiver(answer))
    expect(response).toBeUndefined()
    expect(failure?.reason).toBe("Reset")
    expect(failure?.message).not.toBe("")
  })

  test.each<readonly [string, (socket: Parameters<Parameters<typeof rawReceiver>[0]>[0]) => void]>([
    ["does not speak HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["answers with a length that is none", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n")],
    [
      "answers with a chunk that is none",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx")
    ],
    [
      "answers with two lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab")
    ]
  ])("to somebody who %s is not understood", async (_, answer) => {
    const { response, failure } = await attempt(await rawReceiver(answer))
    expect(response).toBeUndefined()
    expect(failure).toMatchObject({ reason: "Protocol", message: expect.stringMatching(/./) as string })
  })

  test.each<readonly [string, string]>([
    ["one header without end", "y"],
    ["headers without end", "y\r\nx: "],
    ["informational answers without end", "\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: "],
    ["`100 Continue` without end", "\r\n\r\nHTTP/1.1 100 Continue\r\nx: "]
  ])("to somebody who sends %s is ended", async (_, piece) => {
    const url = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 102 Processing\r\nx: ")
      const more = () => {
        while (!socket.destroyed && socket.write(piece.repeat(1000)));
      }
      socket.on("drain", more)
      more()
    })
    const { response, failure } = await attempt(url)
    expect(response).toBeUndefined()
    expect(failure?.reason).toBe("TooLarge")
  })

  test("is answered after a few informational answers", async () => {
    const hints = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(3)
    const url = await rawReceiver((socket) => socket.end(`${hints}HTTP/1.1 204 No Content\r\n\r\n`))
    expect((await attempt(url)).response?.status).toBe(204)
  })

  test("to a peer that speaks no TLS is not trusted", async () => {
    const url = await answering(200)
    expect((await attempt(url.replace("http:", "https:"))).failure?.reason).toBe("Tls")
  })
})
