/** Receivers that answer in ways that HTTP allows and few clients expect. */
import { createServer as createTcpServer } from "node:net"
import { describe, expect, test } from "vitest"
import type { Answer } from "../../src/event/Outcome.ts"
import { connections, listen, rawReceiver, sent } from "../deliver/Receiver.ts"

/** Long enough for anything that answers at all. */
const patient = 10_000

const attempt = (url: string, open = connections()): Promise<Answer> =>
  sent({ method: "POST", headers: {}, body: Buffer.from("body"), url }, open, patient)

describe("an answer", () => {
  test.each<readonly [number, string, string | undefined]>([
    [200, "content-length: 9\r\n\r\nab", undefined],
    [201, "transfer-encoding: chunked\r\n\r\n9\r\nab", undefined],
    [202, "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n", undefined],
    [410, "content-length: 9\r\n\r\nab", "Gone"],
    [503, "content-length: 9\r\n\r\nab", "Status"]
  ])("that is cut in the body of %i after `%s` counts as what it answered", async (status, rest, reason) => {
    for (const cut of ["end", "resetAndDestroy"] as const) {
      const url = await rawReceiver((socket) =>
        socket.write(`HTTP/1.1 ${status} X\r\n${rest}`, () => setTimeout(() => socket[cut](), 50))
      )
      const { response, failure } = await attempt(url)
      expect([response?.status, response?.body]).toEqual([status, "ab"])
      expect(failure?.reason).toBe(reason)
    }
  })

  test("that is cut in its body may ask to wait", async () => {
    const url = await rawReceiver((socket) =>
      socket.end("HTTP/1.1 503 X\r\nretry-after: 7\r\ncontent-length: 9\r\n\r\n")
    )
    expect((await attempt(url)).failure?.retryAfterMillis).toBe(7000)
  })

  const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
  const told = "HTTP/1.1 100 Go on\r\ndate: Sun, 22 Nov 2026 08:00:00 GMT\r\nx: HTTP/1.1 100\r\n\r\n"
  const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"

  test.each([
    ["once", goOn],
    ["with headers", told],
    ["again and again", goOn + told + early + goOn],
    ["after an empty line", "\r\nHTTP/1.1 100 Continue\r\nx: y\r\n\r\n"]
  ])("is answered `100 Continue` %s although nobody asked", async (_, before) => {
    const body = `\r\n\r\n${goOn}`
    const answer = `${before}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const urls = [
      await rawReceiver((socket) => socket.end(answer)),
      await rawReceiver(async (socket) => {
        for (const byte of answer) await new Promise<void>((resolve) => socket.write(byte, () => setTimeout(resolve)))
        socket.end()
      })
    ]
    for (const url of urls) {
      const { response, failure } = await attempt(url)
      expect(failure).toBeUndefined()
      expect(response).toMatchObject({ status: 200, body })
    }
  })

  test("leaves the connection to the next request although each was answered `100 Continue` first", async () => {
    let sockets = 0
    const server = createTcpServer((socket) => {
      sockets += 1
      socket.on("data", () => socket.write(`${goOn}HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${goOn.repeat(4)}`))
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    const open = connections()
    for (let turn = 0; turn < 3; turn++) {
      const { response } = await attempt(url, open)
      expect(response).toMatchObject({ status: 200, body: goOn.repeat(4) })
    }
    expect(sockets).toBe(1)
  })
})

describe("a fault of an answer", () => {
  const credential = "Bearer planted-credential"

  test.each<readonly [string, (echo: string) => string]>([
    ["no status line", (echo) => `${echo}\r\n\r\n`],
    ["a short beginning", (echo) => echo],
    ["another version", (echo) => `HTTP/3 ${echo}\r\n\r\n`],
    ["a malformed header", (echo) => `HTTP/1.1 200 OK\r\n${" ".repeat(80)}${echo} \u0001: x\r\n\r\n`],
    ["a line without a colon", (echo) => `HTTP/1.1 200 OK\r\ndate: x\r\nyou sent ${echo}\r\n\r\n`],
    ["an invalid length", (echo) => `HTTP/1.1 200 OK\r\ncontent-length: ${echo}\r\n\r\n`]
  ])("repeats no credential that the receiver sent back in %s", async (_, answer) => {
    const url = await rawReceiver((socket) => socket.end(answer(credential)))
    const request = { method: "POST", headers: { authorization: credential }, body: Buffer.from("body"), url } as const
    const { response, failure } = await sent(request, connections(), patient)
    expect([response, failure?.reason]).toEqual([undefined, "Protocol"])
    expect(failure?.message).not.toMatch(/bearer|planted|creden/i)
    expect(failure?.message).toMatch(/answer/)
  })
})
