/** A receiver that answers well, badly or not at all, as the seed decides, and records every request. */
import { readFileSync } from "node:fs"
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, type Server, type Socket, createServer as createTcpServer } from "node:net"
import { TLSSocket } from "node:tls"
import { type Certificate, makeCertificate } from "../support/Certificate.ts"
import { Random } from "./Random.ts"
import { pause } from "./Timeline.ts"

/** A delivery that came, by itself or in a batch. */
export interface Request {
  /** The name of the webhook: its path. */
  readonly webhook: string
  readonly delivery: string
  readonly attempt: number
  /** The number of the batch; undefined for one that came by itself. */
  readonly batch: number | undefined
  /** Type and id of the object that it is about. */
  readonly object: string
  /** Milliseconds since the receiver's start. */
  readonly at: number
  /** Status of the answer; undefined when none went out. */
  status: number | undefined
}

interface Json {
  /** In a batch. */
  readonly delivery_id?: string
  readonly attempt?: number
  readonly model: string
  readonly data: { readonly id: number }
}

/** A time in which the receiver itself did not run: what came meanwhile has the time of its end. Milliseconds. */
export interface Stall {
  readonly to: number
  readonly lasted: number
}

/** How often the receiver looks whether it runs, and the shortest stall, milliseconds. */
const tickMillis = 20
const stallMillis = 50

/** Where a request stands when something is done to the service. */
export type Step = "arrived" | "answered"

interface Manner {
  readonly weight: number
  readonly answer: (response: ServerResponse, random: Random) => Promise<unknown> | void
}

const good: Manner = { weight: 60, answer: (response) => void response.writeHead(200).end("ok") }

const manners: ReadonlyArray<Manner> = [
  good,
  {
    weight: 10,
    answer: async (response, random) => {
      await pause(random.between(10, 150))
      response.writeHead(200).end("late")
    }
  },
  { weight: 8, answer: (response, random) => void response.writeHead(random.pick([302, 404, 500, 503])).end("no") },
  { weight: 2, answer: (response) => void response.writeHead(429, { "retry-after": "1" }).end("slowly") },
  {
    weight: 4,
    answer: ({ socket }) => void (socket instanceof TLSSocket ? socket.destroy() : socket?.resetAndDestroy())
  },
  {
    // Announces a longer body than it sends.
    weight: 4,
    answer: (response) => {
      response.writeHead(200, { "content-length": "100" }).write("some")
      response.socket?.destroySoon()
    }
  },
  {
    weight: 3,
    answer: (response) => {
      response.writeContinue()
      response.writeHead(200).end("it goes on")
    }
  },
  {
    weight: 3,
    answer: (response) => {
      for (let n = 0; n < 50; n++) response.writeEarlyHints({ link: "</a>; rel=preload" })
      response.writeHead(200).end("at last")
    }
  },
  {
    weight: 3,
    answer: async (response) => {
      response.writeHead(200)
      for (let n = 0; n < 20 && !response.destroyed; n++) {
        response.write(".")
        await pause(20)
      }
      response.end()
    }
  },
  {
    // Every byte comes in time, the whole answer never does.
    weight: 1,
    answer: async (response) => {
      for (const byte of "HTTP/1.1 200 OK\r\nx-slow: ".padEnd(200, "x")) {
        if (response.destroyed) return
        response.socket?.write(byte)
        await pause(50)
      }
    }
  },
  // Never answers.
  { weight: 2, answer: () => {} }
]

/** Takes nothing any more. */
const gone: Manner = { weight: 0, answer: (response) => void response.writeHead(410).end("gone") }

/** Treatment of a TLS connection before its first request. */
interface Greeting {
  readonly weight: number
  readonly greet: (socket: Socket, servers: Record<"trusted" | "untrusted", Server>) => void
}

const trusted: Greeting = { weight: 12, greet: (socket, servers) => void servers.trusted.emit("connection", socket) }

const greetings: ReadonlyArray<Greeting> = [
  trusted,
  { weight: 1, greet: (socket, servers) => void servers.untrusted.emit("connection", socket) },
  { weight: 1, greet: (socket) => void socket.resetAndDestroy() },
  { weight: 1, greet: (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n") },
  // In the middle of the handshake.
  { weight: 1, greet: (socket) => void socket.once("data", () => socket.destroySoon()) },
  { weight: 1, greet: () => {} }
]

export class HostileReceiver {
  readonly requests: Array<Request> = []
  readonly stalls: Array<Stall> = []
  /** While false, every request is answered with 200. */
  isHostile = true
  /** The webhook that is answered 410. */
  readonly leaving = "leaving"
  private batches = 0
  private readonly began = performance.now()
  private readonly random: Random
  private readonly waiting: Record<Step, Array<() => void>> = { arrived: [], answered: [] }
  private readonly certificates = [makeCertificate(), makeCertificate()] as const
  private readonly server = createServer(this.take.bind(this))
  private readonly servers = {
    trusted: this.secureServer(this.certificates[0]),
    untrusted: this.secureServer(this.certificates[1])
  }
  private readonly sockets = new Set<Socket>()
  private ticked = 0
  private readonly ticking = setInterval(() => {
    const lasted = this.millis - this.ticked - tickMillis
    if (lasted > stallMillis) this.stalls.push({ to: this.millis, lasted })
    this.ticked = this.millis
  }, tickMillis)
  private readonly greeter = createTcpServer((socket) => {
    this.sockets.add(socket)
    socket.on("error", () => {}).on("close", () => this.sockets.delete(socket))
    const greeting = this.isHostile ? this.random.weighted(greetings) : trusted
    greeting.greet(socket, this.servers)
  })

  private constructor(random: Random) {
    this.random = random
  }

  static async start(seed: number): Promise<HostileReceiver> {
    const receiver = new HostileReceiver(new Random(`receiver ${seed}`))
    for (const server of [receiver.server, receiver.greeter]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    }
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** The URL for TLS connections. */
  get secureUrl(): string {
    return `https://localhost:${(this.greeter.address() as AddressInfo).port}`
  }

  /** The certificate that a webhook has to trust for TLS. */
  get certificate(): string {
    return readFileSync(this.certificates[0].certificateFile, "utf8")
  }

  get millis(): number {
    return performance.now() - this.began
  }

  /** Resolves when the next request has reached this step. */
  atNext(step: Step): Promise<void> {
    return new Promise((resolve) => this.waiting[step].push(resolve))
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      clearInterval(this.ticking)
      for (const certificate of this.certificates) certificate.remove()
      this.greeter.close()
      for (const socket of this.sockets) socket.destroy()
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private secureServer({ keyFile, certificateFile }: Certificate): Server {
    const identity = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
    return createSecureServer(identity, this.take.bind(this)).on("tlsClientError", () => {})
  }

  private async take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {})
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      return
    }
    // Connections of a killed process may end without an error.
    if (!message.complete) return
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Json | ReadonlyArray<Json>
    const webhook = message.url!.slice(1)
    const batch = Array.isArray(body) ? ++this.batches : undefined
    const requests = [body].flat().map(({ delivery_id: id, attempt, model, data }): Request => ({
      webhook,
      delivery: id ?? String(message.headers["x-hook-delivery"]),
      attempt: attempt ?? Number(message.headers["x-hook-attempt"]),
      batch,
      object: `${model} ${data.id}`,
      at: this.millis,
      status: undefined
    }))
    this.requests.push(...requests)
    const answered = () => requests.forEach((request) => (request.status = response.statusCode))
    response.on("finish", () => {
      answered()
      this.reached("answered")
    })
    response.on("close", () => {
      // The status counts, also where the body was cut short.
      if (response.headersSent) answered()
    })
    const calm = webhook === this.leaving ? gone : good
    const manner = this.isHostile ? this.random.weighted(manners) : calm
    this.reached("arrived")
    await manner.answer(response, this.random)
  }

  private reached(step: Step): void {
    for (const resolve of this.waiting[step].splice(0)) resolve()
  }
}
