/** Connections to a server that answers each question with as many bytes as it says. */
import { once } from "node:events"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSocket } from "../../src/postgres/Postgres.ts"
import { ReplyLimit, ReplyTooLarge, TooManyLargeReplies } from "../../src/postgres/ReplyLimit.ts"
import { eventually } from "../support/Eventually.ts"

const megabyte = 1024 * 1024

describe("the limit of replies", () => {
  let server: Server
  let sockets: Array<Socket>

  const open = async (limit: ReplyLimit) => {
    const socket = limit.add(openSocket({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }))
    const failed: Array<Error> = []
    socket.on("error", (error) => failed.push(error)).on("data", () => {})
    sockets.push(socket)
    await once(socket, "connect")
    return { socket, failed }
  }

  beforeEach(async () => {
    sockets = []
    server = createServer((peer) => {
      peer.on("data", (question) => void peer.write(Buffer.alloc(Number(question) * megabyte)))
      peer.on("error", () => {})
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
  })
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it("ends the connection of a larger reply, and counts each statement anew", async () => {
    const limit = new ReplyLimit({ one: 8 * megabyte, all: 100 * megabyte })
    const { socket, failed } = await open(limit)
    for (let n = 1; n <= 4; n++) {
      socket.write("6")
      await eventually("the reply has arrived", () => socket.bytesRead === n * 6 * megabyte)
    }
    expect(failed).toEqual([])
    socket.write("200")
    await eventually("it is closed", () => failed.length === 1)
    expect(failed[0]).toBeInstanceOf(ReplyTooLarge)
    expect(socket.bytesRead).toBeLessThan(224 * megabyte)
  })

  it("ends connections while the replies of all are larger together", async () => {
    const limit = new ReplyLimit({ one: 1000 * megabyte, all: 32 * megabyte })
    const all = await Promise.all(Array.from({ length: 4 }, () => open(limit)))
    for (const { socket } of all) socket.write("100")
    await eventually("some are closed", () => all.some(({ failed }) => failed.length > 0))
    for (const { failed } of all) for (const error of failed) expect(error).toBeInstanceOf(TooManyLargeReplies)
  })
})
