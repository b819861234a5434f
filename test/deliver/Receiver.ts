/**
 * Receivers of webhooks that live as long as the test: over HTTP, or over bare TCP for those who do not speak it well.
 */
import { type RequestListener, createServer } from "node:http"
import { type Server, type Socket, createServer as createTcpServer } from "node:net"
import { onTestFinished } from "vitest"
import type { Answer } from "../../src/event/Outcome.ts"
import type { Outgoing } from "../../src/transport/Outgoing.ts"
import { send } from "../../src/transport/Send.ts"
import { type ConnectionOptions, type Connections, openConnections } from "../../src/transport/Connector.ts"
import { type TargetRules, readRules } from "../../src/transport/TargetPolicy.ts"

/** The usual target policy. */
export const targetRules = readRules("private", [], []) as TargetRules

/** Connections that live as long as the test, to anywhere that the usual policy allows. */
export const connections = (options: Partial<ConnectionOptions> = {}): Connections => {
  const opened = openConnections({ webhook: 0, rules: targetRules, tls: {}, timeoutMillis: 60_000, ...options })
  onTestFinished(() => opened.clients.destroy())
  return opened
}

/** Sends a request; gives the answer. */
export const sent = (...[outgoing, by, timeoutMillis, nowMillis = 0]: SendArguments): Promise<Answer> =>
  new Promise((resolve) => void send(outgoing, by, timeoutMillis, nowMillis, resolve))

type SendArguments = [outgoing: Outgoing, by: Connections, timeoutMillis: number, nowMillis?: number]

/** Starts listening on a free port, or this one; answers it. */
export const listen = (server: Server, host = "127.0.0.1", port = 0): Promise<number> =>
  new Promise((resolve) => {
    const sockets = new Set<Socket>()
    server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket)).on("error", () => {})
    })
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    server.listen(port, host, () => resolve((server.address() as { readonly port: number }).port))
  })

/** A receiver that speaks HTTP; answers its address. */
export const receiver = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(answer))}/`

/** A receiver that does to the connection what it likes once the request has begun; answers its address. */
export const rawReceiver = async (answer: (socket: Socket) => void): Promise<string> => {
  const server = createTcpServer((socket) => socket.once("data", () => answer(socket)))
  return `http://127.0.0.1:${await listen(server)}/`
}

/** An address on which nobody listens. */
export const nobody = async (): Promise<string> => {
  const server = createTcpServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/`
}
