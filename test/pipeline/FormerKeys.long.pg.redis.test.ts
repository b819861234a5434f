/** The first start on keys of a version that did not name its installation. */
import { Redis } from "ioredis"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { formerOwnerKey, formerPrefix } from "../../src/queue/reconcile/FormerKeys.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { prefixOf } from "../support/Redis.ts"
import { type Service, startService } from "../support/Service.ts"

const tags = 6
const names = Array.from({ length: tags }, (_, n) => `tag ${n}`)

let database: TestDatabase
let receiver: Receiver
let redis: Redis
let isDown: boolean
const services: Array<Service> = []

const start = async (roles?: ReadonlyArray<"api" | "capture" | "deliver">): Promise<Service> => {
  const service = await startService(environmentOf(database), { roles, pace: 0.2 })
  services.push(service)
  return service
}

const stopAll = async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()))
}

interface Event {
  readonly data: { readonly name: string; readonly description: string }
}

/** Requests that were answered with success, by the webhook's path. */
const succeeded: Array<{ readonly path: string; readonly id: string; readonly what: string }> = []

const whatOf = (path: string) => succeeded.filter((each) => each.path === path).map(({ what }) => what)

/** Deliveries that wait: in a queue, for a retry, and behind another one of their object. */
const fill = async () => {
  const service = await start()
  for (const fields of [{ name: "later" }, { name: "ordered", ordering: "object" }, { name: "paused" }]) {
    const made = await service.call<{ readonly id: number }>("POST", "/api/extras/webhooks/", {
      ...{ content_types: ["extras.tag"], type_create: true, type_update: true },
      ...{ payload_url: `${receiver.url}/${fields.name}`, max_in_flight: 50 },
      ...{ ...fields, retry_schedule: { kind: "fixed", delay: 1, attempts: 100 } }
    })
    if (fields.name === "paused") await service.call("POST", `/api/extras/webhooks/${made.json.id}/pause/`)
  }
  for (const name of names) {
    const made = await service.call<{ readonly id: number }>("POST", "/api/extras/tags/", named(name))
    await service.call("PATCH", `/api/extras/tags/${made.json.id}/`, { description: "changed" })
  }
  const prefix = await prefixOf(database.sql)
  await eventually("some wait for a retry, behind another one, and in the queue", async () => {
    const [later, parked] = await Promise.all(
      [keysOf(1).later, keysOf(2).parked].map((key) => redis.zcard(prefix + key))
    )
    return later! > 0 && parked! > 0 && (await redis.xlen(prefix + keysOf(3).queue)) === 2 * tags
  })
  await stopAll()
}

/** Gives the keys their former names, as a version before left them. */
const makeFormer = async (owner: string) => {
  const prefix = await prefixOf(database.sql)
  for (const key of await redis.keys(`${prefix}*`)) await redis.rename(key, formerPrefix + key.slice(prefix.length))
  await redis.set(formerOwnerKey, owner)
  await database.sql.query("update rackwire_leader set redis_prefix = null")
}

const ownName = async () => {
  const [row] = await database.sql.query<{ readonly name: string }>(
    "select current_database() || ' (cluster ' || system_identifier || ')' as name from pg_control_system()"
  )
  return row!.name
}

const formerKeys = async () =>
  (await redis.keys(`${formerPrefix}{w*`)).toSorted().map((key) => key.slice(formerPrefix.length))

const resume = async (service: Service) => {
  const { json } = await service.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>(
    "GET",
    "/api/extras/webhooks/?name=paused"
  )
  await service.call("POST", `/api/extras/webhooks/${json.results[0]!.id}/resume/`)
}

/** Each delivery succeeded once, and those of an object in order. */
const expectEachOnce = async () => {
  await eventually("all arrived", () => succeeded.length >= 3 * 2 * tags)
  const all = names.flatMap((name) => [`${name}: `, `${name}: changed`])
  for (const path of ["/later", "/ordered", "/paused"])
    expect([path, ...whatOf(path).toSorted()]).toEqual([path, ...all])
  for (const name of names) {
    expect(whatOf("/ordered").filter((what) => what.startsWith(`${name}:`))).toEqual([`${name}: `, `${name}: changed`])
  }
  expect(new Set(succeeded.map(({ id }) => id)).size).toBe(succeeded.length)
}

beforeEach(async () => {
  database = await makeDatabase()
  redis = new Redis(database.redisUrl, { protocol: 2 })
  isDown = true
  succeeded.length = 0
  receiver = await startReceiver(({ path, headers, body }) => {
    if (isDown) return 503
    const { data } = JSON.parse(body.toString()) as Event
    succeeded.push({ path, id: String(headers["x-hook-delivery"]), what: `${data.name}: ${data.description}` })
    return 200
  })
  await fill()
})

afterEach(async () => {
  await stopAll()
  await redis.quit()
  await receiver.close()
  await database.drop()
})

describe("keys of a version before", () => {
  it("are moved by the leader: nothing is lost, sent twice or filled again", async () => {
    await makeFormer(await ownName())
    expect((await formerKeys()).length).toBeGreaterThan(5)
    isDown = false
    const service = await start()
    await eventually("they are moved", () => service.output().includes("keys in Redis begin with"))
    await resume(service)
    await expectEachOnce()
    expect(service.output()).not.toContain("Redis lost entries")
    await stopAll()
    // A process that worked under the former names may have made some anew: the next start removes these.
    await start()
    await eventually("none is left", async () => (await formerKeys()).length === 0)
  })

  it("are worked on under their names by processes that start before the leader", async () => {
    await makeFormer(await ownName())
    isDown = false
    const deliver = await start(["api", "deliver"])
    await eventually("delayed ones succeed", () => whatOf("/later").length === 2 * tags)
    expect((await formerKeys()).length).toBeGreaterThan(0)
    await start(["api", "capture"])
    await resume(deliver)
    await expectEachOnce()
    await deliver.call("POST", "/api/extras/tags/", named("another"))
    await eventually("new ones arrive", () => whatOf("/later").includes("another: "))
  })

  it("of another database are left alone, and its own deliveries are queued again from the logs", async () => {
    await makeFormer("another (cluster 7)")
    const before = await formerKeys()
    isDown = false
    const service = await start()
    await resume(service)
    await expectEachOnce()
    expect(await formerKeys()).toEqual(before)
    expect(service.output()).toContain("Redis has keys of the database another (cluster 7)")
  })
})
