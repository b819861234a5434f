/** A real HTTP receiver that records every request, and answers as the test says. */
import { type IncomingHttpHeaders, createServer } from "node:http"
import { patienceMillis } from "./Eventually.ts"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Waits until something received meets the predicate. */
  readonly until: (predicate: (received: Received) => boolean, what?: string) => Promise<Received>
  /** Waits until the condition over everything holds. */
  readonly untilAll: (condition: (received: ReadonlyArray<Received>) => boolean, millis?: number) => Promise<void>
  readonly close: () => Promise<void>
}

export const startReceiver = async (
  answer: (received: Received) => number | Promise<number> = () => 200
): Promise<Receiver> => {
  const received: Array<Received> = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      return
    }
    const one: Received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks),
      at: Date.now()
    }
    received.push(one)
    for (const check of waiting) check()
    response.statusCode = await answer(one)
    response.end("ok")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { readonly port: number }
  const untilAll = (condition: (received: ReadonlyArray<Received>) => boolean, millis = patienceMillis) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check)
        reject(new Error(`not received within ${millis} ms; there are ${received.length} requests`))
      }, millis)
      const check = () => {
        if (!condition(received)) return
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    untilAll,
    until: async (predicate, what = "a request") => {
      await untilAll((all) => all.some(predicate)).catch((error: Error) => {
        throw new Error(`${what}: ${error.message}`)
      })
      return received.find(predicate)!
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
