/**
 * Goal: a connection that owes an answer for too long is closed, with those that died with it, and no other. Method: a
 * real server on loopback that answers or keeps silent as told, and a clock that the test turns.
 */
import { once } from "node:events"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openSocket } from "../../src/postgres/Postgres.ts"
import { Watch } from "../../src/postgres/connect/Watch.ts"

const millis = 200
/** Turns the clock by a part of the bound; the watch looks meanwhile as often as on a real clock. */
const turn = (factor: number) => vi.advanceTimersByTimeAsync(millis * factor)

/** Sends a statement and waits for its answer. */
const ask = async (socket: Socket) => {
  socket.write("question")
  await once(socket, "data")
}

describe("a watched connection", () => {
  let server: Server
  let silent = false
  let watch: Watch
  let socket: Socket

  const open = async (): Promise<Socket> => {
    const socket = watch.add(openSocket({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }))
    socket.on("data", () => {})
    await once(socket, "connect")
    return socket
  }

  beforeEach(async () => {
    silent = false
    // A whole number: sums with fractions are rounded, and a span of the bound would be longer than it.
    const began = Math.ceil(performance.now())
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
    // A service that runs in the same worker finds no jump.
    const { now } = performance
    performance.now = () => began + now.call(performance)
    watch = new Watch({ silenceMillis: millis, limitMillis: millis })
    server = createServer((peer) => {
      peer.on("data", (question) => silent || question.includes("no answer") || peer.write("answer"))
      peer.on("error", () => {})
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    socket = await open()
  })

  afterEach(() => {
    socket.destroy()
    server.close()
    vi.useRealTimers()
  })

  it("stays open while no reply is owed", async () => {
    await turn(3)
    expect(socket.destroyed).toBe(false)
  })

  it("stays open while every statement gets a reply", async () => {
    for (let n = 0; n < 6; n++) {
      await ask(socket)
      await turn(0.5)
    }
    expect(socket.destroyed).toBe(false)
  })

  it("is closed with the reason if a statement gets no reply, even if earlier ones did", async () => {
    await ask(socket)
    silent = true
    await turn(0.5)
    socket.write("question")
    const closed = once(socket, "close")
    await turn(1)
    expect(socket.destroyed).toBe(false)
    await Promise.all([expect(closed).rejects.toThrow(`no answer from Postgres for ${millis} ms`), turn(0.5)])
  })

  it("is closed if the last statement came right after a reply and gets none", async () => {
    // Wherever the watch's looks lie, some of these fall between an answer and the next look.
    const sockets = [socket, ...(await Promise.all(Array.from({ length: 9 }, open)))]
    const closed = sockets.map((one) => once(one, "error"))
    for (const [at, one] of sockets.entries()) {
      await ask(one)
      one.write("no answer, please")
      await turn(0.01 * at)
    }
    await turn(1.5)
    expect(await Promise.all(closed)).toHaveLength(sockets.length)
  })

  it("is kept while a probe finds as many statements that run, up to the limit", async () => {
    const probes: Array<number> = []
    watch = new Watch({
      silenceMillis: millis,
      limitMillis: 4 * millis,
      running: async (silent) => probes.push(silent)
    })
    const one = await open()
    const closed = once(one, "close")
    await ask(one)
    one.write("no answer, please")
    await turn(3)
    expect(one.destroyed).toBe(false)
    expect(new Set(probes)).toEqual(new Set([1]))
    await Promise.all([expect(closed).rejects.toThrow(`no answer from Postgres for ${4 * millis} ms`), turn(2)])
  })

  it("is closed once a probe finds no statement that runs", async () => {
    let running = 1
    watch = new Watch({ silenceMillis: millis, limitMillis: 100 * millis, running: async () => running })
    const one = await open()
    const closed = once(one, "close")
    one.write("no answer, please")
    await turn(3)
    expect(one.destroyed).toBe(false)
    running = 0
    await Promise.all([expect(closed).rejects.toThrow(`no answer from Postgres for ${millis} ms`), turn(1)])
  })

  it("closes the others that were silent for as long, but not those that received data since", async () => {
    const idle = await open()
    const busy = await open()
    await ask(socket)
    await turn(0.5)
    socket.write("no answer, please")
    const reason = (one: Socket) => once(one, "error").then(([error]) => (error as Error).message)
    const reasons = Promise.all([reason(socket), reason(idle)])
    for (let n = 0; n < 10; n++) {
      await ask(busy)
      await turn(0.2)
    }
    const told = `no answer from Postgres for ${millis} ms`
    expect(await reasons).toEqual([told, told])
    expect(busy.destroyed).toBe(false)
    busy.destroy()
  })

  it("closes together every connection that was silent for as long as the last dead one", async () => {
    const idle = await open()
    const last = await open()
    for (const one of [socket, idle, last]) {
      await ask(one)
      await turn(0.3)
    }
    const closed = [socket, idle, last].map((one) => once(one, "error"))
    for (const one of [socket, last]) one.write("no answer, please")
    for (let n = 0; n < 20 && !socket.destroyed; n++) await turn(0.1)
    expect([socket, idle, last].map(({ destroyed }) => destroyed)).toEqual([true, true, true])
    await Promise.all(closed)
  })
})
