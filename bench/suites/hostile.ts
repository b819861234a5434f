/**
 * Hostile receivers: how long after its time limit an attempt ends, and how much memory it takes meanwhile.
 *
 * The receiver is a process of its own. Each contender is one kind of attack, on twenty attempts at once.
 */
import { type ChildProcess, fork } from "node:child_process"
import { type Socket, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { openConnections } from "../../src/transport/Connector.ts"
import { send } from "../../src/transport/Send.ts"
import { type TargetRules, readRules } from "../../src/transport/TargetPolicy.ts"
import type { Sample, Suite } from "../Suite.ts"

const timeoutMillis = 1000
const attempts = 20

/** Pause between two bytes of a drip, milliseconds. */
const dripMillis = 20

/** Made in the receiver's process, once: it takes seconds. */
const bomb = import.meta.main ? gzipSync(Buffer.alloc(100 * 1024 * 1024)) : Buffer.alloc(0)

const head = "HTTP/1.1 200 OK\r\n"

/** Writes it again and again, as fast as it is taken. */
const endlessly = (socket: Socket, start: string, piece: string | Buffer): void => {
  socket.write(start)
  const more = () => {
    if (socket.destroyed) return
    if (socket.write(piece)) setImmediate(more)
    else socket.once("drain", more)
  }
  more()
}

const drip = (socket: Socket, start: string): void => {
  socket.write(start)
  const timer = setInterval(() => socket.write("x"), dripMillis)
  socket.on("close", () => clearInterval(timer))
}

const harms: Readonly<Record<string, (socket: Socket) => void>> = {
  "says nothing": () => {},
  "headers without end": (socket) => endlessly(socket, head, "x-header: value\r\n"),
  "one header without end": (socket) => endlessly(socket, `${head}x-header: `, Buffer.alloc(65_536, "x")),
  "body without end": (socket) => endlessly(socket, `${head}\r\n`, Buffer.alloc(65_536, "x")),
  "chunks without end": (socket) =>
    endlessly(socket, `${head}transfer-encoding: chunked\r\n\r\n`, `10000\r\n${"x".repeat(65_536)}\r\n`),
  "informational answers without end": (socket) => endlessly(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
  "a body that would inflate to 100 MB": (socket) => {
    socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  },
  "a header that drips": (socket) => drip(socket, `${head}x-header: `),
  "a body that drips": (socket) => drip(socket, `${head}content-length: 100000\r\n\r\n`),
  "no HTTP": (socket) => endlessly(socket, "", Buffer.alloc(65_536, 0xff)),
  "a wait of a thousand years": (socket) =>
    socket.end("HTTP/1.1 503 No\r\nretry-after: 31536000000\r\ncontent-length: 0\r\n\r\n"),
  "bytes that are no text": (socket) => {
    socket.end(Buffer.concat([Buffer.from(`${head}content-length: 8192\r\n\r\n`), Buffer.alloc(8192, 0xfe)]))
  }
}

const serve = async (): Promise<void> => {
  const ports: Record<string, number> = {}
  for (const [name, harm] of Object.entries(harms)) {
    const server = createServer((socket) => void socket.on("error", () => {}).once("data", () => harm(socket)))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    ports[name] = (server.address() as { readonly port: number }).port
  }
  process.on("disconnect", () => process.exit())
  process.send?.(ports)
}

const suffer = async (port: number): Promise<Sample> => {
  const connections = openConnections({
    webhook: 0,
    rules: readRules("private", [], []) as TargetRules,
    ...{ tls: {}, timeoutMillis }
  })
  const outgoing = { method: "POST", url: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.from("{}") } as const
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5)
  const began = performance.now()
  const once = () => new Promise((resolve) => void send(outgoing, connections, timeoutMillis, 0, resolve))
  await Promise.all(Array.from({ length: attempts }, once))
  const took = performance.now() - began
  clearInterval(watch)
  await connections.clients.destroy()
  return { "longest attempt": took, "memory taken": (most - before) / 2 ** 20 }
}

export default async (): Promise<Suite> => {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url))
  const ports = await new Promise<Record<string, number>>((resolve) =>
    child.once("message", (ports) => resolve(ports as Record<string, number>))
  )
  return {
    title: `${attempts} attempts at once at hostile receivers; the time limit of an attempt is ${timeoutMillis} ms`,
    figures: [
      { name: "longest attempt", unit: "ms", more: false },
      { name: "memory taken", unit: "MB", more: false }
    ],
    rounds: 3,
    contenders: Object.keys(harms).map((name) => ({ name, role: "ours" as const, turn: () => suffer(ports[name]!) })),
    close: async () => child.disconnect()
  }
}

if (import.meta.main) await serve()
