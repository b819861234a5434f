/** A real cluster of three servers on loopback ports, each with a third of the slots. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { freePorts } from "../../src/embedded/Ports.ts"
import { eventually } from "./Eventually.ts"
import { needs } from "./Ledger.ts"

export const hasRedisCluster = needs(
  "redis-server and redis-cli",
  ["redis-server", "redis-cli"].every((program) => spawnSync(program, ["--version"]).status === 0),
  "apt-get install redis-server"
)

export interface RedisCluster {
  readonly url: string
  readonly ports: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

export const startRedisCluster = async (): Promise<RedisCluster> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-cluster-"))
  const nodes: Array<{ readonly port: number; readonly process: ChildProcess }> = []
  for (const port of await nodePorts()) {
    const folder = join(directory, `${port}`)
    mkdirSync(folder)
    const settings = {
      ...{ port, bind: "127.0.0.1", dir: folder, "cluster-enabled": "yes", "cluster-node-timeout": 5000 },
      ...{ appendonly: "yes", appendfsync: "always", save: "" }
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
    nodes.push({ port, process: spawn("redis-server", args, { stdio: "ignore" }) })
  }
  const ports = nodes.map(({ port }) => port)
  await Promise.all(ports.map((port) => until(port, (client) => client.ping().then(() => true))))
  const hosts = ports.map((port) => `127.0.0.1:${port}`)
  execFileSync("redis-cli", ["--cluster", "create", ...hosts, "--cluster-replicas", "0", "--cluster-yes"])
  const isWhole = async (client: Redis) => /^cluster_state:ok/m.test(String(await client.cluster("INFO")))
  await Promise.all(ports.map((port) => until(port, isWhole)))
  return {
    url: `redis+cluster://${hosts.join(",")}`,
    ports,
    stop: async () => {
      await Promise.all(
        nodes.map(({ process }) => {
          const ended = new Promise((resolve) => process.once("exit", resolve))
          process.kill("SIGKILL")
          return ended
        })
      )
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** Between nodes, a node listens on its port and this. */
const busOffset = 10_000

/** First port that connections may begin from, on Linux. */
const firstEphemeral = 32_768

/** Three ports whose bus ports no connection begins from: a node that cannot listen there ends at once. */
const nodePorts = async (): Promise<ReadonlyArray<number>> => {
  for (;;) {
    const found = (await freePorts(12)).filter((port) => port + busOffset < firstEphemeral)
    if (found.length >= 3) return found.slice(0, 3)
  }
}

const until = async (port: number, ask: (client: Redis) => Promise<boolean>): Promise<void> => {
  const client = new Redis({ port, host: "127.0.0.1", protocol: 2, maxRetriesPerRequest: null })
  client.on("error", () => {})
  await eventually(`the node on port ${port} is ready`, () => ask(client))
  client.disconnect()
}
