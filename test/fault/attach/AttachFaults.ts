/** The faults of the suite `attach`. A fault that does not end by itself undoes itself. */
import { eventually } from "../../support/Eventually.ts"
import type { Fault } from "../Faults.ts"
import type { Proxy } from "../Proxy.ts"
import type { Random } from "../Random.ts"
import { pause } from "../Timeline.ts"
import type { Site } from "../World.ts"
import type { AttachedWorld } from "./AttachedWorld.ts"

type SourceFault = Fault<AttachedWorld>

/** Time for the server of the NetBox to answer, milliseconds. */
const answerMillis = 60_000

const readerOf = async (scene: AttachedWorld, random: Random): Promise<Site> => {
  const any = random.pick(scene.world.sites)
  return (await scene.reader()) ?? any
}

/** The network to the NetBox is disturbed for a while. */
const network = (name: string, weight: number, longestMillis: number, spoil: (proxy: Proxy) => void): SourceFault => ({
  name,
  weight,
  act: async ({ server }, random, note) => {
    const millis = random.between(200, longestMillis)
    spoil(server.network)
    await pause(millis)
    server.network.restore()
    note(`good again after ${millis} ms`)
  }
})

/** Runs a statement on the NetBox, also where its server restarts meanwhile. */
const onNetBox = (scene: AttachedWorld, statement: string): Promise<ReadonlyArray<object>> =>
  eventually(
    "the server of the NetBox answers",
    () => scene.server.netbox.sql.query(statement).catch(() => undefined),
    { millis: answerMillis, everyMillis: 100 }
  )

const dropSlot = `select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where not active`

export const attachFaults: ReadonlyArray<SourceFault> = [
  {
    name: "kill the reader",
    weight: 4,
    act: async (scene, random, note) => {
      const { service } = random.chance(0.8) ? await readerOf(scene, random) : random.pick(scene.world.sites)
      note(`${service.name}, process ${service.pid}`)
      service.kill()
    }
  },
  {
    name: "stop the reader for a while",
    weight: 3,
    act: async (scene, random, note) => {
      const { service } = await readerOf(scene, random)
      const thaw = service.freeze()
      const millis = random.between(200, 4000)
      await pause(millis)
      thaw()
      note(`${service.name} for ${millis} ms`)
    }
  },
  {
    name: "two readers",
    weight: 2,
    act: async (scene, random, note) => {
      const { service } = await readerOf(scene, random)
      const thaw = service.freeze()
      // Longer than the server of the NetBox waits for a silent reader.
      await pause(random.between(7000, 10_000))
      const now = await scene.reader()
      thaw()
      note(`${service.name} continues; ${now?.service.name ?? "nobody"} reads`)
    }
  },
  {
    name: "end the sessions at the NetBox",
    weight: 2,
    act: async ({ server }) => {
      await server.netbox.sql
        .query("select pg_terminate_backend(active_pid)::text from pg_replication_slots where active_pid is not null")
        .catch(() => [])
    }
  },
  network("the NetBox is cut off", 4, 3000, (proxy) => proxy.cut()),
  network("the network to the NetBox is frozen", 3, 4000, (proxy) => proxy.hold()),
  network("the network to the NetBox drips", 1, 1500, (proxy) => proxy.drip()),
  network("connections to the NetBox are half open", 1, 1000, (proxy) => proxy.swallow()),
  {
    name: "the NetBox restarts",
    weight: 2,
    act: async ({ server }) => server.restart("SIGINT")
  },
  {
    name: "the NetBox crashes",
    weight: 3,
    act: async ({ server }) => server.restart("SIGQUIT")
  },
  {
    name: "stop Postgres at once",
    weight: 3,
    act: async ({ world }) => void process.kill(world.pids.postgres, "SIGQUIT")
  },
  {
    name: "kill Redis",
    weight: 1,
    act: async ({ world }) => void process.kill(world.pids.redis, "SIGKILL")
  },
  {
    name: "Redis is away",
    weight: 2,
    act: async ({ world }, random, note) => {
      for (const { redis } of world.sites) redis.cut()
      const millis = random.between(500, 5000)
      await pause(millis)
      for (const { redis } of world.sites) redis.restore()
      note(`for ${millis} ms`)
    }
  },
  {
    name: "the slot is lost",
    weight: 2,
    act: (scene, random, note) =>
      scene.foldingWhile(async () => {
        await scene.change({ enabled: false })
        await eventually("the slot is dropped", async () => (await onNetBox(scene, dropSlot)).length > 0, {
          millis: answerMillis
        })
        const millis = random.between(0, 2000)
        await pause(millis)
        await scene.change({ enabled: true })
        note(`for ${millis} ms`)
      })
  },
  {
    name: "the source is polled",
    weight: 2,
    act: (scene, random, note) =>
      scene.foldingWhile(async () => {
        await scene.change({ mode: "poll" })
        const millis = random.between(500, 4000)
        await pause(millis)
        await scene.change({ mode: "stream" })
        note(`for ${millis} ms`)
      })
  },
  {
    name: "the NetBox is restored from a copy",
    weight: 3,
    act: (scene, random, note) =>
      scene.foldingWhile(async () => {
        const { server } = scene
        const putBack = await scene.backUp()
        await pause(random.between(0, 3000))
        const [isNewTimeline, isLate] = [random.chance(0.5), random.chance(0.5)]
        if (isLate) server.network.cut()
        await putBack(isNewTimeline)
        note(`with ${isNewTimeline ? "another" : "the same"} timeline, ${isLate ? "read later" : "read at once"}`)
        if (!isLate) return
        // The WAL is then past the places that were read.
        await pause(random.between(0, 1500))
        await onNetBox(scene, "select pg_switch_wal()::text")
        server.network.restore()
      })
  },
  {
    name: "retention",
    weight: 3,
    act: async (scene, random, note) => {
      const { load, writer } = scene
      const { retired } = await load.whilePaused(async () => {
        const [read, open] = [await scene.readChanges(), load.lowestOpenId]
        // Retention deletes old rows: none that is newer than a row of an open transaction.
        return writer.retire(random.between(0, 50), (id) => read.has(id) && id < open)
      })
      if (retired.length > 0) scene.isRetired = true
      note(`${retired.length} rows`)
    }
  }
]
