/** A primary, its replica, and three Sentinels that promote the replica, on loopback ports. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { freePorts } from "../../src/embedded/Ports.ts"
import { eventually } from "./Eventually.ts"
import { type RedisProcess, startRedisProcess } from "./RedisProcess.ts"

/** After this silence the Sentinels promote the replica, milliseconds. */
const silentMillis = 1000

const primary = "rackwire"

/** The passwords of the servers and of the Sentinels. */
const passwords = { servers: "of/servers", sentinels: "of/sentinels" }

export interface Sentinels {
  /** An address of a database, and of the primary or one of another name. */
  readonly url: (database?: number, name?: string) => string
  /** The server that was the primary at the start, and the one that was the replica. */
  readonly servers: readonly [RedisProcess, RedisProcess]
  /** The port of the primary that the Sentinels name. */
  readonly primaryPort: () => Promise<number>
  readonly stop: () => Promise<void>
}

export const startSentinels = async (): Promise<Sentinels> => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-sentinel-"))
  const durable = {
    ...{ appendonly: "yes", appendfsync: "always" },
    ...{ requirepass: passwords.servers, masterauth: passwords.servers }
  }
  const first = await startRedisProcess(durable)
  const second = await startRedisProcess({ ...durable, replicaof: `127.0.0.1 ${first.port}` })
  const ports = await freePorts(3)
  const processes: ReadonlyArray<ChildProcess> = ports.map((port) => {
    const file = join(folder, `${port}.conf`)
    writeFileSync(
      file,
      `port ${port}\nbind 127.0.0.1\ndir ${folder}\nrequirepass ${passwords.sentinels}
sentinel monitor ${primary} 127.0.0.1 ${first.port} 2
sentinel auth-pass ${primary} ${passwords.servers}
sentinel down-after-milliseconds ${primary} ${silentMillis}
sentinel failover-timeout ${primary} 5000\n`
    )
    return spawn("redis-server", [file, "--sentinel"], { stdio: "ignore" })
  })
  const client = new Redis(ports[0]!, "127.0.0.1", {
    protocol: 2,
    maxRetriesPerRequest: null,
    password: passwords.sentinels
  })
  client.on("error", () => {})
  const primaryPort = async () => {
    const [, port] = (await client.call("SENTINEL", "get-master-addr-by-name", primary)) as [string, string]
    return Number(port)
  }
  await eventually("the Sentinels found each other and the replica", async () => {
    const [facts] = (await client.call("SENTINEL", "masters")) as [ReadonlyArray<string>]
    const of = (name: string) => facts[facts.indexOf(name) + 1]
    return of("num-other-sentinels") === "2" && of("num-slaves") === "1"
  })
  return {
    url: (database = 0, name = primary) =>
      `redis+sentinel://:${encodeURIComponent(passwords.servers)}@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/${name}/${database}?sentinel_password=${encodeURIComponent(passwords.sentinels)}`,
    servers: [first, second],
    primaryPort,
    stop: async () => {
      client.disconnect()
      for (const process of processes) process.kill("SIGKILL")
      for (const server of [first, second]) {
        server.process.kill("SIGCONT")
        await server.stop()
      }
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
