/** Deliveries while Sentinels promote a replica: of a primary that died, and of one that says nothing any more. */
import { setTimeout as pause } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { hasRedisCluster } from "../support/RedisCluster.ts"
import { type Sentinels, startSentinels } from "../support/Sentinels.ts"
import { type Service, startService } from "../support/Service.ts"

/** Changes before the fault, and after the promotion. */
const changes = 40

let sentinels: Sentinels
let database: TestDatabase
let receiver: Receiver
let service: Service

describe.runIf(hasRedisCluster)("behind Sentinels", () => {
  beforeEach(async () => {
    sentinels = await startSentinels()
    database = await makeDatabase()
    receiver = await startReceiver()
    service = await startService({ ...environmentOf(database), REDIS_URL: sentinels.url() })
    const made = await service.call("POST", "/api/extras/webhooks/", {
      ...{ name: "hook", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    })
    if (made.status !== 201) throw new Error(made.text)
  })

  afterEach(async () => {
    await service.stop()
    await database.drop()
    await receiver.close()
    await sentinels.stop()
  })

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "a primary that gets %s is replaced: nothing is lost or sent twice",
    async (signal) => {
      const write = async (from: number) => {
        for (let n = from; n < from + changes; n++) await service.call("POST", "/api/extras/tags/", named(`tag ${n}`))
      }
      await write(0)
      const [first, second] = sentinels.servers
      first.process.kill(signal)
      const killed = performance.now()
      const writing = write(changes)
      await eventually("the replica is promoted", async () => (await sentinels.primaryPort()) === second.port, {
        millis: 60_000
      })
      await writing
      await receiver.untilAll((all) => all.length >= 2 * changes)
      console.log(`${signal}: all deliveries after ${Math.round(performance.now() - killed)} ms`)
      // The old primary returns, as a replica.
      first.process.kill("SIGCONT")
      await write(2 * changes)
      await receiver.untilAll((all) => all.length >= 3 * changes)
      await pause(2000)
      const ids = receiver.received.map(({ headers }) => headers["x-hook-delivery"])
      expect([ids.length, new Set(ids).size]).toEqual([3 * changes, 3 * changes])
    },
    240_000
  )
})
