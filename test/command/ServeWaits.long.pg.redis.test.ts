/** `rackwire serve` before its Postgres answers: one that nobody has started, and one that is starting up. */
import { spawn } from "node:child_process"
import { type Server, type Socket, connect, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})

afterAll(() => database.drop())

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

const environmentAt = (port: number, more: Record<string, string> = {}) => ({
  DATABASE_URL: Object.assign(new URL(database.databaseUrl), { port: `${port}` }).href,
  ...{
    REDIS_URL: database.redisUrl,
    RACKWIRE_SLOT: database.slot,
    SECRET_KEY: "a key for tests, of sufficient length",
    ...more
  }
})

/** The error of a server that is starting up, as it answers the first message of a connection. */
const startingUp = (): Buffer => {
  const fields = "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)])
}

/** Listens at the port: first as a server that is starting up, then passes connections on to the real one. */
const listenAt = (port: number, isStarting: () => boolean): Promise<Server> => {
  const { hostname, port: real } = new URL(database.databaseUrl)
  const server = createServer((near: Socket) => {
    near.on("error", () => {})
    if (isStarting()) return void near.once("data", () => near.end(startingUp()))
    const far = connect(Number(real), hostname)
    far.on("error", () => near.destroy()).on("close", () => near.destroy())
    near.on("close", () => far.destroy())
    near.pipe(far).pipe(near)
  })
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)))
}

/** Starts the service. */
const launch = (environment: Record<string, string>) => {
  const began = performance.now()
  const env = { PATH: process.env["PATH"], PORT: "0", ...environment }
  const child = spawn(process.execPath, [program, "serve"], { env })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const end = new Promise<{ readonly code: number | null; readonly millis: number }>((resolve) =>
    child.once("exit", (code) => resolve({ code, millis: performance.now() - began }))
  )
  return { output: () => output, end, kill: () => child.kill("SIGKILL") }
}

describe("serve", () => {
  it("waits for a Postgres that is not there yet and then is starting up", async () => {
    const port = (await freePorts(1))[0]!
    let isStarting = true
    const service = launch(environmentAt(port))
    const waits = new RegExp(`waiting for Postgres at 127\\.0\\.0\\.1:${port}, for \\S+ at most: .*ECONNREFUSED`)
    await expect.poll(service.output).toMatch(waits)
    const server = await listenAt(port, () => isStarting)
    await expect.poll(service.output).toContain("the database system is starting up")
    isStarting = false
    await expect.poll(service.output).toContain(`Postgres at 127.0.0.1:${port} answers`)
    await expect.poll(service.output).toMatch(/^ready http/m)
    service.kill()
    await service.end
    server.close()
  })

  it("ends with an error when the time of DATABASE_WAIT is over", async () => {
    const port = (await freePorts(1))[0]!
    const service = launch(environmentAt(port, { DATABASE_WAIT: "3 seconds" }))
    const { code, millis } = await service.end
    const output = service.output()
    expect(output).toMatch(
      new RegExp(`^rackwire: Postgres at 127\\.0\\.0\\.1:${port} did not answer within 3s: .*ECONNREFUSED`, "m")
    )
    expect(code).toBe(1)
    expect(millis).toBeGreaterThan(3000)
  })

  it("ends at once when Postgres refuses the password", async () => {
    const environment = environmentAt(Number(new URL(database.databaseUrl).port))
    const DATABASE_URL = Object.assign(new URL(environment.DATABASE_URL), { password: "wrong" }).href
    const service = launch({ ...environment, DATABASE_URL })
    const { code } = await service.end
    const output = service.output()
    expect(output).toMatch(/^rackwire: password authentication failed/m)
    expect(output).not.toContain("waiting for Postgres")
    expect(code).toBe(1)
  })
})
