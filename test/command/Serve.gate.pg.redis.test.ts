/** `rackwire serve` where it cannot. Processes, because their ends are observed. */
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { environmentOf } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { program, startProcess } from "../support/Process.ts"
import { thorough } from "../support/Seed.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})

afterAll(() => database.drop())

describe("serve", () => {
  thorough("names the address that it cannot listen on, and exits", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as { readonly port: number }
    const started = startProcess(
      {
        ...{
          DATABASE_URL: database.databaseUrl,
          REDIS_URL: database.redisUrl,
          SECRET_KEY: "a key for tests, of sufficient length"
        },
        ...{ RACKWIRE_SLOT: database.slot, PORT: `${port}` }
      },
      { roles: ["api"] }
    )
    await expect(started).rejects.toThrow(`rackwire: Port ${port} of 127.0.0.1 is in use, perhaps by another Rackwire.`)
    taken.close()
  })

  it("logs that it is stopping", async () => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, slot: RACKWIRE_SLOT } = database
    const service = await startProcess({
      DATABASE_URL,
      REDIS_URL,
      RACKWIRE_SLOT,
      SECRET_KEY: "a key for tests, of sufficient length",
      PORT: "0"
    })
    await service.stop("SIGTERM")
    expect(service.output()).toMatch(/level=INFO .*message=stopping\n/)
    expect(service.process.exitCode).toBe(0)
  })

  thorough("continues when the disk behind its output is full", async () => {
    const [port] = await freePorts(1)
    const full = openSync("/dev/full", "w")
    const env = { PATH: process.env["PATH"], ...environmentOf(database), PORT: `${port}` }
    const child = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", full, "pipe"] })
    closeSync(full)
    let errors = ""
    child.stderr!.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    try {
      await eventually("it is ready", async () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${errors}`)
        return (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.status === 200
      })
      expect(errors).toMatch(/^rackwire: output cannot be written, continuing without it: ENOSPC.*\n$/)
    } finally {
      const exited = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      await exited
    }
  })

  thorough("prints the address of IPv6 in brackets", async () => {
    const service = await startProcess({ ...environmentOf(database), HOST: "::1", PORT: "0" })
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    await service.stop("SIGTERM")
  })
})
