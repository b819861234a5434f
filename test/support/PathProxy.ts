/** A proxy that publishes a service under a path, and refuses every request outside of it. */
import { type IncomingMessage, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

export interface PathProxy {
  /** Its address with the path. */
  readonly url: string
  /** Targets of requests outside of the path. */
  readonly outside: ReadonlyArray<string>
  /** Whether the service gets requests without the path. */
  strips: boolean
  readonly stop: () => Promise<void>
}

/** Forwards to a port of this machine, as nginx does with `proxy_pass` and `proxy_set_header Host $http_host`. */
export const startPathProxy = async (path: string, port: number): Promise<PathProxy> => {
  const outside: Array<string> = []
  const server = createServer((incoming, answer) => {
    const target = incoming.url!
    const isWithin = target === path || target.startsWith(`${path}/`) || target.startsWith(`${path}?`)
    if (!isWithin) {
      outside.push(target)
      answer.writeHead(404).end()
      return
    }
    const within = proxy.strips ? target.slice(path.length) : target
    const forwarded = request({ port, method: incoming.method, path: slashed(within), headers: incoming.headers })
    forwarded.on("response", (reply: IncomingMessage) => {
      answer.writeHead(reply.statusCode!, reply.rawHeaders)
      answer.flushHeaders()
      reply.pipe(answer)
    })
    forwarded.on("error", () => answer.destroy())
    answer.on("close", () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const proxy: PathProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    outside,
    strips: true,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
  return proxy
}

const slashed = (target: string): string => (target.startsWith("/") ? target : `/${target}`)
