/**
 * Two processes, one of which reads the WAL: what happens when it stops reading, and which process notices.
 * Processes, because they are stopped by signals.
 */
import { spawn } from "node:child_process"
import { type AddressInfo, type Server, connect, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import type { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { eventually } from "../support/Eventually.ts"
import { thorough, thoroughly } from "../support/Seed.ts"
import { openRedis } from "../support/Redis.ts"

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

let database: TestDatabase
let redis: Redis
let services: ReadonlyArray<ServiceProcess>
let webhook: number
/** Sites made so far. */
let sites = 0

const start = (databaseUrl = database.databaseUrl): Promise<ServiceProcess> =>
  startProcess({ ...environmentOf(database), DATABASE_URL: databaseUrl }, { roles: ["api", "capture"], pace: 0.2 })

beforeAll(async () => {
  database = await makeDatabase()
  redis = await openRedis(database)
  services = [await start()]
  services = [...services, await start()]
  const made = await services[0]!.call<{ readonly id: number }>("POST", "/api/extras/webhooks/", {
    name: "sites",
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: "http://127.0.0.1:9/"
  })
  webhook = made.json.id
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop("SIGKILL")))
  await redis.quit()
  await database.drop()
})

/** Waits for it; the outputs of all services tell why it does not come. */
const until = <A>(expected: string, ask: () => Promise<A>) =>
  eventually(expected, ask).catch((error: Error) => {
    throw new Error([error.message, ...services.map((service) => service.output())].join("\n---\n"))
  })

/** Metrics of a process about its capture, by name; none where it does not answer. */
const captureOf = async (service: ServiceProcess): Promise<Readonly<Record<string, number>>> => {
  const text = await fetch(`${service.url}/metrics`, { signal: AbortSignal.timeout(2000) }).then(
    (response) => response.text(),
    () => ""
  )
  return Object.fromEntries(
    [...text.matchAll(/^rackwire_capture_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)])
  )
}

const leader = (): Promise<ServiceProcess> =>
  until("a leader", async () => {
    for (const service of services) if ((await captureOf(service))["leads"] === 1) return service
    return undefined
  })

const insertSites = async (count: number): Promise<void> => {
  await database.sql.query(
    "insert into dcim_site (name, slug) select n, n from (select 'site-' || generate_series($1::int, $2::int)) u (n)",
    [sites + 1, sites + count]
  )
  sites += count
}

/** Every site that was made is in the stream once. */
const expectAllQueued = async (): Promise<void> => {
  const entries = await until(`${sites} entries`, async () => {
    const found = await redis.xrange(keysOf(webhook).queue, "-", "+")
    return found.length >= sites ? found : undefined
  })
  const slugs = entries.map(([, [, text]]) => /"slug":"(site-\d+)"/.exec(text!)![1])
  expect(new Set(slugs).size).toBe(sites)
  expect(entries.length).toBe(sites)
}

/** Transactions committed until now will not be read again. */
const allConfirmed = async (): Promise<void> => {
  const [wal] = await database.sql.query<{ readonly end: string }>("select pg_current_wal_insert_lsn()::text as end")
  await until("all is confirmed", async () => {
    const [slot] = await database.sql.query<{ readonly done: boolean }>(
      "select confirmed_flush_lsn >= $1::text::pg_lsn as done from pg_replication_slots where slot_name = $2",
      [wal!.end, database.slot]
    )
    return slot!.done ? true : undefined
  })
}

/** Does something to the leader, makes sites meanwhile, and expects that the other one takes over. */
const expectTakeover = async (
  harm: (leader: ServiceProcess) => unknown
): Promise<readonly [ServiceProcess, ServiceProcess]> => {
  const before = await leader()
  const { generation } = await captureOf(before)
  const after = services.find((service) => service !== before)!
  await insertSites(20)
  harm(before)
  await insertSites(20)
  const told = await until("the other leads", async () => {
    const told = await captureOf(after)
    return told["leads"] === 1 && told["generation"]! > generation! ? told : undefined
  })
  const millis = Math.round(told["takeover_seconds"]! * 1000)
  await expect
    .poll(() => after.output())
    .toContain(`generation ${told["generation"]}, ${millis} ms after the last word of another process`)
  await expectAllQueued()
  return [before, after]
}

thoroughly("the other process leaves the lead where it is", () => {
  it("while the leader is well, however long it looks on", async () => {
    const { generation } = await captureOf(await leader())
    const [begin] = await database.sql.query<{ readonly time: string }>("select now()::text as time")
    await until("both were seen for longer than a silence", async () => {
      const seen = "seen > $1::text::timestamptz + interval '4 seconds'"
      const rows = await database.sql.query(`select from rackwire_process where ${seen}`, [begin!.time])
      return rows.length >= 2 ? true : undefined
    })
    expect(await captureOf(await leader())).toMatchObject({ generation })
  })
})

describe("the other process takes over, and queues everything once", () => {
  thorough("from one that is asked to stop", async () => {
    const [before, after] = await expectTakeover((leader) => leader.process.kill("SIGTERM"))
    await before.stop()
    services = [after, await start()]
  })

  it("from one that is killed", async () => {
    const [before, after] = await expectTakeover((leader) => leader.process.kill("SIGKILL"))
    await before.stop()
    services = [after, await start()]
  })

  it("from one that hangs, which stands by when it wakes up", async () => {
    const [before, after] = await expectTakeover((leader) => leader.process.kill("SIGSTOP"))
    await expect.poll(() => after.output()).toContain("hangs: ending its session")
    before.process.kill("SIGCONT")
    await until("the old leader stands by", async () => ((await captureOf(before))["leads"] === 0 ? true : undefined))
    await insertSites(20)
    await expectAllQueued()
    expect((await captureOf(after))["leads"]).toBe(1)
  })
})

const beginAnew = () =>
  database.sql.query(
    "select pg_terminate_backend(active_pid)::text from pg_replication_slots where slot_name = $1 and active",
    [database.slot]
  )

/** A way to Postgres on which whoever wants to read the WAL can be held up. */
class SlowWay {
  private readonly server: Server
  isHolding = false
  /** Lets the last one go that was held up. */
  go: (() => void) | undefined

  constructor(port: number) {
    this.server = createServer((near) => {
      const far = connect(port, "127.0.0.1")
      near.on("data", (bytes: Buffer) => {
        const go = () => void far.write(bytes)
        if (this.isHolding && bytes.includes("START_REPLICATION")) this.go = go
        else go()
      })
      far.pipe(near)
      near.on("error", () => {}).on("close", () => far.destroy())
      far.on("error", () => {}).on("close", () => near.destroy())
    })
  }

  open(): Promise<number> {
    return new Promise((resolve) =>
      this.server.listen(0, "127.0.0.1", () => resolve((this.server.address() as AddressInfo).port))
    )
  }

  close(): void {
    this.server.close()
  }
}

thoroughly("a process with another slot", () => {
  it("does not read beside one that reads, and says which slot to use", async () => {
    const epoch = async () => (await captureOf(await leader()))["epoch"]
    const before = await epoch()
    const environment = { ...environmentOf(database), RACKWIRE_SLOT: `${database.slot}_2` }
    // It does not become ready, so startProcess would wait in vain.
    const second = spawn(process.execPath, [program, "serve", "--roles", "capture"], {
      env: { PATH: process.env["PATH"], ...environment }
    })
    let output = ""
    second.stdout.on("data", (chunk) => (output += String(chunk)))
    second.stderr.on("data", (chunk) => (output += String(chunk)))
    try {
      await eventually("it is refused", () => output.includes(`set RACKWIRE_SLOT to ${database.slot}`), {
        millis: 60_000
      })
      await insertSites(20)
      await expectAllQueued()
      expect(await epoch()).toBe(before)
    } finally {
      second.kill("SIGKILL")
    }
    expect(
      await database.sql.query(`select slot_name from pg_replication_slots where slot_name = '${database.slot}_2'`)
    ).toEqual([])
  })
})

thorough(
  "a process that was delayed before it got the slot continues from where another process has got to, in the same epoch",
  async () => {
    const first = await leader()
    await Promise.all(services.filter((service) => service !== first).map((service) => service.stop()))
    const url = new URL(database.databaseUrl)
    const way = new SlowWay(Number(url.port))
    url.port = `${await way.open()}`
    const late = await start(url.href)
    services = [first, late]
    const { epoch } = await captureOf(first)
    way.isHolding = true
    const held = async () => way.go ?? void (await beginAnew())
    const go = await eventually("the late one is held", held, { everyMillis: 500 })
    await insertSites(20)
    await expectAllQueued()
    await first.stop("SIGKILL")
    await until("the slot is free", async () => {
      const [slot] = await database.sql.query<{ readonly active: boolean }>(
        "select active from pg_replication_slots where slot_name = $1",
        [database.slot]
      )
      return slot!.active ? undefined : true
    })
    way.isHolding = false
    go()
    await until("the late one leads", async () => ((await captureOf(late))["leads"] === 1 ? true : undefined))
    await insertSites(20)
    await expectAllQueued()
    expect((await captureOf(late))["epoch"]).toBe(epoch)
    services = [late, await start()]
    way.close()
  }
)

describe("a database restored from an older copy", () => {
  it("is read by a leader with a higher generation than any before", async () => {
    await redis.hset(keysOf(webhook).notes, "generation", 1000)
    await beginAnew()
    await insertSites(20)
    await expectAllQueued()
    expect((await captureOf(await leader()))["generation"]).toBeGreaterThan(1000)
  })

  it("is read in a new epoch, with positions above all that were queued", async () => {
    await allConfirmed()
    await redis.xadd(keysOf(webhook).queue, "4000000000000000-0", "d", '{}\n{"slug":"site-0"}')
    sites += 1
    await beginAnew()
    await insertSites(20)
    await expectAllQueued()
    expect((await captureOf(await leader()))["epoch"]).toBe(1)
    expect(services.map((service) => service.output()).join("")).toContain("it is an older copy")
  })
})
