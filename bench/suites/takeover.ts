/**
 * How long the WAL is not read when the reading process ends. Rows are committed every few milliseconds; the figure is
 * the longest time in which none was queued.
 *
 * The floor is a bare connection that takes the slot as soon as it is free, with nothing to prepare.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import type { Redis } from "ioredis"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { type ServiceProcess, startProcess } from "../../test/support/Process.ts"
import { type Sql, openSql } from "../../test/support/Sql.ts"
import { startServers } from "../../test/support/EmbeddedServers.ts"
import type { Contender, Suite } from "../Suite.ts"
import { openRedis } from "../../test/support/Redis.ts"

/** Pause between two rows, and time that things go well before and afterwards, milliseconds. */
const rowMillis = 3
const calmMillis = 400

const publication = "bench"
const floorSlot = "bench_takeover"

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Told of every arrival; remembers the longest time between two. */
class Arrivals {
  longest = 0
  last = Number.NaN

  arrived(): void {
    const now = performance.now()
    this.longest = Math.max(this.longest, now - this.last || 0)
    this.last = now
  }
}

/** The longest time without an arrival while something is done to whoever reads. */
const gapAround = async (sql: Sql, arrivals: Arrivals, act: () => Promise<void>): Promise<number> => {
  const over = new AbortController()
  const write = async () => {
    while (!over.signal.aborted) {
      await sql.query("insert into extras_tag (name, slug) select n, n from (select gen_random_uuid()::text) u (n)")
      await pause(rowMillis)
    }
  }
  const writing = write()
  await pause(calmMillis)
  arrivals.longest = 0
  const acted = performance.now()
  await act()
  while (!(arrivals.last > acted)) await pause(rowMillis)
  await pause(calmMillis)
  over.abort()
  await writing
  return arrivals.longest
}

/** Calls back for each entry of the stream, until the connection is closed. */
const follow = async (redis: Redis, stream: string, arrivals: Arrivals): Promise<void> => {
  for (let from = "$"; ;) {
    const [[, entries] = []] = (await redis.xread("BLOCK", 0, "STREAMS", stream, from)) ?? []
    for (const [id] of entries ?? []) from = id
    arrivals.arrived()
  }
}

const bareReader = async (databaseUrl: string, arrivals: Arrivals): Promise<Walsender> => {
  const walsender = await Walsender.connect(addressOf(databaseUrl))
  const command = `START_REPLICATION SLOT ${floorSlot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}')`
  const handler = {
    onData: () => arrivals.arrived(),
    onKeepalive: () => walsender.sendStatus(0n, 0n),
    onChunkEnd: () => {},
    onEnd: () => {}
  }
  for (;;) {
    try {
      await walsender.stream(command, handler)
      return walsender
    } catch {
      await pause(1)
    }
  }
}

const floor = (sql: Sql, databaseUrl: string): Contender => ({
  name: "a bare connection",
  role: "floor",
  turn: async () => {
    const arrivals = new Arrivals()
    await sql.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [floorSlot])
    let reader = await bareReader(databaseUrl, arrivals)
    const millis = await gapAround(sql, arrivals, async () => {
      reader.close()
      reader = await bareReader(databaseUrl, arrivals)
    })
    reader.close()
    await pause(calmMillis)
    await sql.query("select pg_drop_replication_slot($1)::text", [floorSlot])
    return { "nobody reads": millis }
  }
})

export default async (): Promise<Suite> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-bench-"))
  const servers = await startServers(directory)
  const { databaseUrl, redisUrl } = servers
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY: "a key for benchmarks, of sufficient length"
  }
  const start = () =>
    startProcess({ ...environment, LOG_LEVEL: "Warn", SUPERUSER_PASSWORD: "bench" }, { roles: ["api", "capture"] })
  let services: ReadonlyArray<ServiceProcess> = [await start()]
  services = [...services, await start()]
  const sql = openSql(databaseUrl)
  await sql.query(`create publication ${publication} for table extras_tag`)
  await sql.query(
    `insert into extras_webhook (name, content_types, type_create, payload_url)
     values ('bench', '{extras.tag}', true, 'http://127.0.0.1:9/')`
  )
  const [webhook] = await sql.query<{ readonly id: number }>("select id::int as id from extras_webhook")
  const redis = await openRedis({ sql, redisUrl })
  const arrivals = new Arrivals()
  follow(redis, keysOf(webhook!.id).queue, arrivals).catch(() => {})

  const leader = async (): Promise<ServiceProcess> => {
    const [last] = await sql.query<{ readonly process: string }>(
      "select process from rackwire_leader order by id desc limit 1"
    )
    return services.find(({ process }) => `${hostname()} ${process.pid}` === last?.process)!
  }
  const ours = (name: string, signal: NodeJS.Signals): Contender => ({
    name,
    role: "ours",
    turn: async () => {
      const before = await leader()
      const millis = await gapAround(sql, arrivals, async () => {
        before.process.kill(signal)
        while ((await leader()) === before) await pause(rowMillis)
      })
      if (signal === "SIGSTOP") before.process.kill("SIGKILL")
      await before.stop()
      services = [...services.filter((service) => service !== before), await start()]
      return { "nobody reads": millis }
    }
  })
  return {
    title: "Takeover: two processes, a row every few milliseconds, the longest time in which none was queued",
    figures: [{ name: "nobody reads", unit: "ms", more: false }],
    rounds: 5,
    contenders: [
      floor(sql, databaseUrl),
      ours("planned stop (SIGTERM)", "SIGTERM"),
      ours("killed (SIGKILL)", "SIGKILL"),
      ours("hangs (SIGSTOP)", "SIGSTOP")
    ],
    close: async () => {
      redis.disconnect()
      await sql.close()
      await Promise.all(services.map((service) => service.stop("SIGKILL")))
      await servers.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
