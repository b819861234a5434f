/** `rackwire serve` where it cannot. Processes, because their ends are observed. */
import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { startProcess } from "../support/Process.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})

afterAll(() => database.drop())

describe("serve", () => {
  it("names the address that it cannot listen on, and exits", { timeout: 60_000 }, async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as { readonly port: number }
    const started = startProcess(
      {
        ...{ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl, SECRET_KEY: "x" },
        ...{ RACKWIRE_SLOT: database.slot, PORT: `${port}` }
      },
      { roles: ["api"] }
    )
    await expect(started).rejects.toThrow(`rackwire: Port ${port} of 127.0.0.1 is in use, perhaps by another Rackwire.`)
    taken.close()
  })

  it("logs that it is stopping", { timeout: 60_000 }, async () => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, slot: RACKWIRE_SLOT } = database
    const service = await startProcess({ DATABASE_URL, REDIS_URL, RACKWIRE_SLOT, SECRET_KEY: "x", PORT: "0" })
    await service.stop("SIGTERM")
    expect(service.output()).toMatch(/level=INFO .*message=stopping\n/)
  })
})
