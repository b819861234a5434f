/**
 * `/health/ready`, `/health/` and `rackwire check` while something keeps a process from its work, or needs attention,
 * with a Redis of its own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Service, startService } from "../support/Service.ts"
import { openSql } from "../support/Sql.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"
import { openRedis } from "../support/Redis.ts"
import { thorough } from "../support/Seed.ts"

const directory = mkdtempSync(join(tmpdir(), "rackwire-ready-"))
let database: TestDatabase
let receiver: Receiver
let redisServer: ChildProcess
let redis: Redis
let environment: Record<string, string>
/** With all roles, and with that of the API alone. */
let whole: Service
let api: Service

const startRedis = async (port: number): Promise<ChildProcess> => {
  const binary = await Effect.runPromise(find(process.env))
  const durable = ["--save", "", "--appendonly", "yes", "--appendfsync", "always", "--dir", directory]
  return spawn(binary.command, ["--port", `${port}`, ...durable], {
    env: { ...process.env, ...binary.env },
    stdio: "ignore"
  })
}

beforeAll(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
  const port = (await freePorts(1))[0]!
  redisServer = await startRedis(port)
  redis = await openRedis({ sql: database.sql, redisUrl: `redis://127.0.0.1:${port}` }, { maxRetriesPerRequest: null })
  redis.on("error", () => {})
  await redis.ping()
  environment = {
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    RACKWIRE_SLOT: database.slot,
    SECRET_KEY: "a key for tests, of sufficient length"
  }
  whole = await startService(environment, { pace: 0.2 })
  api = await startService(environment, { roles: ["api"], pace: 0.2 })
})

afterAll(async () => {
  redisServer.kill("SIGCONT")
  await Promise.all([whole.stop(), api.stop()])
  redis.disconnect()
  redisServer.kill("SIGKILL")
  await receiver.close()
  await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

interface Health {
  readonly status: number
  readonly problems: ReadonlyArray<string>
}

const healthOf = async ({ url }: Service): Promise<Health> => {
  const reply = await fetch(`${url}/health/ready`)
  const { problems = [] } = (await reply.json()) as Partial<Health>
  return { status: reply.status, problems }
}

const check = () => runCommand(["check"], { env: environment })

/** A process is polled a few times a second. */
const unhurried = { interval: 200 }

/**
 * Expects the process with all roles to say why it is not ready, `check` to fail, and both to be well afterwards. `check`
 * reads what the process wrote with its last heartbeat, so it follows the health by a moment.
 */
const expectTold = async (what: RegExp, end: () => Promise<unknown>) => {
  try {
    await expect.poll(() => healthOf(whole), unhurried).toMatchObject({ status: 503 })
    await expect.poll(async () => (await healthOf(whole)).problems.join("\n"), unhurried).toMatch(what)
    expect((await healthOf(api)).status).toBe(200)
    await expect.poll(check, unhurried).toEqual({ code: 1, output: expect.stringMatching(what) })
  } finally {
    // Also after a failure: the next test begins with a process that is well.
    await end()
  }
  await expect.poll(() => healthOf(whole), unhurried).toEqual({ status: 200, problems: [] })
  await expect.poll(check, unhurried).toMatchObject({ code: 0 })
}

const makeWebhook = async (name: string): Promise<number> => {
  return whole.make("extras/webhooks", {
    ...{ name, content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/${name}` },
    conditions: { attr: "slug", op: "regex", value: `^${name}` }
  })
}

const makeTag = async (slug: string) =>
  expect((await whole.call("POST", "/api/extras/tags/", { name: slug, slug })).status).toBe(201)

const arrived = (slug: string) =>
  receiver.until(({ body }) => body.toString().includes(`"slug":"${slug}"`), `the event of ${slug}`)

/** Holds a lock on a table until the returned function is called. */
const lock = async (table: string, mode = "access exclusive") => {
  const sql = openSql(database.databaseUrl)
  await sql.query("begin")
  await sql.query(`lock table ${table} in ${mode} mode`)
  return async () => {
    await sql.query("rollback")
    await sql.close()
  }
}

describe("a process with all roles is not ready", () => {
  it("while Redis hangs", async () => {
    redisServer.kill("SIGSTOP")
    await expect.poll(() => healthOf(whole), unhurried).toMatchObject({ status: 503 })
    expect((await healthOf(whole)).problems.join()).toContain("Redis takes no writes")
    expect((await healthOf(api)).status).toBe(200)
    redisServer.kill("SIGCONT")
    await expect.poll(() => healthOf(whole), unhurried).toEqual({ status: 200, problems: [] })
  })

  it("while Redis answers and takes no writes", async () => {
    await redis.config("SET", "maxmemory", "1")
    await expectTold(/Redis takes no writes: OOM/, () => redis.config("SET", "maxmemory", "0"))
  })

  thorough("while a webhook's deliveries cannot be read", async () => {
    const { again } = keysOf(await makeWebhook("unread"))
    await redis.del(again)
    await redis.set(again, "no stream")
    await makeTag("unread-1")
    await expectTold(/webhook \d+ could not be read for \d+ s: WRONGTYPE/, () => redis.del(again))
    await arrived("unread-1")
  })

  thorough("while the delivery log is not written", async () => {
    await makeWebhook("unlogged")
    const end = await lock("extras_delivery")
    await makeTag("unlogged-1")
    await expectTold(/the delivery log has not been written for \d+ s/, end)
    await arrived("unlogged-1")
  })

  thorough("while the change log is not written", async () => {
    await makeWebhook("unstored")
    const end = await lock("extras_objectchange")
    await makeTag("unstored-1")
    await expectTold(/capture has stored nothing for \d+ s/, end)
    await arrived("unstored-1")
  })

  thorough("while it stops, and goes on answering as long as it is told to", async () => {
    const stopping = await startService({ ...environment, SHUTDOWN_DELAY: "5 seconds" })
    const stopped = stopping.stop()
    await eventually("it says so", async () => {
      const reply = await fetch(`${stopping.url}/health/ready`)
      return reply.status === 503 && (await reply.text()).includes("the process is stopping")
    })
    expect((await fetch(`${stopping.url}/health/live`)).status).toBe(200)
    await stopped
    await expect(fetch(`${stopping.url}/health/live`)).rejects.toThrow("fetch failed")
  })
})

interface Overall {
  readonly status: string
  readonly problems?: ReadonlyArray<string>
  readonly alarms?: ReadonlyArray<string>
}

const overall = async ({ url }: Service): Promise<Overall> => (await (await fetch(`${url}/health/`)).json()) as Overall

const alarmsCounted = async ({ url }: Service): Promise<number> =>
  Number(/^rackwire_alarms (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

/** Expects the process with all roles to be ready, and the alarm to be named by `/health/`, the metrics and `check`. */
const expectAlarm = async (what: RegExp, end: () => Promise<unknown>) => {
  try {
    await expect
      .poll(() => overall(whole), unhurried)
      .toMatchObject({ status: "alarm", alarms: [expect.stringMatching(what)] })
    expect(await healthOf(whole)).toEqual({ status: 200, problems: [] })
    expect(await alarmsCounted(whole)).toBe(1)
    expect((await overall(api)).status).toBe("healthy")
    await expect.poll(check, unhurried).toEqual({ code: 1, output: expect.stringMatching(what) })
  } finally {
    await end()
  }
  await expect.poll(() => overall(whole), unhurried).toMatchObject({ status: "healthy" })
  await expect.poll(check, unhurried).toMatchObject({ code: 0 })
}

describe("a process with all roles is ready, and has an alarm", () => {
  it("while a gap is not acknowledged", async () => {
    await database.sql.query(
      "insert into rackwire_gap (cause, reason, since, until, from_position) values ('slot', 'a gap of the test', now(), now(), 0)"
    )
    await expectAlarm(/a gap of the test/, () => database.sql.query("update rackwire_gap set acknowledged = now()"))
  })

  thorough("while its sweep fails", async () => {
    const id = await makeWebhook("unswept")
    expect((await whole.call("PATCH", `/api/extras/webhooks/${id}/`, { paused: true })).status).toBe(200)
    await makeTag("unswept-1")
    // The sweep writes the backlogs of webhooks that have one; everybody else only reads them.
    await expectAlarm(/no sweep has ended for \d+ s/, await lock("rackwire_backlog", "exclusive"))
  })
})
