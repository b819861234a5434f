/** Deliveries beside a Redis that keeps nothing: nothing is confirmed, and what is asked for by hand stays asked for. */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"
import { eventually } from "../support/Eventually.ts"

let database: TestDatabase
let redis: ChildProcess
let service: Service

beforeAll(async () => {
  database = await makeDatabase()
  const port = (await freePorts(1))[0]!
  const binary = await Effect.runPromise(find(process.env))
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  redis = spawn(binary.command, args, { env: { ...process.env, ...binary.env }, stdio: "ignore" })
  const client = new Redis(port, "127.0.0.1", { protocol: 2, maxRetriesPerRequest: null })
  client.on("error", () => {})
  await client.ping()
  client.disconnect()
  service = await startService({
    ...{
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${port}`,
      SECRET_KEY: "a key for tests, of sufficient length"
    },
    ...{ RACKWIRE_SLOT: database.slot, LOG_LEVEL: "Warn" }
  })
}, 60_000)

afterAll(async () => {
  await service.stop()
  redis.kill("SIGKILL")
  await database.drop()
})

interface Delivery {
  readonly id: number
  readonly attempts: number
  readonly status: { readonly value: string }
}

/** The newest delivery, once it has had this many attempts. */
const delivery = (attempts: number): Promise<Delivery> =>
  eventually(
    `${attempts} attempts`,
    async () => {
      const { json } = await service.call<{ results: ReadonlyArray<Delivery> }>("GET", "/api/extras/deliveries/")
      return json.results[0]?.attempts === attempts && json.results[0]
    },
    { millis: 30_000 }
  )

describe("a retry by hand", () => {
  it("is made although Redis may lose it, and does not block webhook updates", { timeout: 60_000 }, async () => {
    await service.call("POST", "/api/extras/webhooks/", {
      ...{ name: "refused", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:1/" },
      retry_schedule: { kind: "list", delays: [] }
    })
    await service.call("POST", "/api/dcim/sites/", { name: "One", slug: "one" })
    const { id } = await delivery(1)
    await service.call("POST", `/api/extras/deliveries/${id}/retry/`)
    expect((await delivery(2)).status.value).toBe("failed")
    expect(service.output()).toContain("Redis would lose deliveries in a crash")
    expect(service.output()).not.toContain("failed to follow the webhooks")
  })
})
