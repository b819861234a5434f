/** `pg_ctl stop -m fast` while capture has changes that it cannot confirm: Postgres ends, and nothing is lost. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Service, startService } from "../support/Service.ts"
import { openSql } from "../support/Sql.ts"

/** Time for a stop, milliseconds. One that capture keeps from its end takes until somebody kills capture. */
const patience = { millis: 45_000 }

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** The tests, on servers of these options. A server that has stopped is started again by its owner. */
export const stopsFast = (options: Readonly<Record<string, string>>): void => {
  let directory: string
  let servers: RunningServers
  let receiver: Receiver
  let service: Service
  let made = 0

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "rackwire-stop-"))
    servers = await startServers(directory, options)
    receiver = await startReceiver()
    const environment = {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      SECRET_KEY: "a key for tests, of sufficient length"
    }
    service = await startService(environment, { pace: 0.2 })
    const hook = { name: "tags", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    await service.make("extras/webhooks", hook)
    await insert(1)
    await arrived()
  })

  afterAll(async () => {
    await service?.stop()
    await receiver?.close()
    await servers?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  /** Inserts tags by plain SQL, each in a transaction of its own. */
  const insert = async (count: number): Promise<void> => {
    const sql = openSql(servers.databaseUrl)
    try {
      for (let n = 0; n < count; n++) {
        await sql.query("insert into extras_tag (name, slug) values ($1, $1)", [`t${made}`])
        made += 1
      }
    } finally {
      await sql.close()
    }
  }

  const slugs = () =>
    new Set(receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { slug: string } }).data.slug))

  /** All tags whose insertion was answered. */
  const arrived = async (): Promise<void> => {
    const wanted = Array.from({ length: made }, (_, n) => `t${n}`)
    await receiver.untilAll(() => wanted.every((slug) => slugs().has(slug)))
  }

  const postmaster = (): number =>
    Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

  const redis = (): number => {
    const owner = JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")) as {
      servers: ReadonlyArray<{ pid: number }>
    }
    return owner.servers.map(({ pid }) => pid).find((pid) => pid !== postmaster())!
  }

  const stop = async (): Promise<void> => {
    const pid = postmaster()
    process.kill(pid, "SIGINT")
    await eventually("Postgres has stopped", () => !isAlive(pid), patience)
  }

  const runsAgain = () =>
    eventually("Postgres runs again", () =>
      insert(1).then(
        () => true,
        () => false
      )
    )

  it("while Redis is away", async () => {
    const stopped = redis()
    process.kill(stopped, "SIGSTOP")
    try {
      await insert(20)
      await eventually("capture has received them", async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text()
        return Number(/^rackwire_capture_waiting_bytes (\d+)$/m.exec(metrics)?.[1]) > 0
      })
      await stop()
      await runsAgain()
    } finally {
      process.kill(stopped, "SIGCONT")
    }
    await arrived()
    expect(service.output()).not.toMatch(/capture stopped|^\s+at /m)
  })

  it("under writes, time after time", async () => {
    for (let turn = 0; turn < 6; turn++) {
      let isOver = false
      const over = () => isOver
      const writers = Array.from({ length: 3 }, async () => {
        const sql = openSql(servers.databaseUrl)
        while (!over()) await sql.query("update extras_tag set description = md5(random()::text)").catch(() => {})
        await sql.close()
      })
      await insert(5)
      await stop()
      isOver = true
      await Promise.all(writers)
      await runsAgain()
    }
    await arrived()
    expect(service.output()).not.toMatch(/capture stopped|^\s+at /m)
  })
}
