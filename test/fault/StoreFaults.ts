/** Faults of the stores themselves: single keys of Redis that are gone, and a disk that is full. */
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import type { Fault } from "./Faults.ts"
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
