/** System > Background Tasks where a part of the service is away. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { Proxy } from "../fault/Proxy.ts"
import { Random } from "../fault/Random.ts"
import { environmentOf } from "../support/Api.ts"
import { provision } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"

let database: TestDatabase
let proxies: Readonly<Record<"postgres" | "redis", Proxy>>
let service: Service
let token: string

const through = async (address: string, name: string) => {
  const url = new URL(address)
  const proxy = await Proxy.start(Number(url.port), new Random(name))
  url.port = `${proxy.port}`
  return { proxy, url: url.href }
}

beforeAll(async () => {
  database = await makeDatabase()
  const postgres = await through(database.databaseUrl, "postgres")
  const redis = await through(database.redisUrl, "redis")
  proxies = { postgres: postgres.proxy, redis: redis.proxy }
  const environment = { ...environmentOf(database), DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  service = await startService(environment)
  token = await provision(service.url)
})

afterAll(async () => {
  await service.stop()
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
  await database.drop()
})

const page = async (url: string) => {
  const headers = { authorization: `Token ${token}`, accept: "text/html" }
  const reply = await fetch(`${url}/system/background-tasks/`, { headers })
  return { status: reply.status, text: (await reply.text()).replaceAll(/<[^>]+>/g, " ") }
}

it("says without a process that delivers how to start one", async () => {
  const alone = await startService(
    { ...environmentOf(database), DATABASE_URL: database.databaseUrl },
    { roles: ["api"] }
  )
  try {
    // The other process delivers.
    expect((await page(alone.url)).text).not.toContain("No process delivers.")
    await database.sql.query("update rackwire_process set seen = seen - interval '1 day'")
    await database.sql.query("delete from rackwire_process")
    await database.sql.query("alter table rackwire_process add constraint none check (not parts ? 'deliver')")
    const { status, text } = await page(alone.url)
    expect([status, text]).toEqual([
      200,
      expect.stringMatching(/No process delivers\..*npx rackwire serve --roles deliver/s)
    ])
  } finally {
    await database.sql.query("alter table rackwire_process drop constraint if exists none")
    await alone.stop()
  }
})

it("is shown while Redis is away, and says so", async () => {
  proxies.redis.cut()
  try {
    await expect
      .poll(() => page(service.url), { interval: 500 })
      .toMatchObject({ status: 200, text: expect.stringMatching(/The service has problems\..*Redis/s) })
  } finally {
    proxies.redis.restore()
  }
  await expect
    .poll(async () => (await page(service.url)).text, { interval: 500 })
    .not.toContain("The service has problems.")
})

it("says in words that Postgres is away, and comes back with it", async () => {
  proxies.postgres.cut()
  const { status, text } = await page(service.url)
  expect([status, text]).toEqual([503, expect.stringContaining("The database is not available.")])
  proxies.postgres.restore()
  await expect.poll(async () => (await page(service.url)).status, { interval: 500 }).toBe(200)
})
