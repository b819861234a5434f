/** A Redis of a test's own, which the test may kill and start again. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"

export interface OwnRedis {
  readonly url: string
  readonly client: Redis
  readonly process: () => ChildProcess
  /** Kills the server at once, if it runs, and starts it on its files. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** `settings`: options of the command line, such as `["--save", ""]`. */
export const startOwnRedis = async (settings: ReadonlyArray<string>): Promise<OwnRedis> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-redis-"))
  const port = (await freePorts(1))[0]!
  const binary = await Effect.runPromise(find(process.env))
  const start = () =>
    spawn(binary.command, ["--port", `${port}`, "--dir", directory, ...settings], {
      env: { ...process.env, ...binary.env },
      stdio: "ignore"
    })
  const kill = async (server: ChildProcess) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    server.kill("SIGKILL")
    await ended
  }
  let server = start()
  const client = new Redis(port, "127.0.0.1", { protocol: 2, maxRetriesPerRequest: null })
  client.on("error", () => {})
  await client.ping()
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    process: () => server,
    restart: async () => {
      await kill(server)
      server = start()
      await client.ping()
    },
    stop: async () => {
      client.disconnect()
      await kill(server)
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
