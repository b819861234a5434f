/** Ports for the embedded servers. */
import { type Server, createServer } from "node:net"

/**
 * Below the ephemeral ports: an outgoing connection could take one of those before its server starts or restarts.
 */
const [least, most] = [10_000, 32_000]

const listenSomewhere = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(listenSomewhere()))
    server.listen(least + Math.floor(Math.random() * (most - least)), "127.0.0.1", () => resolve(server))
  })

/** Different ports of the loopback address that were free a moment ago. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere))
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** Whether nobody listens on these ports of the loopback address. */
export const areFree = async (ports: ReadonlyArray<number>): Promise<boolean> => {
  const free = await Promise.all(ports.map(isFree))
  return free.every(Boolean)
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
