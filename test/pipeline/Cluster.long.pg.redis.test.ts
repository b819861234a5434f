/** The whole way of a change, from a request to its webhooks, over a real Redis cluster. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type RedisCluster, hasRedisCluster, startRedisCluster } from "../support/RedisCluster.ts"

describe.runIf(hasRedisCluster)("over a cluster", () => {
  let cluster: RedisCluster
  let database: TestDatabase
  let service: Service
  let receiver: Receiver
  const refused = new Set<string>()

  beforeAll(async () => {
    cluster = await startRedisCluster()
    database = await makeDatabase()
    // The first request of each delivery to the last webhook is refused.
    receiver = await startReceiver(({ path, headers }) => {
      const id = String(headers["x-hook-delivery"])
      if (path !== "/9" || refused.has(id)) return 200
      refused.add(id)
      return 503
    })
    service = await startService({
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: cluster.url,
      RACKWIRE_SLOT: database.slot,
      SECRET_KEY: "a key for tests, of sufficient length"
    })
  })

  afterAll(async () => {
    await service.stop()
    await database.drop()
    await receiver.close()
    await cluster.stop()
  })

  it("every webhook gets its deliveries, retries included", async () => {
    for (let n = 0; n < 10; n++) {
      const made = await service.call("POST", "/api/extras/webhooks/", {
        name: `hook ${n}`,
        content_types: ["extras.tag"],
        type_create: true,
        payload_url: `${receiver.url}/${n}`,
        retry_schedule: { kind: "fixed", delay: 0.2, attempts: 5 },
        ...(n === 8 && { ordering: "object", rate_limit: 50 })
      })
      expect(made.status).toBe(201)
    }
    for (let n = 0; n < 5; n++) await service.call("POST", "/api/extras/tags/", named(`tag ${n}`))
    await receiver.untilAll((received) => received.length >= 55)
    const paths = receiver.received.map(({ path }) => path)
    expect(Array.from({ length: 10 }, (_, n) => paths.filter((path) => path === `/${n}`).length)).toEqual([
      ...Array.from({ length: 9 }, () => 5),
      10
    ])
  })
})
