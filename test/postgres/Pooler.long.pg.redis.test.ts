/** Goal: requests pass PgBouncer in transaction mode with all their limits, and everything else past it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { runCommand } from "../support/Command.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type PgBouncer, hasPgBouncer, startPgBouncer } from "../support/PgBouncer.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Service, startService } from "../support/Service.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(() => database.drop())

const pooled = (pooler: PgBouncer) => ({
  ...environmentOf(database),
  DATABASE_URL: pooler.url,
  DATABASE_DIRECT_URL: database.databaseUrl,
  REQUEST_STATEMENT_TIMEOUT: "700 millis"
})

describe.runIf(hasPgBouncer)("a service behind PgBouncer in transaction mode", () => {
  let pooler: PgBouncer
  let service: Service
  let receiver: Receiver

  beforeAll(async () => {
    pooler = await startPgBouncer(database.databaseUrl)
    receiver = await startReceiver()
    service = await startService(pooled(pooler))
    await service.call("POST", "/api/extras/webhooks/", {
      name: "sites",
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: receiver.url
    })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.close()
    await pooler.stop()
  })

  const statusOf = async (path: string) => (await service.call("GET", `/api/${path}`)).status

  it("writes, reads and delivers with more requests at once than the pooler has connections", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `site-${n}`)
    await Promise.all(
      names.map(async (name) => {
        await service.make("dcim/sites", named(name))
        expect(await statusOf(`dcim/sites/?slug=${name}`)).toBe(200)
        expect(await statusOf(`dcim/sites/?name__iregex=^${name}$`)).toBe(200)
      })
    )
    await receiver.untilAll((all) => names.every((name) => all.some(({ body }) => body.includes(`"name":"${name}"`))))
    expect(receiver.received).toHaveLength(names.length)
    expect(service.output()).not.toMatch(/prepared statement|startup parameter/)
  })

  it.each(["dcim/sites/", "dcim/sites/?name__iregex=^a"])("ends a statement that takes too long: %s", async (path) => {
    const isLocked =
      "select 1 as one from pg_locks where relation = 'dcim_site'::regclass and mode = 'AccessExclusiveLock'"
    const locked = database.sql.transaction("lock table dcim_site in access exclusive mode", "select pg_sleep(4)::text")
    await eventually("the table is locked", async () => (await database.sql.query(isLocked)).length > 0)
    const status = await statusOf(path)
    expect(status === 503 || (status === 400 && path.includes("iregex"))).toBe(true)
    await locked
    expect(await statusOf(path)).toBe(200)
  })

  it("delivers while the pooler is away, when requests get 503, and answers again after it", async () => {
    await pooler.stop()
    await eventually("requests are refused", async () => (await statusOf("dcim/sites/").catch(() => 0)) === 503)
    await database.sql.query("insert into dcim_site (name, slug) values ('by SQL', 'by-sql')")
    const { body } = await receiver.until(({ body }) => body.includes(`"slug":"by-sql"`), "a change by SQL")
    expect(body.toString()).toContain("by SQL")
    pooler = await startPgBouncer(database.databaseUrl, {}, Number(new URL(pooler.url).port))
    await eventually("requests are answered", async () => (await statusOf("dcim/sites/")) === 200)
  })
})

describe.runIf(hasPgBouncer)("a pooler without the address of its server", () => {
  it.each([
    ["in transaction mode", {}],
    ["in session mode", { pool_mode: "session" }],
    ["that ignores settings", { ignore_startup_parameters: "statement_timeout,idle_in_transaction_session_timeout" }]
  ])("%s is refused at the start, before anything is changed", async (_, settings) => {
    const pooler = await startPgBouncer(database.databaseUrl, settings)
    const environment = environmentOf(database)
    const refused = "a pooler answers at this address, such as PgBouncer, which drops the settings of sessions."
    await expect(startService({ ...environment, DATABASE_URL: pooler.url })).rejects.toThrow(
      `DATABASE_URL: ${refused} Set DATABASE_DIRECT_URL`
    )
    await expect(
      startService({ ...environment, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: pooler.url })
    ).rejects.toThrow(`DATABASE_DIRECT_URL: ${refused} It must be the address of the Postgres server itself.`)
    const { output } = await runCommand(["check"], { env: { ...environment, DATABASE_URL: pooler.url } })
    expect(output).toMatch(/CHANGE Postgres: .*\n {7}-> DATABASE_URL: a pooler answers at this address/)
    await pooler.stop()
  })
})
