/** The faults that are injected into a run, one entry each. A fault that does not end by itself undoes itself. */
import { readFileSync, readdirSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { group, keysOf } from "../../src/queue/Keys.ts"
import { writeManyRows } from "./ManyRows.ts"
import type { Committed } from "./Committed.ts"
import type { Proxy } from "./Proxy.ts"
import type { Random } from "./Random.ts"
import { pause } from "./Timeline.ts"
import type { Site, World } from "./World.ts"
import { eventually } from "../support/Eventually.ts"

/** Targets that a fault can act on. */
export interface Scene {
  readonly world: World
  readonly committed: Committed
  /** Ids of the webhooks. */
  readonly webhooks: ReadonlyArray<number>
  /** Rows of the largest transaction. */
  readonly rows: number
}

export interface Fault<Of = Scene> {
  readonly name: string
  /** How often it is chosen, relative to the others. */
  readonly weight: number
  readonly act: (scene: Of, random: Random, note: (what: string) => void) => Promise<void>
}

/** The leader, or any service if none leads. */
const leaderOf = async ({ world }: Scene, random: Random): Promise<Site> => {
  const any = random.pick(world.sites)
  return (await world.leader()) ?? any
}

/** Networks of one service or of all, to Postgres, to Redis, or to both. */
const networksOf = ({ world }: Scene, random: Random, note: (what: string) => void): ReadonlyArray<Proxy> => {
  const sites = random.pick([...world.sites.map((site) => [site]), world.sites])
  const servers = random.pick([["postgres"], ["redis"], ["postgres", "redis"]] as const)
  note(`between ${sites.map(({ service }) => service.name).join(", ")} and ${servers.join(", ")}`)
  return sites.flatMap((site) => servers.map((server) => site[server]))
}

/** A network that is disturbed for a while. */
const network = (name: string, weight: number, longest: number, spoil: (proxy: Proxy) => void): Fault => ({
  name,
  weight,
  act: async (scene, random, note) => {
    const proxies = networksOf(scene, random, note)
    const millis = random.between(200, longest)
    proxies.forEach(spoil)
    await pause(millis)
    for (const proxy of proxies) proxy.restore()
    note(`good again after ${millis} ms`)
  }
})

/** Waits until the process is stopped: before that it may still write. */
export const untilStopped = (pid: number) =>
  eventually(`process ${pid} is stopped`, () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")), {
    everyMillis: 1
  })

/** Columns that are added to a captured table: empty ones, filled ones, and ones for which the table is rewritten. */
const columnTypes = ["text", "integer default 7", "double precision default random()"]

const alter = async ({ world }: Scene, statement: string): Promise<boolean> => {
  for (let turn = 0; turn < 20; turn++) {
    try {
      await world.sql.transaction("set local lock_timeout = '300ms'", statement)
      return true
    } catch {
      await pause(100)
    }
  }
  return false
}

export const halfOpen = "connections are half open"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "kill a service",
    weight: 4,
    act: async (scene, random, note) => {
      const { service } = random.chance(0.7) ? await leaderOf(scene, random) : random.pick(scene.world.sites)
      note(`${service.name}, process ${service.pid}`)
      service.kill()
    }
  },
  {
    name: "stop a service for a while",
    weight: 3,
    act: async (scene, random, note) => {
      const { service } = random.chance(0.7) ? await leaderOf(scene, random) : random.pick(scene.world.sites)
      const goOn = service.freeze()
      const millis = random.between(200, 4000)
      await pause(millis)
      goOn()
      note(`${service.name} for ${millis} ms`)
    }
  },
  {
    name: "two leaders",
    weight: 2,
    act: async (scene, random, note) => {
      const { service } = await leaderOf(scene, random)
      const goOn = service.freeze()
      note(`${service.name} stops`)
      // Longer than a standby waits for a silent leader.
      await pause(random.between(6000, 9000))
      const now = await scene.world.leader()
      goOn()
      note(`${service.name} goes on; ${now?.service.name ?? "nobody"} leads`)
    }
  },
  {
    name: "end the session that reads the WAL",
    weight: 3,
    act: async ({ world }) => {
      await world.sql.query(
        "select pg_terminate_backend(active_pid)::text from pg_replication_slots where active_pid is not null"
      )
    }
  },
  {
    // The signal of `pg_ctl stop -m immediate`; the supervisor of the server restarts it.
    name: "stop Postgres at once",
    weight: 3,
    act: async ({ world }) => void process.kill(world.pids.postgres, "SIGQUIT")
  },
  {
    name: "kill Redis",
    weight: 3,
    act: async ({ world }) => void process.kill(world.pids.redis, "SIGKILL")
  },
  {
    name: "Redis loses everything",
    weight: 2,
    act: async ({ world }) => void (await world.redis.flushall())
  },
  {
    name: "Redis loses its tail",
    weight: 1,
    act: async ({ world }, random, note) => {
      const { redis } = world.pids
      const folder = join(world.directory, "data/redis/appendonlydir")
      process.kill(redis, "SIGSTOP")
      await untilStopped(redis)
      const file = readdirSync(folder).find((name) => name.endsWith(".incr.aof"))!
      const { size } = statSync(join(folder, file))
      const lost = Math.min(size, random.between(1, 400_000))
      truncateSync(join(folder, file), size - lost)
      process.kill(redis, "SIGKILL")
      note(`${lost} of ${size} bytes`)
    }
  },
  {
    name: "Redis loses a stream",
    weight: 2,
    act: async ({ world, webhooks }, random, note) => {
      const webhook = random.pick(webhooks)
      note(`of webhook ${webhook}`)
      await world.redis.del(keysOf(webhook).queue)
    }
  },
  {
    name: "Redis loses a group",
    weight: 1,
    act: async ({ world, webhooks }, random, note) => {
      const webhook = random.pick(webhooks)
      note(`of webhook ${webhook}`)
      await world.redis.xgroup("DESTROY", keysOf(webhook).queue, group).catch(() => {})
    }
  },
  {
    name: "Redis is out of memory",
    weight: 2,
    act: async ({ world }, random, note) => {
      await world.redis.config("SET", "maxmemory", "1mb")
      const millis = random.between(200, 2500)
      await pause(millis)
      await world.redis.config("SET", "maxmemory", "0")
      note(`for ${millis} ms`)
    }
  },
  network("the network is cut", 4, 2500, (proxy) => proxy.cut()),
  network("the network holds everything back", 2, 2500, (proxy) => proxy.hold()),
  network("the network drips", 2, 2000, (proxy) => proxy.drip()),
  network("the network is late", 1, 2500, (proxy) => proxy.delay(proxy.random.between(20, 300))),
  {
    name: halfOpen,
    weight: 2,
    act: async (scene, random, note) => {
      for (const proxy of networksOf(scene, random, note)) proxy.swallow()
    }
  },
  {
    name: "a column comes and goes",
    weight: 2,
    act: async (scene, random, note) => {
      const table = random.pick(["dcim_site", "dcim_region", "extras_tag"])
      const column = `fault_${random.between(0, 1e6)}`
      const added = await alter(scene, `alter table ${table} add column ${column} ${random.pick(columnTypes)}`)
      note(`${table}.${column} ${added ? "came" : "could not come"}`)
      await pause(random.between(100, 3000))
      if (random.chance(0.8)) await alter(scene, `alter table ${table} drop column if exists ${column}`)
    }
  }
]

/** Faults that take long: at most one per seed. */
export const largeTransaction: Fault = {
  name: "a very large transaction, and a kill inside",
  weight: 0,
  act: async (scene, random, note) => {
    const { world, committed, rows } = scene
    const fate = await writeManyRows(world, committed, random, rows)
    note(`${rows} rows are ${fate}`)
    await pause(random.between(100, 2500))
    const kills = {
      leader: async () => (await leaderOf(scene, random)).service.kill(),
      redis: async () => void process.kill(world.pids.redis, "SIGKILL"),
      postgres: async () => void process.kill(world.pids.postgres, "SIGQUIT")
    }
    const victim = random.pick(["leader", "leader", "redis", "postgres"] as const)
    await kills[victim]()
    note(`${victim} killed`)
  }
}
