/**
 * A receiver in a process of its own, so that its work is not counted as the sender's.
 *
 * Run as a program it answers every request and reports to its parent, on request, what it got. `startReceiver` is the
 * parent's side.
 */
import { type ChildProcess, fork } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

interface Got {
  /** Deliveries, those of batches included. */
  readonly count: number
  /**
   * Milliseconds to the arrival of each request to `/timed`, from the `timestamp` in its body, and to `/named`, from the
   * time in the name of its object.
   */
  readonly latencies: ReadonlyArray<number>
  /** Time of the last arrival, milliseconds since 1970. */
  readonly last: number
}

const now = (): number => performance.timeOrigin + performance.now()

const serve = (): void => {
  let count = 0
  let last = 0
  let latencies: Array<number> = []
  const server = createServer((request, response) => {
    const at = now()
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      response.end("ok")
      count += Number(request.headers["x-hook-batch-size"] ?? 1)
      last = now()
      if (request.url !== "/timed" && request.url !== "/named") return
      const { timestamp, data } = JSON.parse(Buffer.concat(chunks).toString()) as Timed
      latencies.push(at - (request.url === "/named" ? timeIn(data.name) : Date.parse(timestamp) + microsOf(timestamp)))
    })
  })
  // Clients decide how long they keep their connections.
  server.keepAliveTimeout = 120_000
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { readonly port: number }).port }))
  process.on("message", () => {
    process.send?.({ count, latencies, last } satisfies Got)
    count = 0
    latencies = []
  })
  process.on("disconnect", () => process.exit())
}

interface Timed {
  readonly timestamp: string
  readonly data: { readonly name: string }
}

/** A name that ends with the time at which its change began. */
export const timedName = (name: string): string => `${name}@${now().toFixed(3)}`

const timeIn = (name: string): number => Number(name.slice(name.lastIndexOf("@") + 1))

/** The microseconds that `Date` does not keep, in milliseconds. */
export const microsOf = (timestamp: string): number => Number(/\.\d{3}(\d{3})/.exec(timestamp)?.[1] ?? 0) / 1000

export interface BenchReceiver {
  readonly url: string
  readonly pid: number
  /** Deliveries that arrived since the last call. */
  readonly take: () => Promise<Got>
  /** Waits until this many arrived since the last `take`. */
  readonly until: (count: number) => Promise<Got>
  /** Waits until this many timed requests arrived. */
  readonly untilTimed: (count: number) => Promise<Got>
  readonly close: () => void
}

export const startReceiver = async (): Promise<BenchReceiver> => {
  const child = fork(fileURLToPath(import.meta.url))
  const { port } = await next<{ readonly port: number }>(child)
  const take = (): Promise<Got> => {
    const answer = next<Got>(child)
    child.send("take")
    return answer
  }
  const until = async (enough: (got: Got) => boolean): Promise<Got> => {
    let sum: Got = { count: 0, latencies: [], last: 0 }
    while (!enough(sum)) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const got = await take()
      sum = {
        count: sum.count + got.count,
        latencies: [...sum.latencies, ...got.latencies],
        last: got.last || sum.last
      }
    }
    return sum
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    take,
    until: (wanted) => until(({ count }) => count >= wanted),
    untilTimed: (wanted) => until(({ latencies }) => latencies.length >= wanted),
    close: () => child.disconnect()
  }
}

const next = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve) => child.once("message", (message) => resolve(message as A)))

if (import.meta.main) serve()
