import { createServer } from "node:http"
import { type Socket, createServer as createTcpServer } from "node:net"
import { buildConnector } from "undici"
import { describe, expect, onTestFinished, test } from "vitest"
import { Clients } from "../../src/transport/exchange/Clients.ts"
import { Exchange } from "../../src/transport/exchange/Exchange.ts"
import { Shares } from "../../src/limit/Shares.ts"
import { listen } from "../deliver/Receiver.ts"

/** A receiver that answers when it is told to, and knows over how many connections it was asked. */
const startReceiver = async (headers: Readonly<Record<string, string>> = {}) => {
  const waiting: Array<() => void> = []
  let connections = 0
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(() => response.writeHead(200, headers).end("ok"))
  }).on("connection", () => (connections += 1))
  const origin = `http://127.0.0.1:${await listen(server)}`
  const answer = async (count = 1) => {
    await expect.poll(() => waiting.length).toBe(count)
    for (const each of waiting.splice(0)) each()
  }
  return { origin, answer, connections: () => connections, close: () => server.close() }
}

const startClients = (ageMillis = 60_000, idleMillis = 60_000, idle = new Shares<number>(100), webhook = 1) => {
  const clients = new Clients(buildConnector({}), { idleMillis, ageMillis }, { webhook, idle })
  onTestFinished(() => clients.destroy())
  const ask = (origin: string) => {
    const exchange = new Exchange()
    const done = new Promise<Error | undefined>((resolve) => (exchange.onDone = resolve))
    clients.dispatch({ url: `${origin}/`, method: "POST", headers: {}, body: Buffer.from("x") }, exchange)
    return { exchange, done }
  }
  return { clients, ask }
}

describe("the connections of a webhook", () => {
  test("serve one request at a time, and then the next", async () => {
    const { ask } = startClients()
    const { origin, answer, connections } = await startReceiver()
    const both = [ask(origin), ask(origin)]
    await answer(2)
    expect(await Promise.all(both.map(({ done }) => done))).toEqual([undefined, undefined])
    expect(connections()).toBe(2)
    for (let round = 0; round < 3; round++) {
      const { done } = ask(origin)
      await answer()
      await done
    }
    expect(connections()).toBe(2)
  })

  test("are not used when they are old", async () => {
    const { ask } = startClients(0)
    const { origin, answer, connections } = await startReceiver()
    for (const expected of [1, 2]) {
      const { done } = ask(origin)
      await answer()
      await done
      expect(connections()).toBe(expected)
    }
  })

  test("are not used after a request on them was ended", async () => {
    const { ask } = startClients()
    const { origin, answer, connections } = await startReceiver()
    const { exchange, done } = ask(origin)
    await expect.poll(connections).toBe(1)
    exchange.abort(new Error("ended"))
    expect((await done)?.message).toBe("ended")
    const next = ask(origin)
    await expect.poll(connections).toBe(2)
    await answer(2)
    expect(await next.done).toBeUndefined()
  })

  test("leave nothing behind of an origin that has none any more", async () => {
    const { clients, ask } = startClients(0)
    const { origin, answer, close } = await startReceiver()
    const { done } = ask(origin)
    await answer()
    await done
    close()
    expect(await ask(origin).done).toMatchObject({ code: "ECONNREFUSED" })
    expect(clients["free"].size).toBe(0)
  })

  test("are not used when the receiver closes them", async () => {
    const { ask } = startClients()
    const { origin, answer, connections } = await startReceiver({ connection: "close" })
    for (const expected of [1, 2]) {
      const { done } = ask(origin)
      await answer()
      expect(await done).toBeUndefined()
      expect(connections()).toBe(expected)
    }
  })

  test("that the receiver closes without a word lose no request that was not written", async () => {
    const { ask } = startClients()
    const sockets: Array<Socket> = []
    let requests = 0
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    const server = createTcpServer((socket) => {
      sockets.push(socket)
      socket.on("data", () => {
        requests += 1
        socket.end(answer)
      })
    })
    const origin = `http://127.0.0.1:${await listen(server)}`
    const rounds = 20
    for (let round = 0; round < rounds; round++) expect(await ask(origin).done).toBeUndefined()
    expect([requests, sockets.length]).toEqual([rounds, rounds])
  })

  test("are not used when the receiver has said that it closes them by then", async () => {
    const { ask } = startClients()
    const { origin, answer, connections } = await startReceiver({ "keep-alive": "timeout=2" })
    for (const expected of [1, 2]) {
      const { done } = ask(origin)
      await answer()
      await done
      expect(connections()).toBe(expected)
    }
  })

  test("end when they are idle", async () => {
    const { clients, ask } = startClients(60_000, 50)
    const { origin, answer } = await startReceiver()
    const { done } = ask(origin)
    await answer()
    await done
    await expect.poll(() => [clients["all"].size, clients["free"].size]).toEqual([0, 0])
  })

  test("are kept only as far as their webhook has a share of those that the process keeps", async () => {
    const idle = new Shares<number>(10)
    const [one, other] = [startClients(60_000, 60_000, idle, 1), startClients(60_000, 60_000, idle, 2)]
    const { origin, answer } = await startReceiver()
    const round = async ({ ask }: typeof one, count: number) => {
      const asked = Array.from({ length: count }, () => ask(origin))
      await answer(count)
      await Promise.all(asked.map(({ done }) => done))
    }
    await round(one, 10)
    await round(other, 10)
    await expect.poll(() => [one.clients["all"].size, other.clients["all"].size]).toEqual([4, 2])
    expect([idle.heldBy(1), idle.heldBy(2)]).toEqual([4, 2])
    // While they carry requests they are none of these.
    const { done } = one.ask(origin)
    expect(idle.heldBy(1)).toBe(3)
    await answer()
    await done
    await one.clients.destroy()
    await other.clients.destroy()
    expect(idle.used).toBe(0)
  })

  test("end when the receiver says something unasked", async () => {
    const { clients, ask } = startClients()
    let socket: Socket | undefined
    const server = createTcpServer((each) => {
      socket = each
      each.once("data", () => each.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
    })
    const origin = `http://127.0.0.1:${await listen(server)}`
    expect(await ask(origin).done).toBeUndefined()
    expect(clients["all"].size).toBe(1)
    socket!.write("HTTP/1.1 200 OK\r\n\r\n")
    await expect.poll(() => [clients["all"].size, clients["free"].size]).toEqual([0, 0])
  })

  test("are cut off in the middle of their requests, and take no other", async () => {
    const { clients, ask } = startClients()
    const { origin, connections } = await startReceiver()
    const { done } = ask(origin)
    await expect.poll(connections).toBe(1)
    await clients.destroy()
    expect((await done)?.message).toContain("were closed")
    expect(() => ask(origin)).toThrow("were closed")
  })

  test("end with their requests, and take no other", async () => {
    const { clients, ask } = startClients()
    const { origin, answer } = await startReceiver()
    const { done } = ask(origin)
    let isClosed = false
    const closed = clients.close().then(() => (isClosed = true))
    expect(() => ask(origin)).toThrow("were closed")
    expect(isClosed).toBe(false)
    await answer()
    expect(await done).toBeUndefined()
    await closed
  })
})
