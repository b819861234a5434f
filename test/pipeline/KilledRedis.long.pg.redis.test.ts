/** A Redis without a file is killed 50 times while changes are committed: all arrive, and in order where the webhook has one. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { type RedisProcess, startRedisProcess } from "../support/RedisProcess.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const kills = 50

/** Most requests at once of each webhook: as many may be under way when Redis is killed. */
const inFlightMax = 10

/** Deliveries between two kills. */
const between = 40

let api: Api
let receiver: Receiver
let redis: RedisProcess

beforeAll(async () => {
  receiver = await startReceiver()
  redis = await startRedisProcess()
  api = await startApi({ REDIS_URL: redis.url }, { pace: 0.3 })
})

afterAll(async () => {
  await api.stop()
  await redis.stop()
  await receiver.close()
})

/** The numbers that arrived at a path, in their order. */
const arrivedAt = (path: string): ReadonlyArray<number> =>
  receiver.received
    .filter((each) => each.path === path)
    .map(({ body }) => Number((JSON.parse(body.toString()) as { data: { facility: string } }).data.facility))

/** Most changes that have not arrived: a kill would let the queues of all others be filled again. */
const aheadMax = 300

/** Commits changes until it has to end; returns how many sites it made, and how often it changed the first one. */
const write = async (isOver: () => boolean): Promise<number> => {
  let count = 0
  while (!isOver()) {
    if (2 * count > receiver.received.length + aheadMax) {
      await receiver.untilAll((all) => all.length + aheadMax / 2 > 2 * count)
    }
    count += 1
    await api.database.sql.query(`insert into dcim_site (name, slug, facility) values ($1, $1, $1)`, [`${count}`])
    await api.database.sql.query(`update dcim_site set facility = $1 where slug = 'changed'`, [`${count}`])
  }
  return count
}

it("all deliveries arrive", { timeout: 900_000 }, async () => {
  const webhook = { content_types: ["dcim.site"], max_in_flight: inFlightMax }
  await api.make("extras/webhooks", { ...webhook, name: "new", type_create: true, payload_url: `${receiver.url}/new` })
  await api.makeObject("dcim/sites", { name: "changed", slug: "changed", facility: "0" })
  await api.make("extras/webhooks", {
    ...{ ...webhook, name: "ordered", type_update: true, payload_url: `${receiver.url}/ordered` },
    ordering: "object"
  })
  await receiver.untilAll((all) => all.length === 1)
  let isOver = false
  const writing = write(() => isOver)
  for (let kill = 0; kill < kills; kill++) {
    const before = receiver.received.length
    await receiver.untilAll((all) => all.length >= before + between)
    await redis.restart()
  }
  isOver = true
  const count = await writing
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  const distinct = (path: string) => new Set(arrivedAt(path))
  await eventually("all arrived", () => distinct("/new").size > count && distinct("/ordered").size === count, {
    millis: 120_000
  })
  expect([...distinct("/new")].toSorted((a, b) => a - b)).toEqual([0, ...numbers])
  // The first arrivals of the changes of one object are in order.
  expect([...distinct("/ordered")]).toEqual(numbers)
  const repeated = receiver.received.length - 1 - 2 * count
  console.log(`${kills} kills, ${2 * count} deliveries: none lost, ${repeated} sent twice`)
  expect(repeated).toBeLessThanOrEqual(kills * (inFlightMax + 1))
})
