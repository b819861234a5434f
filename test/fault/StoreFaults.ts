/** Faults of the stores themselves: single keys of Redis that are gone, a Redis that reverts to an older state, and a disk that is full. */
import { spawnSync } from "node:child_process"
import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { type Fault, untilStopped } from "./Faults.ts"
import { pause } from "./Timeline.ts"

/** All but the stream of new deliveries, which is a fault of its own, and the fence of former leaders. */
const keys = [
  "urgent",
  "again",
  "later",
  "held",
  "blocked",
  "parked",
  "unattempted",
  "pace",
  "breaker",
  "probe"
] as const

export const lostKey = "Redis loses a key"

/** Copies a folder with its owner. */
const copy = (from: string, to: string): void => {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

const whileStopped = async (pid: number, act: () => void): Promise<void> => {
  process.kill(pid, "SIGSTOP")
  try {
    await untilStopped(pid)
    act()
  } finally {
    process.kill(pid, "SIGCONT")
  }
}

export const storeFaults: ReadonlyArray<Fault> = [
  {
    name: lostKey,
    weight: 3,
    act: async ({ world, webhooks }, random, note) => {
      const webhook = random.pick(webhooks)
      const key = random.pick([...keys.map((name) => keysOf(webhook)[name]), ...Object.values(sweepKeys)])
      note(`${key}${(await world.redis.del(key)) === 0 ? ", which was not there" : ""}`)
    }
  },
  {
    // As a Redis without an append-only file does, and a replica that takes over.
    name: "Redis loses its writes since a moment",
    weight: 3,
    act: async ({ world }, random, note) => {
      const folder = join(world.directory, "data/redis/appendonlydir")
      const copied = `${folder}.${random.between(0, 1e9)}`
      await whileStopped(world.pids.redis, () => copy(folder, copied))
      const millis = random.between(100, 4000)
      await pause(millis)
      const { redis } = world.pids
      await whileStopped(redis, () => {
        rmSync(folder, { recursive: true })
        renameSync(copied, folder)
        process.kill(redis, "SIGKILL")
      })
      note(`of ${millis} ms`)
    }
  },
  {
    name: "the disk is full",
    weight: 1,
    act: async ({ world: { disk } }, random, note) => {
      if (disk === undefined) return note("this seed has no disk of its own")
      const millis = random.between(500, 8000)
      disk.fill()
      await pause(millis)
      disk.free()
      note(`for ${millis} ms`)
    }
  }
]
