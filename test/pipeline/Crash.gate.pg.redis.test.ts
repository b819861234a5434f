/**
 * Whichever process is killed, no committed change is missed and none is queued twice: the service is a process too.
 *
 * A writer inserts hundreds of sites in small transactions while a process is killed with SIGKILL. Afterwards the
 * table says what was committed, and the receiver must have exactly that.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import { eventually } from "../support/Eventually.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"
import { runs, thorough } from "../support/Seed.ts"
import { openRedis } from "../support/Redis.ts"
import { keysOf } from "../../src/queue/Keys.ts"

const perTransaction = 4
const changes = perTransaction * runs(100)

interface Owner {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly servers: ReadonlyArray<{ readonly pid: number }>
}

let directory: string
let service: ServiceProcess
let receiver: Receiver

/** The service's record of its servers, once it is written. */
const owner = (): Promise<Owner> =>
  eventually("owner.json", () => {
    try {
      const found = JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")) as Owner
      return found.databaseUrl !== "" && found
    } catch {
      // No file yet.
      return false
    }
  })

const start = async (): Promise<void> => {
  service = await startProcess({ RACKWIRE_DATA_DIR: directory }, { pace: 0.2 })
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "rackwire-crash-"))
  receiver = await startReceiver()
  await start()
})

afterAll(async () => {
  await service.stop()
  await receiver.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Postgres, as soon as it answers. */
const answering = (): Promise<Sql> =>
  eventually(
    "Postgres answers",
    async () => {
      const sql = openSql((await owner()).databaseUrl)
      const answers = await sql.query("select 1 as one").then(
        () => true,
        () => false
      )
      if (!answers) await sql.close()
      return answers && sql
    },
    { everyMillis: 50 }
  )

/** Inserts sites whose slugs begin with the name; a transaction that fails is not repeated. */
const insertSites = async (name: string, onProgress: (done: number) => Promise<void>): Promise<void> => {
  let sql = openSql((await owner()).databaseUrl)
  for (let at = 0; at < changes; at += perTransaction) {
    const values = Array.from(
      { length: perTransaction },
      (_, n) => `('${name} ${at + n}', '${name}-${at + n}', 'active')`
    )
    await sql.query(`insert into dcim_site (name, slug, status) values ${values.join(", ")}`).catch(async () => {
      await sql.close()
      sql = await answering()
    })
    await onProgress(at)
  }
  await sql.close()
}

interface Body {
  readonly event: string
  readonly data: { readonly slug: string }
}

const slugOf = (received: Received): string => (JSON.parse(received.body.toString()) as Body).data.slug

const committedSlugs = async (sql: Sql, name: string): Promise<ReadonlyArray<string>> =>
  (
    await sql.query<{ readonly slug: string }>("select slug from dcim_site where slug like $1 order by slug", [
      `${name}-%`
    ])
  ).map(({ slug }) => slug)

/** Runs the writer with one fault in the middle, and holds the receiver against the table. */
const expectAllArrive = async (name: string, fault: () => Promise<void>): Promise<void> => {
  const path = `/${name}`
  const made = await service.call<{ readonly id: number }>("POST", "/api/extras/webhooks/", {
    name,
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: receiver.url + path,
    conditions: { and: [{ attr: "slug", op: "regex", value: `${name}-` }] },
    retry_schedule: { kind: "fixed", delay: 1, attempts: 50 }
  })
  expect(made.status).toBe(201)
  let faulted: Promise<void> | undefined
  await insertSites(name, async (done) => {
    if (faulted === undefined && done >= changes * 0.4) faulted = fault()
  })
  await faulted
  const sql = openSql((await owner()).databaseUrl)
  const committed = await committedSlugs(sql, name)
  // Writes that failed while a server was down are not in the table; on a slow machine that is more.
  expect(committed.length).toBeGreaterThan(changes * 0.5)
  const here = (all: ReadonlyArray<Received>) => all.filter((received) => received.path === path)
  await receiver.untilAll(
    (all) => new Set(here(all).map((one) => one.headers["x-hook-delivery"])).size >= committed.length,
    60_000
  )
  const got = here(receiver.received)
  expect([...new Set(got.map(slugOf))].sort()).toEqual([...committed].sort())
  const slugById = new Map(got.map((one) => [one.headers["x-hook-delivery"], slugOf(one)]))
  expect(slugById.size, "one delivery id per change").toBe(committed.length)
  expect(
    got.every((one) => slugById.get(one.headers["x-hook-delivery"]) === slugOf(one)),
    "an id always means the same change"
  ).toBe(true)
  const redis = await openRedis({ sql, redisUrl: (await owner()).redisUrl })
  const info = (await redis.xinfo("STREAM", keysOf(made.json.id).queue)) as ReadonlyArray<unknown>
  await redis.quit()
  await sql.close()
  expect(info[info.indexOf("entries-added") + 1], "entries ever queued").toBe(committed.length)
}

describe(`${changes} changes during a SIGKILL`, () => {
  it("all arrive, queued once each, when the service is killed and started again", () =>
    expectAllArrive("service", async () => {
      await service.stop("SIGKILL")
      await start()
    }))

  thorough("all arrive, queued once each, when Redis is killed", () =>
    expectAllArrive("redis", async () => void process.kill((await owner()).servers[1]!.pid, "SIGKILL"))
  )

  thorough("all arrive, queued once each, when Postgres is killed", () =>
    expectAllArrive("postgres", async () => void process.kill((await owner()).servers[0]!.pid, "SIGKILL"))
  )
})
