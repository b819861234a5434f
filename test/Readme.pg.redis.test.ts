/** The examples of README.md, pasted into a shell as they stand. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type TestDatabase, makeDatabase } from "./support/Database.ts"
import { type Service, startService } from "./support/Service.ts"

const password = "a password of the readme"
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

let database: TestDatabase
let service: Service

beforeAll(async () => {
  database = await makeDatabase()
  service = await startService({
    ...{ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl, RACKWIRE_SLOT: database.slot },
    ...{ SECRET_KEY: "a key for tests, of some length", SUPERUSER_PASSWORD: password, PORT: "0" }
  })
})
afterAll(async () => {
  await service.stop()
  await database.drop()
})

/** The examples that talk to a service, with what a reader replaces: the password, and where the service is. */
const script = () =>
  [...readme.matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, block = ""]) => block)
    .filter((block) => /\b(?:curl|psql)\b/.test(block))
    .join("\n")
    .replace("PASSWORD=…", `PASSWORD="${password}"`)
    .replaceAll("localhost:8000", service.url)
    .replaceAll("$(cat .rackwire/database-url)", database.databaseUrl)

it("the examples of the README work as pasted, one after the other", { timeout: 60_000 }, async () => {
  const commands = script()
  expect(commands).not.toContain("…")
  expect(commands.match(/\bcurl\b/g)?.length).toBeGreaterThan(5)
  const prelude = `set -e; curl() { command curl --fail-with-body "$@"; echo; }`
  const { stdout } = await promisify(execFile)("bash", ["-c", `${prelude}\n${commands}`], {
    env: { PATH: process.env["PATH"] }
  })
  expect(stdout).toContain('"name":"Amsterdam"')
  expect(stdout).toContain('"name":"planners keep planned sites in Europe"')
  expect(stdout).toContain("ACTIVE")
  const named = await database.sql.query<{ name: string }>("select name from dcim_site order by name")
  expect(named.map(({ name }) => name)).toEqual(["Amsterdam", "Berlin"])
})

it("the README names the commands that run and test the service", () => {
  expect(readme).toContain("npm ci && npm start")
  expect(readme).toContain("npm ci && npm test")
})
