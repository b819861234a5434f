/** A receiver that answers well, badly or not at all, as the seed says, and remembers every request. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import { Random } from "./Random.ts"
import { pause } from "./Timeline.ts"

export interface Request {
  /** The name of the webhook: its path. */
  readonly webhook: string
  readonly delivery: string
  readonly attempt: number
  /** Milliseconds since the receiver's start. */
  readonly at: number
  /** What it was answered; undefined when the answer did not go out whole. */
  status: number | undefined
}

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
  { weight: 4, answer: (response) => void response.socket?.resetAndDestroy() },
  {
    // Promises more than it sends.
    weight: 4,
    answer: (response) => {
      response.writeHead(200, { "content-length": "100" }).write("some")
      response.socket?.destroySoon()
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
  // Never answers.
  { weight: 2, answer: () => {} }
]

export class HostileReceiver {
  readonly requests: Array<Request> = []
  /** While false everything is answered with 200. */
  isHostile = true
  private readonly began = performance.now()
  private readonly random: Random
  private readonly waiting: Record<Step, Array<() => void>> = { arrived: [], answered: [] }
  private readonly server = createServer((request, response) => void this.take(request, response))

  private constructor(random: Random) {
    this.random = random
  }

  static async start(seed: number): Promise<HostileReceiver> {
    const receiver = new HostileReceiver(new Random(`receiver ${seed}`))
    await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { readonly port: number }).port}`
  }

  get millis(): number {
    return performance.now() - this.began
  }

  /** Resolves when the next request is that far. */
  atNext(step: Step): Promise<void> {
    return new Promise((resolve) => this.waiting[step].push(resolve))
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private async take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {})
    try {
      for await (const _ of message);
    } catch {
      return
    }
    const request: Request = {
      webhook: message.url!.slice(1),
      delivery: String(message.headers["x-hook-delivery"]),
      attempt: Number(message.headers["x-hook-attempt"]),
      at: this.millis,
      status: undefined
    }
    this.requests.push(request)
    response.on("finish", () => {
      request.status = response.statusCode
      this.reached("answered")
    })
    const manner = this.isHostile ? this.random.weighted(manners) : good
    this.reached("arrived")
    await manner.answer(response, this.random)
  }

  private reached(step: Step): void {
    for (const resolve of this.waiting[step].splice(0)) resolve()
  }
}
