/** Clients that open connections and do not read: what they hold is bounded, and others are answered. */
import type { Server } from "node:http"
import { type AddressInfo, type Socket, connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { limitedConnections, limits } from "../../src/http/Connections.ts"
import { Shares } from "../../src/limit/Shares.ts"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { thoroughly } from "../support/Seed.ts"

const clientOf = (address: string) => (address === "127.0.0.9" ? undefined : address)

/** A server with smaller limits, whose answers have so many bytes. */
const startServer = async (smaller: Partial<typeof limits>, bytes = 0, incoming?: Shares<string>) => {
  const connections = limitedConnections({ ...limits, ...smaller }, clientOf, incoming)
  const server = connections.server({}, (_, response) => response.end(Buffer.alloc(bytes)))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hasRoom: connections.hasRoom, server, port: (server.address() as AddressInfo).port }
}

/** A client that sends this and reads nothing; `closed` once the server has closed the connection. */
const open = (port: number, text = "") => {
  const socket = connect(port, "127.0.0.1")
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => {})
  socket.pause()
  socket.write(text)
  onTestFinished(() => void socket.destroy())
  return { socket, closed }
}

/** The status of the answer, of which no more is read than its beginning. */
const statusOf = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    const read = () => {
      const line: Buffer | null = socket.read(statusLineBytes) as Buffer | null
      if (line === null) return
      socket.off("readable", read)
      resolve(Number(line.toString().split(" ")[1]))
    }
    socket.on("readable", read)
  })

/** Bytes of `HTTP/1.1 200`. */
const statusLineBytes = 12

const accepted = async (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

describe("connections", () => {
  describe("of a process that has given nearly all of them away", () => {
    /** Leaves so many, and trusts 127.0.0.9 as a proxy; `ask` tells whether a new connection was answered. */
    const start = async (places: number) => {
      const incoming = new Shares<string>(100)
      incoming.change("others", 100 - places)
      const { port } = await startServer({}, 0, incoming)
      const ask = async (localAddress: string) => {
        const socket = connect({ host: "127.0.0.1", port, localAddress }).on("error", () => {})
        onTestFinished(() => void socket.destroy())
        socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        const isAnswered = await new Promise<boolean>((resolve) => {
          socket.once("data", () => resolve(true)).once("close", () => resolve(false))
        })
        return { socket, isAnswered }
      }
      return { ask, incoming }
    }

    it("are closed at once beyond the share of their client, and the next client finds one", async () => {
      const { ask, incoming } = await start(4)
      const own = await ask("127.0.0.1")
      expect(own.isAnswered).toBe(true)
      expect((await ask("127.0.0.1")).isAnswered).toBe(false)
      expect((await ask("127.0.0.2")).isAnswered).toBe(true)
      own.socket.destroy()
      await eventually("it has left", () => incoming.heldBy("127.0.0.1") === 0)
      expect((await ask("127.0.0.1")).isAnswered).toBe(true)
    })

    it("are all for a trusted proxy that wants them, and none beyond", async () => {
      const { ask } = await start(3)
      const answers = []
      for (let at = 0; at < 4; at++) answers.push((await ask("127.0.0.9")).isAnswered)
      expect(answers).toEqual([true, true, true, false])
    })
  })

  it("are closed when their client reads nothing, and not when it waits for its answer", async () => {
    const answering: Array<() => void> = []
    const server = limitedConnections({ ...limits, unreadMillis: 200 }, clientOf).server({}, (request, response) => {
      if (request.url === "/large") response.end(Buffer.alloc(64 * 1024 * 1024))
      else answering.push(() => response.end("late"))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const waiting = fetch(`http://127.0.0.1:${port}/late`)
    await eventually("it is asked", () => answering.length === 1)
    open(port, "GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually("both are connected", async () => (await accepted(server)) === 2)
    await eventually("the one that reads nothing is closed", async () => (await accepted(server)) === 1)
    answering[0]!()
    expect(await (await waiting).text()).toBe("late")
  })

  it("are closed when their client sends no head of a request in time", async () => {
    const { server, port } = await startServer({ headMillis: 300 })
    const [silent, begun] = [open(port), open(port, "GET / HTTP/1.1\r\nhost: x\r\n")]
    for (const { socket } of [silent, begun]) socket.resume()
    await Promise.all([silent.closed, begun.closed])
    expect(await accepted(server)).toBe(0)
  })

  it("get an answer in words where a request cannot be read", async () => {
    const { port } = await startServer({ headMillis: 300 })
    const answerTo = async (text: string) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {})
      onTestFinished(() => void socket.destroy())
      socket.write(text)
      let answer = ""
      for await (const chunk of socket) answer += String(chunk)
      const [head = "", body = ""] = answer.split("\r\n\r\n")
      expect(head).toContain(`Content-Length: ${body.length}`)
      return [Number(head.split(" ")[1]), (JSON.parse(body) as { readonly detail: string }).detail]
    }
    const long = `GET /?${"x".repeat(17_000)} HTTP/1.1\r\nhost: x\r\n\r\n`
    expect(await answerTo(long)).toEqual([431, expect.stringContaining("more than 16 KiB")])
    expect(await answerTo("GET / HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n")).toEqual([400, "The request is no HTTP/1.1."])
    expect(await answerTo("GET / HTTP/1.1\r\n")).toEqual([408, "The request did not arrive in time."])
  })

  it("leave room for an answer while what is unread is below its limits", async () => {
    const megabyte = 1024 * 1024
    const most = { unread: 50 * megabyte, unreadByAddress: 32 * megabyte }
    const { server, port, hasRoom } = await startServer(most, 24 * megabyte)
    expect(hasRoom("127.0.0.1", 40 * megabyte)).toBe(true)
    const sockets: Array<Socket> = []
    server.on("connection", (socket) => sockets.push(socket))
    open(port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually("an answer is unread", () => sockets.some(({ writableLength }) => writableLength > 16 * megabyte))
    expect(hasRoom("127.0.0.1", 1000)).toBe(true)
    expect(hasRoom("127.0.0.1", 24 * megabyte)).toBe(false)
    expect(hasRoom("192.0.2.1", 24 * megabyte)).toBe(true)
    expect(hasRoom("192.0.2.1", 40 * megabyte)).toBe(false)
  })
})

thoroughly("a service whose clients read nothing", () => {
  let api: Api

  beforeAll(async () => {
    // Eight statements of nine megabytes at once take long on a busy machine.
    api = await startApi({ REQUEST_STATEMENT_TIMEOUT: "60 seconds" })
  })
  afterAll(() => api.stop())

  it("refuses further large answers to them, keeps what they write, and answers others", async () => {
    const sites = Array.from({ length: 90 }, (_, at) => ({ ...named(`Site ${at}`), comments: "x".repeat(10_000) }))
    for (let time = 0; time < 10; time++) {
      const more = sites.map((site) => ({ ...site, ...named(`${site.name} ${time}`) }))
      expect((await api.call("POST", "/api/dcim/sites/", more)).status).toBe(201)
    }
    const token = await api.newToken()
    const ask = `GET /api/dcim/sites/?limit=1000 HTTP/1.1\r\nhost: localhost\r\nauthorization: Token ${token}\r\n\r\n`
    const { port } = new URL(api.service.url)
    // Nine megabytes each: together more than twice the limit.
    const clients = Array.from({ length: 16 }, () => open(Number(port), ask))
    const statuses = new Set(await Promise.all(clients.map(({ socket }) => statusOf(socket))))
    // A busy machine may have no database connection for one of them in time.
    expect(statuses.difference(new Set([503]))).toEqual(new Set([200, 429]))
    const metrics = await (await fetch(`${api.service.url}/metrics`)).text()
    expect(metrics).toMatch(/^rackwire_http_request_duration_seconds_count\{[^}]*status="429"[^}]*\} [1-9]/m)
    expect((await api.call("GET", "/api/dcim/sites/?limit=1")).status).toBe(200)
    expect((await api.call("PATCH", "/api/dcim/sites/", sites.slice(0, 1))).status).toBe(400)
    for (const { socket } of clients) socket.destroy()
    await eventually("it is answered again", async () => {
      return (await api.call("GET", "/api/dcim/sites/?limit=1000")).status === 200
    })
  })
})
