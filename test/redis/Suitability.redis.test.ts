/** Whether a real Redis is suitable for the queues. */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Redis } from "ioredis"
import { redisFacts, tried } from "../../src/redis/Suitability.ts"
import { testPrefix } from "../support/Redis.ts"
import { type RedisProcess, startRedisProcess } from "../support/RedisProcess.ts"

let redis: RedisProcess

beforeAll(async () => {
  redis = await startRedisProcess()
})

afterAll(() => redis.stop())

/** The facts as a user with these rights learns them. */
const factsOf = async (...rights: ReadonlyArray<string>) => {
  await redis.client.call("ACL", "SETUSER", "limited", "reset", "on", ">secret", ...rights)
  const client = new Redis(redis.url, {
    ...{ username: "limited", password: "secret", protocol: 2, enableReadyCheck: false },
    keyPrefix: testPrefix
  })
  client.on("error", () => {})
  try {
    return await Effect.runPromise(redisFacts(client))
  } finally {
    client.disconnect()
  }
}

describe("the facts of a Redis", () => {
  it("name the commands that the user may not run", async () => {
    const { refused } = await factsOf("~*", "&*", "+@all", "-xautoclaim", "-zadd")
    expect(refused).toEqual(["ZADD", "XAUTOCLAIM"])
  })

  it("name nothing where the user has the rights of the document, and no right to CONFIG", async () => {
    const facts = await factsOf("~rackwire:*", "resetchannels", "&rackwire:*", "+@all", "-@dangerous", "+info")
    expect(facts).toMatchObject({ refused: [], eviction: "noeviction" })
  })

  it("name commands where the keys are refused", async () => {
    const { refused } = await factsOf("~other:*", "&*", "+@all")
    expect(refused).toContain("XADD")
  })
})

const scriptsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .map((file) => readFileSync(join(folder, file), "utf8"))

it("every command of a script is tried", () => {
  const used = scriptsIn("src/queue/scripts").flatMap((text) =>
    Array.from(text.matchAll(/redis\.p?call\('(\w+)'/g), ([, name]) => name)
  )
  expect([...new Set(used)].filter((name) => !tried.some(([each]) => each === name))).toEqual([])
})
