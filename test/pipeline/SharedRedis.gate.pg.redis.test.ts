/** Two services on two databases and one Redis: a mistake in their options that fences both. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"

let databases: readonly [TestDatabase, TestDatabase]
const services: Array<Service> = []

/** The options of a service, with the Redis of the first one. */
const shared = (database: TestDatabase) => ({ ...environmentOf(database), REDIS_URL: databases[0].redisUrl })

const check = async (database: TestDatabase) => (await runCommand(["check"], { env: shared(database) })).output

beforeAll(async () => {
  databases = [await makeDatabase(), await makeDatabase()]
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  for (const database of databases) await database.drop()
})

it("the log and `check` say that each database needs a Redis of its own", async () => {
  const [first, second] = databases
  for (const database of databases) services.push(await startService(shared(database), { roles: ["api", "capture"] }))
  const nameOf = ({ databaseUrl }: TestDatabase) => new URL(databaseUrl).pathname.slice(1)
  expect(services[0]!.output()).not.toContain("held the queues of")
  expect(services[1]!.output()).toContain(`held the queues of the database ${nameOf(first)}`)
  expect(await check(first)).toMatch(
    new RegExp(`CHANGE Redis for this database alone: no, the database ${nameOf(second)}.*\\n.*REDIS_URL`)
  )
  expect(await check(second)).not.toContain("Redis for this database alone")
})
