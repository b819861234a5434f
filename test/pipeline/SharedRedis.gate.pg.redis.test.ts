/**
 * Two services on two databases and one Redis: a mistake in their options that fences both.
 * Processes, because they are killed.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

let databases: ReadonlyArray<TestDatabase>
const services: Array<ServiceProcess> = []

/** The options of a service, with the Redis of the first one. */
const shared = (database: TestDatabase) => ({ ...environmentOf(database), REDIS_URL: databases[0]!.redisUrl })

const check = (database: TestDatabase) =>
  new Promise<string>((resolve) => {
    const env = { PATH: process.env["PATH"], ...shared(database) }
    execFile(process.execPath, [program, "check"], { env }, (_, stdout) => resolve(stdout))
  })

beforeAll(async () => {
  databases = [await makeDatabase(), await makeDatabase()]
}, 120_000)

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop("SIGKILL")))
  for (const database of databases) await database.drop()
})

it("the log and `check` say that each database needs a Redis of its own", { timeout: 120_000 }, async () => {
  const [first, second] = databases as [TestDatabase, TestDatabase]
  for (const database of databases) {
    services.push(await startProcess(shared(database), ["serve", "--roles", "api,capture"]))
  }
  const nameOf = ({ databaseUrl }: TestDatabase) => new URL(databaseUrl).pathname.slice(1)
  expect(services[0]!.output()).not.toContain("held the queues of")
  expect(services[1]!.output()).toContain(`held the queues of the database ${nameOf(first)}`)
  expect(await check(first)).toMatch(
    new RegExp(`CHANGE Redis for this database alone: no, the database ${nameOf(second)}.*\\n.*REDIS_URL`)
  )
  expect(await check(second)).not.toContain("Redis for this database alone")
})
