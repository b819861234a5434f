/** Deliveries in the moment in which their webhook changes. */
import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { pack } from "../../src/queue/Entry.ts"
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "./Delivering.ts"
import { openRedis } from "../support/Redis.ts"

const hooks = startDelivering()

describe("a delivery", () => {
  it("follows a change of its webhook that its process has not been told of yet", async () => {
    const { sql } = hooks.api.database
    const id = await hooks.webhook("untold")
    await hooks.tag("untold 1")
    await hooks.arrived("untold", 1)
    // The process is told again a second after it has lost the connection.
    const ended = "from pg_stat_activity where datname = current_database() and query ilike 'listen %'"
    await sql.query(`select pg_terminate_backend(pid) ${ended}`)
    await eventually("nobody listens", async () => (await sql.query(`select 1 ${ended}`)).length === 0)
    const moved = { payload_url: `${hooks.receiver.url}/told` }
    expect((await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, moved)).status).toBe(200)
    await hooks.tag("untold 2")
    await hooks.deliveries(id, "successful", 2)
    expect([hooks.at("untold").length, hooks.at("told").length]).toEqual([1, 1])
  })

  it("that is read while its webhook is being disabled does not wait for the end of its lease", async () => {
    const { sql } = hooks.api.database
    const id = await hooks.webhook("stopped")
    await hooks.tag("stopped one")
    const { delivery_id: delivery } = await hooks.delivery(id, "successful")
    const redis = await openRedis(hooks.api.database)
    try {
      const { again } = keysOf(id)
      const time = new Date().toISOString()
      const event = { event: "created", objectType: "extras.tag", objectId: 1, requestId: randomUUID() } as const
      const attempted = { attempts: 0, spent: 0, firstAttempt: 0, body: "{}" }
      const owed = { id: `${delivery}-rtest`, webhook: id, position: "1", idx: 0, time }
      await redis.xadd(again, "*", "d", pack({ ...owed, ...event, ...attempted }))
      // The process reads it when it learns of the change, and gets it when it has stopped the webhook.
      await redis.call("CLIENT", "PAUSE", "2000", "ALL")
      const change = (set: string) => sql.query(`update extras_webhook set ${set} where id = $1::int`, [id])
      await change("description = 'changed'")
      await new Promise((resolve) => setTimeout(resolve, 500))
      await change("enabled = false")
      await redis.ping()
      await change("enabled = true")
      await redis.zadd(sweepKeys.marks, 0, `${id}`)
      await expect.poll(() => redis.xlen(again), { timeout: 11_000 }).toBe(0)
      expect(hooks.at("stopped")).toHaveLength(2)
    } finally {
      redis.disconnect()
    }
  })
})
