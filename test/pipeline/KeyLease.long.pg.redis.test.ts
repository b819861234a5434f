/** A physical copy of the database beside the original, and one Redis for both. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { named } from "../support/Client.ts"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Service, startService } from "../support/Service.ts"
import { openSql } from "../support/Sql.ts"

const changes = 10

let directory: string
let receiver: Receiver
let servers: RunningServers
let copies: RunningServers
let original: Service
let port: number
let copied: Promise<Service>

const environmentOf = ({ databaseUrl }: RunningServers) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: servers.redisUrl,
  SECRET_KEY: "a key for tests, of 32 characters or more"
})

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "rackwire-lease-"))
  const [first, second] = [join(directory, "first"), join(directory, "second")]
  receiver = await startReceiver()
  servers = await startServers(first)
  const maker = await startService(environmentOf(servers))
  await maker.make("extras/webhooks", {
    ...{ name: "hook", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
  })
  await maker.stop()
  await servers.stop()
  execFileSync("cp", ["-a", first, second])
  servers = await startServers(first)
  copies = await startServers(second)
  original = await startService(environmentOf(servers), { pace: 0.3 })
  port = (await freePorts(1))[0]!
  copied = startService({ ...environmentOf(copies), PORT: `${port}` }, { pace: 0.3 })
  // The test awaits it later.
  copied.catch(() => {})
})

afterAll(async () => {
  await (await copied).stop()
  await copies.stop()
  await servers.stop()
  await receiver.close()
  rmSync(directory, { recursive: true, force: true })
})

const names = () =>
  receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { name: string } }).data.name)

it("the copy sends no command to Redis while the original runs, and says why", async () => {
  const health = await eventually("it says why it is not ready", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    const text = (await answer?.text()) ?? ""
    return /its keys are leased/.test(text) && { status: answer!.status, text }
  })
  expect(health.status).toBe(503)
  const sql = openSql(copies.databaseUrl)
  await sql.query("insert into extras_tag (name, slug) values ('of the copy', 'of-the-copy')")
  await sql.close()
  const expected = Array.from({ length: changes }, (_, n) => `of the original ${n}`)
  for (const name of expected) await original.make("extras/tags", named(name))
  await receiver.untilAll((all) => all.length >= changes)
  expect(names().toSorted()).toEqual(expected.toSorted())
  expect(original.output()).not.toMatch(/ERROR/)
  // Its events get ids that the original has not used.
  expect((await runCommand(["restored"], { env: environmentOf(copies) })).code).toBe(0)
  await original.stop()
  expect((await copied).output()).toContain("the keys in Redis were leased to a service whose Postgres was")
  await receiver.until(({ body }) => body.includes('"of the copy"'))
  expect(
    names()
      .filter((name) => name !== "of the copy")
      .toSorted()
  ).toEqual(expected.toSorted())
})
