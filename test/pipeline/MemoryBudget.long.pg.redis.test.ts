/**
 * A Redis whose memory is nearly used up: capture pauses and reports it, everything else continues, nothing is lost.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-memory-"))
const limit = 50 << 20

let database: TestDatabase
let server: ChildProcess
let redis: Redis
let receiver: Receiver
let service: Service

beforeAll(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
  const [port] = await freePorts(1)
  const binary = await Effect.runPromise(find(process.env))
  const args = [
    ...["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", folder, "--maxmemory", `${limit}`],
    ...["--appendonly", "yes", "--appendfsync", "always"]
  ]
  server = spawn(binary.command, args, { env: { ...process.env, ...binary.env }, stdio: "ignore" })
  redis = new Redis(port!, "127.0.0.1", { protocol: 2, maxRetriesPerRequest: null })
  redis.on("error", () => {})
  await redis.ping()
  service = await startService({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    RACKWIRE_SLOT: database.slot,
    SECRET_KEY: "a key for tests, of sufficient length"
  })
})

afterAll(async () => {
  await service.stop()
  redis.disconnect()
  server.kill("SIGKILL")
  await receiver.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const health = async () => {
  const { status } = await fetch(`${service.url}/health/ready`)
  const overall = (await (await fetch(`${service.url}/health/`)).json()) as { status: string; alarms?: unknown }
  return { ready: status, status: overall.status, alarms: overall.alarms ?? [] }
}

it("a nearly full Redis pauses capture until enough memory is free", async () => {
  const made = await service.call("POST", "/api/extras/webhooks/", {
    name: "hook",
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: receiver.url
  })
  expect(made.status).toBe(201)
  await service.call("POST", "/api/extras/tags/", named("first"))
  await receiver.until(() => true, "the first event")
  const fillers = Array.from({ length: 80 }, (_, n) => `filler ${n}`)
  // A little less than the size that Redis would round up.
  for (const filler of fillers) await redis.set(filler, "x".repeat(limit / 100 - 1000))

  const used = async () =>
    Number(/^rackwire_redis_memory_bytes (\d+)$/m.exec((await service.call("GET", "/metrics")).text)?.[1])
  await expect.poll(used).toBeGreaterThan(0.8 * limit)

  expect((await service.call("POST", "/api/extras/tags/", named("second"))).status).toBe(201)
  await expect.poll(health).toEqual({
    ready: 200,
    status: "alarm",
    alarms: [
      expect.stringMatching(/capture is paused Redis uses \d+ MB of 50 MB; deliveries are appended again below 70 %/)
    ]
  })
  expect((await service.call("GET", "/api/extras/tags/")).status).toBe(200)
  const metrics = await service.call("GET", "/metrics")
  expect(metrics.text).toContain("rackwire_capture_paused 1\n")
  expect(metrics.text).toMatch(new RegExp(`rackwire_redis_memory_limit_bytes ${limit}\n`))
  expect(receiver.received).toHaveLength(1)

  await redis.del(...fillers)
  await receiver.untilAll((all) => all.length === 2)
  await expect.poll(health).toEqual({ ready: 200, status: "healthy", alarms: [] })
})
