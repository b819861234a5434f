/**
 * Goal: a connection that owes an answer for too long is closed, and no other. Method: a real server on loopback that
 * answers or keeps silent as told; the bound is short here, and only the order of things is asserted.
 */
import { once } from "node:events"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSocket, watch } from "../src/Postgres.ts"

const millis = 200
const pause = (factor: number) => new Promise((resolve) => setTimeout(resolve, millis * factor))

describe("a watched connection", () => {
  let server: Server
  let silent = false
  let socket: Socket

  beforeEach(async () => {
    silent = false
    server = createServer((peer) => {
      peer.on("data", () => silent || peer.write("answer"))
      peer.on("error", () => {})
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    socket = watch(openSocket({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }), millis)
    socket.on("data", () => {})
    await once(socket, "connect")
  })

  afterEach(() => {
    socket.destroy()
    server.close()
  })

  it("stays open while nothing is asked", async () => {
    await pause(3)
    expect(socket.destroyed).toBe(false)
  })

  it("stays open while every question is answered", async () => {
    for (let n = 0; n < 6; n++) {
      socket.write("question")
      await pause(0.5)
    }
    expect(socket.destroyed).toBe(false)
  })

  it("is closed with the reason when a question is not answered, also when earlier ones were", async () => {
    socket.write("question")
    await once(socket, "data")
    silent = true
    await pause(0.5)
    socket.write("question")
    await expect(once(socket, "close")).rejects.toThrow(`no answer from Postgres for ${millis} ms`)
  })
})
