/** Ports for servers of our own. */
import { type Server, createServer } from "node:net"

/**
 * Below those from which systems let connections begin: one of these would be taken now and then until its server
 * starts, or starts again.
 */
const [least, most] = [10_000, 32_000]

const listenSomewhere = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(listenSomewhere()))
    server.listen(least + Math.floor(Math.random() * (most - least)), "127.0.0.1", () => resolve(server))
  })

/** Ports of loopback that were free a moment ago, all different. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere))
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
