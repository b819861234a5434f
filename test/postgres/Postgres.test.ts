/**
 * Goal: a connection that owes an answer for too long is closed, with those that died with it, and no other. Method: a
 * real server on loopback that answers or keeps silent as told; the bound is short here, and only the order of things
 * is asserted.
 */
import { once } from "node:events"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Watch, openSocket } from "../../src/postgres/Postgres.ts"

const millis = 200
const pause = (factor: number) => new Promise((resolve) => setTimeout(resolve, millis * factor))

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
    watch = new Watch(millis)
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
  })

  it("stays open while no reply is owed", async () => {
    await pause(3)
    expect(socket.destroyed).toBe(false)
  })

  it("stays open while every statement gets a reply", async () => {
    for (let n = 0; n < 6; n++) {
      socket.write("question")
      await pause(0.5)
    }
    expect(socket.destroyed).toBe(false)
  })

  it("is closed with the reason if a statement gets no reply, even if earlier ones did", async () => {
    socket.write("question")
    await once(socket, "data")
    silent = true
    await pause(0.5)
    socket.write("question")
    await expect(once(socket, "close")).rejects.toThrow(`no answer from Postgres for ${millis} ms`)
  })

  it("is closed if the last statement came right after a reply and gets none", async () => {
    // Wherever the watch's looks lie, some of these fall between an answer and the next look.
    const sockets = [socket, ...(await Promise.all(Array.from({ length: 9 }, open)))]
    const closed = sockets.map((one) => once(one, "error"))
    for (const [at, one] of sockets.entries()) {
      one.write("question")
      await once(one, "data")
      one.write("no answer, please")
      await pause(0.01 * at)
    }
    expect(await Promise.all(closed)).toHaveLength(sockets.length)
  })

  it("closes the others that were silent for as long, but not those that received data since", async () => {
    const idle = await open()
    const busy = await open()
    socket.write("question")
    await once(socket, "data")
    const answered = (async () => {
      while (!idle.destroyed) {
        busy.write("question")
        await once(busy, "data")
        await pause(0.2)
      }
    })()
    await pause(0.5)
    socket.write("no answer, please")
    const reason = (one: Socket) => once(one, "error").then(([error]) => (error as Error).message)
    const told = `no answer from Postgres for ${millis} ms`
    expect(await Promise.all([reason(socket), reason(idle)])).toEqual([told, told])
    await answered
    expect(busy.destroyed).toBe(false)
    busy.destroy()
  })
})
