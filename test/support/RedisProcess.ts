/** A Redis of its own for a test, on a free loopback port. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"

export interface RedisProcess {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  /** An administrator's connection; of no use for a server that speaks TLS alone. */
  readonly client: Redis
  /** Kills the server at once and starts it on its files. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a server with these settings; `tls` in place of the plain port. */
export const startRedisProcess = async (
  settings: Readonly<Record<string, string>> = {},
  { tls = false } = {}
): Promise<RedisProcess> => {
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), "rackwire-redis-"))
  const ports = tls ? { port: "0", "tls-port": `${port}` } : { port: `${port}` }
  const all = { ...ports, bind: "127.0.0.1", dir: folder, save: "", ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, ...value.split(" ")])
  const { command, env } = await Effect.runPromise(find(process.env))
  const start = async (): Promise<ChildProcess> => {
    const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] })
    await new Promise<void>((resolve, reject) => {
      server.stdout.on("data", (chunk: Buffer) => /Ready to accept connections/.test(chunk.toString()) && resolve())
      server.once("exit", () => reject(new Error("redis-server ended")))
    })
    return server
  }
  const kill = async (server: ChildProcess) => {
    const ended = new Promise((resolve) => server.once("exit", resolve))
    if (server.exitCode === null && server.signalCode === null && server.kill("SIGKILL")) await ended
  }
  let server = await start()
  const client = new Redis(port, "127.0.0.1", {
    protocol: 2,
    maxRetriesPerRequest: null,
    lazyConnect: true,
    ...(settings["requirepass"] !== undefined && { password: settings["requirepass"] })
  })
  client.on("error", () => {})
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get process() {
      return server
    },
    client,
    restart: async () => {
      await kill(server)
      server = await start()
    },
    stop: async () => {
      client.disconnect()
      await kill(server)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
