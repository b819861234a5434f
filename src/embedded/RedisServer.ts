/**
 * The embedded Redis: loopback only, password required. Its files let it start with the deliveries that it had; a crash of
 * the machine may cost the writes of the last second, which the delivery log and the change log bring back. They bring
 * back everything where Redis cannot read its files: those are set aside then.
 *
 * Redis never evicts; when memory runs out, writes fail and capture waits.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { totalmem } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Redis } from "ioredis"
import type { Program } from "./Child.ts"
import { type DataDirectory, readTail } from "./DataDirectory.ts"
import type { RedisBinary } from "./RedisBinary.ts"
import { hand, isReachable, nameFor, unprivilegedUser } from "./Unprivileged.ts"

interface RedisServer {
  readonly program: Program
  readonly url: string
  /** Whether the server has loaded its data and answers. */
  readonly ready: (pid: number) => Effect.Effect<boolean>
  /** Sets the files aside if Redis ended because it cannot read them; returns where they are then. */
  readonly repair: () => string | undefined
}

/** Its append-only files: from 7.0 on a folder. */
const files = ["appendonlydir", "appendonly.aof"]

/** Why Redis and Valkey end at a start, in the words of their log, where another start would end in the same way. */
const unreadable =
  /(?:Bad file format|Unexpected end of file|Unknown command '.*') reading the append only file|Error reading the RDB|the truncated file is not the last|rdb file reading failure/

/** Upper bound of the default memory limit, bytes. */
const memoryBytesMax = 2 * 1024 ** 3

/** The default memory limit: a quarter of the memory of the machine or container. */
const usualMemoryLimit = (): number => {
  const constrained = process.constrainedMemory()
  const whole = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.min(Math.floor(whole / 4), memoryBytesMax)
}

export const prepare = (
  directory: DataDirectory,
  port: number,
  binary: RedisBinary,
  environment: NodeJS.ProcessEnv,
  memoryLimit = usualMemoryLimit()
): RedisServer => {
  const folder = directory.file("redis")
  // A program that only root can reach, as in a profile below /root, runs as root.
  const unprivileged = unprivilegedUser("redis")
  const user = unprivileged !== undefined && isReachable(binary.command, unprivileged) ? unprivileged : undefined
  const password = directory.secrets().redisPassword
  const settings = {
    bind: "127.0.0.1",
    port,
    requirepass: password,
    dir: nameFor(user, folder),
    appendonly: "yes",
    appendfsync: "everysec",
    save: `""`,
    maxmemory: memoryLimit,
    "maxmemory-policy": "noeviction"
  }
  hand(user, folder)
  // A file instead of arguments, which every user can read in the list of processes. Redis reads it as its input,
  // because its user may not enter the data directory.
  const configuration = directory.file("redis.conf")
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(configuration, lines.join(""), { mode: 0o600 })
  const logFile = directory.file("redis.log")
  const url = `redis://:${password}@127.0.0.1:${port}/0`
  return {
    program: {
      name: "Redis",
      command: binary.command,
      args: ["-"],
      inputFile: configuration,
      folder,
      user,
      env: { ...environment, ...binary.env },
      logFile,
      stopSignal: "SIGTERM"
    },
    url,
    ready: () => Effect.promise(() => answers(url)),
    repair: () => setAside(folder, logFile)
  }
}

/** Files that were set aside before are replaced: a fault that recurs must not fill the disk. */
const setAside = (folder: string, logFile: string): string | undefined => {
  const found = files.filter((name) => existsSync(join(folder, name)))
  if (found.length === 0 || !unreadable.test(readTail(logFile))) return undefined
  const damaged = join(folder, "damaged")
  rmSync(damaged, { recursive: true, force: true })
  mkdirSync(damaged)
  for (const name of found) renameSync(join(folder, name), join(damaged, name))
  return damaged
}

const answers = async (url: string): Promise<boolean> => {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  client.on("error", () => {})
  try {
    await client.connect()
    return (await client.ping()) === "PONG"
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}
