/** Several installations on one database of a Redis: each has its own keys and channels. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, emptyRedis, makeDatabase } from "../support/Database.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { prefixOf } from "../support/Redis.ts"
import { type RedisCluster, hasRedisCluster, startRedisCluster } from "../support/RedisCluster.ts"
import { type Service, startService } from "../support/Service.ts"

/** Changes that each installation makes, in turn with the other one. */
const changes = 50

const expectBothWhole = async (redisUrl: string): Promise<void> => {
  const databases: ReadonlyArray<TestDatabase> = [await makeDatabase(), await makeDatabase()]
  const receivers: Array<Receiver> = []
  const services: Array<Service> = []
  try {
    for (const [at, database] of databases.entries()) {
      const receiver = await startReceiver()
      receivers.push(receiver)
      const service = await startService({ ...environmentOf(database), REDIS_URL: redisUrl })
      services.push(service)
      // The ids of the webhooks, and so their keys, would be the same.
      const made = await service.call("POST", "/api/extras/webhooks/", {
        ...{ name: `hook ${at}`, content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
      })
      expect(made.status).toBe(201)
    }
    for (let n = 0; n < changes; n++) {
      for (const [at, service] of services.entries()) {
        await service.make("extras/tags", named(`of ${at} ${n}`))
      }
    }
    for (const [at, receiver] of receivers.entries()) {
      await receiver.untilAll((all) => all.length >= changes)
      const names = receiver.received.map(({ body }) => (JSON.parse(body.toString()) as Event).data.name)
      expect(names.toSorted()).toEqual(Array.from({ length: changes }, (_, n) => `of ${at} ${n}`).toSorted())
    }
    for (const [at, database] of databases.entries()) {
      const { code, output } = await runCommand(["check"], {
        env: { ...environmentOf(database), REDIS_URL: redisUrl }
      })
      expect([code, output]).toEqual([0, expect.stringContaining(`begin with ${await prefixOf(database.sql)}\n`)])
      expect(services[at]!.output()).not.toMatch(/WARN|ERROR/)
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all(receivers.map((receiver) => receiver.close()))
    for (const database of databases) await database.drop()
  }
}

interface Event {
  readonly data: { readonly name: string }
}

it("two installations on one Redis lose nothing to each other", async () => {
  await expectBothWhole(await emptyRedis())
})

describe.runIf(hasRedisCluster)("in a cluster", () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  })
  afterAll(() => cluster.stop())

  it("two installations lose nothing to each other", async () => {
    await expectBothWhole(cluster.url)
  })
})
