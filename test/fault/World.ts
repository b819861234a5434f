/**
 * The servers that seeds act on, one after another: their own Postgres and Redis, services that may all lead, and the
 * networks between them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import type { Redis } from "ioredis"
import { freePorts } from "../../src/embedded/Ports.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { Disk } from "./Disk.ts"
import { Proxy } from "./Proxy.ts"
import { Random } from "./Random.ts"
import { ServiceProcess } from "./ServiceProcess.ts"
import { type Template, secretKey } from "./Template.ts"
import { Timeline } from "./Timeline.ts"
import { openRedis } from "../support/Redis.ts"

/** A service and its ways to Postgres and Redis. */
export interface Site {
  readonly service: ServiceProcess
  readonly postgres: Proxy
  readonly redis: Proxy
}

export interface WorldOptions {
  /** The first seed. */
  readonly seed: number
  /** The roles of each process of the service. */
  readonly processes: ReadonlyArray<string>
  readonly template: Template
  /** Only faults with this in their name. */
  readonly only?: string | undefined
}

/** Part of the worlds whose servers have a disk of their own, which may be full. */
const diskPart = 0.15

/** Time for the services to be ready at the start, milliseconds. */
const readyMillis = 60_000

/** Time for what the seed before did to be noticed, milliseconds: longer than a connection may owe an answer. */
const noticedMillis = 100_000

const at = (url: string, port: number): string => Object.assign(new URL(url), { port: `${port}` }).href

export class World {
  readonly directory: string
  readonly random: Random
  readonly timeline: Timeline
  /** To Postgres and Redis, past the proxies. */
  readonly sql: Sql
  readonly redis: Redis
  readonly databaseUrl: string
  readonly sites: ReadonlyArray<Site>
  /** Disk of the servers, in some worlds. */
  readonly disk: Disk | undefined
  /** Ids of rack roles of which no event can be made, each with its seed. */
  readonly aside = new Map<string, number>()
  /** The seeds in which somebody changed the publication. */
  readonly meddled = new Set<number>()
  /** The seed that runs. */
  seed: number
  /** The seeds that ran, each with the id of the last gap that was noted before it. */
  private readonly begun: Array<{ readonly seed: number; readonly gap: number }> = []
  private readonly servers: RunningServers

  private constructor(options: {
    readonly seed: number
    readonly directory: string
    readonly random: Random
    readonly timeline: Timeline
    readonly servers: RunningServers
    readonly redis: Redis
    readonly sites: ReadonlyArray<Site>
    readonly disk: Disk | undefined
  }) {
    this.seed = options.seed
    this.disk = options.disk
    this.directory = options.directory
    this.random = options.random
    this.timeline = options.timeline
    this.servers = options.servers
    this.sites = options.sites
    this.databaseUrl = options.servers.databaseUrl
    this.sql = openSql(this.databaseUrl)
    this.redis = options.redis
    this.redis.on("error", () => {})
  }

  static async start({ seed, processes, template, only }: WorldOptions): Promise<World> {
    const isDiskWanted = only?.includes("disk") === true
    const random = new Random(`seed ${seed}`)
    const directory = mkdtempSync(join(tmpdir(), `rackwire-fault-${seed}-`))
    const data = join(directory, "data")
    mkdirSync(data)
    const disk = random.fork("disk").chance(diskPart) || isDiskWanted ? Disk.mount(data) : undefined
    template.copyTo(data)
    const timeline = new Timeline()
    const servers = await startServers(data)
    const sites: Array<Site> = []
    for (const [number, roles] of processes.entries()) {
      const name = "abc"[number]!
      const portOf = (url: string) => Number(new URL(url).port)
      const postgres = await Proxy.start(portOf(servers.databaseUrl), random.fork(`postgres ${name}`))
      const redis = await Proxy.start(portOf(servers.redisUrl), random.fork(`redis ${name}`))
      const service = new ServiceProcess({
        name,
        roles,
        port: (await freePorts(1))[0]!,
        timeline,
        logFile: join(directory, `service-${name}.log`),
        environment: {
          DATABASE_URL: at(servers.databaseUrl, postgres.port),
          REDIS_URL: at(servers.redisUrl, redis.port),
          SECRET_KEY: secretKey,
          BASE_URL: "http://rackwire.test"
        }
      })
      sites.push({ service, postgres, redis })
    }
    const sql = openSql(servers.databaseUrl)
    const redis = await openRedis({ sql, redisUrl: servers.redisUrl }, { maxRetriesPerRequest: null })
    await sql.close()
    const world = new World({ seed, directory, random, timeline, servers, redis, sites, disk })
    await world.untilReady(readyMillis).catch(async (error: unknown) => {
      await world.stop(false)
      throw error
    })
    return world
  }

  get services(): ReadonlyArray<ServiceProcess> {
    return this.sites.map(({ service }) => service)
  }

  /** Process numbers of the servers as they are now. */
  get pids(): { readonly postgres: number; readonly redis: number } {
    const owner = JSON.parse(readFileSync(join(this.directory, "data", "owner.json"), "utf8")) as {
      readonly servers: ReadonlyArray<{ readonly pid: number }>
    }
    return { postgres: owner.servers[0]!.pid, redis: owner.servers[1]!.pid }
  }

  /** The process that took the lead last; undefined when it is no more. */
  async leader(): Promise<Site | undefined> {
    const rows = await this.sql
      .query<{ readonly process: string }>("select process from rackwire_leader order by id desc limit 1")
      .catch(() => [])
    return this.sites.find(({ service }) => rows[0]?.process === `${hostname()} ${service.pid}`)
  }

  /** Networks are good again. */
  heal(): void {
    for (const { postgres, redis } of this.sites) {
      postgres.restore()
      redis.restore()
    }
  }

  /** Begins a seed where the one before has settled, with services that are all ready. */
  async begin(seed: number): Promise<void> {
    if (this.begun.length > 0) await this.untilReady(noticedMillis)
    // A change of the publication that is noticed later would be taken for one of the new seed.
    if (this.meddled.has(this.seed)) await this.untilVerified()
    const [last] = await this.sql.query<{ readonly id: number }>(
      "select coalesce(max(id), 0)::int as id from rackwire_gap"
    )
    this.begun.push({ seed, gap: last!.id })
    this.seed = seed
    this.timeline.note(`seed ${seed} begins`)
  }

  /** The seed in which a gap was noted, by the gap's id. */
  seedOfGap(id: number): number {
    return this.begun.findLast(({ gap }) => gap < id)?.seed ?? this.seed
  }

  private async untilReady(millis: number): Promise<void> {
    const allReady = async () => (await Promise.all(this.services.map((service) => service.isReady()))).every(Boolean)
    await eventually(`all services are ready (see ${this.directory})`, allReady, { millis, everyMillis: 100 })
  }

  /** Waits until the service has compared the publication once more. */
  private async untilVerified(): Promise<void> {
    const [now] = await this.sql.query<{ readonly time: string }>("select clock_timestamp()::text as time")
    const isVerified = async () => {
      const rows = await this.sql.query("select 1 from rackwire_epoch where verified > $1::timestamptz", [now!.time])
      return rows.length > 0
    }
    await eventually("the publication is compared", isVerified, { millis: noticedMillis, everyMillis: 100 })
  }

  /** Ends everything. The logs stay unless `forget`. */
  async stop(forget: boolean): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop()))
    await Promise.all(this.sites.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]))
    await this.sql.close()
    this.redis.disconnect()
    await this.servers.stop()
    this.disk?.unmount()
    rmSync(forget ? this.directory : join(this.directory, "data", "postgres"), { recursive: true, force: true })
  }
}
