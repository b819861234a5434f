/** A Redis that does not suit: the start and `check` say why. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type RedisProcess, startRedisProcess } from "../support/RedisProcess.ts"
import { startService } from "../support/Service.ts"

let database: TestDatabase
let server: RedisProcess

beforeAll(async () => {
  database = await makeDatabase()
  server = await startRedisProcess({ appendonly: "yes", appendfsync: "always" })
})

afterAll(async () => {
  await server.stop()
  await database.drop()
})

const at = (credentials: string, rest = "") => ({
  ...environmentOf(database),
  REDIS_URL: `redis://${credentials}127.0.0.1:${server.port}${rest}`
})

const check = async (env: Readonly<Record<string, string>>) => {
  const { code, output } = await runCommand(["check"], { env })
  return { code, changes: output.split("\n").filter((line) => /CHANGE Redis/.test(line)) }
}

it("a database that Redis lacks stops the start, and `check` names it", async () => {
  const words = "Redis has no database 99 for us: ERR DB index is out of range"
  await expect(startService(at("", "/99"))).rejects.toThrow(`REDIS_URL: ${words}`)
  expect(await check(at("", "/99"))).toEqual({
    code: 1,
    changes: [expect.stringContaining(`CHANGE Redis: does not answer: ${words}`)]
  })
  expect(await server.client.keys("*")).toEqual([])
})

it("`check` names a user who may not use channels", async () => {
  await server.client.acl("SETUSER", "quiet", "on", ">secret", "~*", "+@all", "resetchannels")
  expect(await check(at("quiet:secret@"))).toEqual({
    code: 1,
    changes: [expect.stringMatching(/CHANGE Redis channels: no message arrives: NOPERM/)]
  })
  await server.client.acl("SETUSER", "quiet", "resetchannels", "&rackwire:*")
  expect(await check(at("quiet:secret@"))).toEqual({ code: 0, changes: [] })
})

it("`check` says that Redis has as many clients as it takes", async () => {
  const before = (await server.client.config("GET", "maxclients")) as ReadonlyArray<string>
  await server.client.config("SET", "maxclients", "1")
  try {
    expect(await check(at(""))).toEqual({ code: 1, changes: [expect.stringContaining("(maxclients)")] })
  } finally {
    await server.client.config("SET", "maxclients", before[1]!)
  }
})
