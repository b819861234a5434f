/** `rackwire check` against servers that cannot keep the promises. */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { find } from "../../src/embedded/RedisBinary.ts"
import { type TestDatabase, makeDatabase, servers } from "../support/Database.ts"
import { openSql } from "../support/Sql.ts"
import { environmentOf } from "../support/Api.ts"
import { startService } from "../support/Service.ts"
import { runCommand } from "../support/Command.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
  const server = openSql(servers.superuserUrl)
  await server.query("create role guest login password 'guest'")
  await server.close()
})

afterAll(async () => {
  const server = openSql(servers.superuserUrl)
  await server.query("drop role guest")
  await server.close()
  await database.drop()
})

/** Runs the command on these servers. */
const check = (environment: Record<string, string>) =>
  runCommand(["check"], {
    env: { SECRET_KEY: "a key for tests, of sufficient length", RACKWIRE_SLOT: database.slot, ...environment }
  })

describe("check", () => {
  it("passes for servers that keep the promises", async () => {
    const { code, output } = await check({ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl })
    expect(output).toContain("All 11 checks are well.")
    expect(code).toBe(0)
  })

  it("says that all sending is paused, and by whom", async () => {
    await database.sql.query("insert into rackwire_sending (by_user) values ('a.ortiz')")
    const { code, output } = await check({ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl })
    await database.sql.query("delete from rackwire_sending")
    expect([code, output]).toEqual([1, expect.stringMatching(/CHANGE sending: paused since .* by a\.ortiz/)])
  })

  it("names the webhooks that are failing, and passes", async () => {
    await database.sql.query(
      "insert into extras_webhook (name, content_types, payload_url) values ('ailing', '{}', '')"
    )
    await database.sql.query("update extras_webhook set health = 'failing'")
    const { code, output } = await check({ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl })
    await database.sql.query("delete from extras_webhook")
    expect([code, output]).toEqual([0, expect.stringMatching(/^fails webhook ailing \(\d+\): \S/m)])
  })

  it("names the webhooks whose condition reads what no event has, and passes", async () => {
    await database.sql.query(
      `insert into extras_webhook (name, content_types, payload_url, conditions)
       values ('mistyped', '{dcim.site}', '', '{"attr": "statsu.value", "value": "active"}')`
    )
    const { code, output } = await check({ DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl })
    await database.sql.query("delete from extras_webhook")
    const line = /^warns webhook mistyped \(\d+\), condition: events of dcim.site have no statsu.value/m
    expect([code, output]).toEqual([0, expect.stringMatching(line)])
  })

  it("passes as soon as a service says that it is ready", async () => {
    const service = await startService(environmentOf(database))
    try {
      const { code, output } = await check(environmentOf(database))
      expect([code, output]).toEqual([0, expect.stringContaining("checks are well.")])
    } finally {
      await service.stop()
    }
  })

  it("says that no process runs, once the service has run, or none with a role that it needs", async () => {
    const idle = await check(environmentOf(database))
    expect([idle.code, idle.output]).toEqual([
      1,
      expect.stringMatching(/CHANGE running processes: none with the role capture or deliver\n +-> rackwire serve/)
    ])
    const service = await startService(environmentOf(database), { roles: ["api", "capture"] })
    try {
      const { code, output } = await check(environmentOf(database))
      expect([code, output]).toEqual([1, expect.stringContaining("none with the role deliver\n")])
    } finally {
      await service.stop()
    }
  })

  it("names options of running processes that differ from its own, without secrets", async () => {
    const running = { ...environmentOf(database), WEBHOOK_TIMEOUT: "7 seconds", SUPERUSER_PASSWORD: "planted horse" }
    const service = await startService(running)
    try {
      const { output } = await check({ ...environmentOf(database), LOG_LEVEL: "Warn", WEBHOOK_TIMOUT: "8 seconds" })
      const line = output.split("\n").find((each) => each.includes("has other options"))
      expect(line).toContain("WEBHOOK_TIMEOUT=7s, here (default)")
      expect(line).toContain("LOG_LEVEL=(default), here Warn")
      expect(line).toContain("SUPERUSER_PASSWORD=(set), here (default)")
      expect(line).not.toContain("DATABASE_URL")
      expect(output).not.toContain("planted horse")
      expect(output).toContain("warns WEBHOOK_TIMOUT is not an option and is not read: is it WEBHOOK_TIMEOUT?\n")
    } finally {
      await service.stop()
    }
  })

  it("adds the connections that each running process may open, by its own options", async () => {
    const service = await startService({ ...environmentOf(database), DATABASE_CONNECTIONS: "12" })
    try {
      const { output } = await check({ ...environmentOf(database), DATABASE_CONNECTIONS: "50" })
      expect(output).toMatch(/ok +connections: the processes may open 12 of \d+/)
    } finally {
      await service.stop()
    }
  })

  it("prints the statements that grant a role its missing rights, and no secret", async () => {
    const url = new URL(database.databaseUrl)
    Object.assign(url, { username: "guest", password: "guest" })
    const { code, output } = await check({ DATABASE_URL: url.href, REDIS_URL: database.redisUrl })
    expect(output).toContain(`alter role "guest" replication;`)
    expect(output).toContain(`grant create on schema public to "guest";`)
    expect(output).toContain("2 of 11 checks require a change.")
    expect(output).not.toContain("guest:guest")
    expect(code).toBe(1)
  })

  it("prints the setting with which Redis evicts no deliveries, and demands no file of it", async () => {
    const port = (await freePorts(1))[0]!
    const binary = await Effect.runPromise(find(process.env))
    const args = ["--port", `${port}`, "--save", "", "--maxmemory-policy", "allkeys-lru"]
    const server = spawn(binary.command, args, { env: { ...process.env, ...binary.env }, stdio: "ignore" })
    const client = new Redis(port, "127.0.0.1", { protocol: 2, maxRetriesPerRequest: null })
    client.on("error", () => {})
    try {
      await client.ping()
      const { code, output } = await check({
        DATABASE_URL: database.databaseUrl,
        REDIS_URL: `redis://127.0.0.1:${port}`
      })
      expect(output).toContain("config set maxmemory-policy noeviction")
      expect(output).not.toContain("appendonly")
      expect(code).toBe(1)
    } finally {
      client.disconnect()
      server.kill()
    }
  })

  it("lists the plugins, and says why one is refused", async () => {
    const servers = { DATABASE_URL: database.databaseUrl, REDIS_URL: database.redisUrl }
    expect((await check(servers)).output).toMatch(/ok +plugins: .*cloudevents, encoding, liquid, network, nunjucks/)
    const { code, output } = await check({ ...servers, RACKWIRE_PLUGINS: "/nowhere/plugin.ts" })
    expect(output).toContain("plugin /nowhere/plugin.ts: ")
    expect(code).toBe(1)
  })

  it("says which server does not answer", async () => {
    const port = (await freePorts(1))[0]!
    const { code, output } = await check({
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${port}`
    })
    expect(output).toMatch(/CHANGE Redis: does not answer: .*\n +-> Check REDIS_URL and that the server runs\./)
    expect(code).toBe(1)
  })
})
