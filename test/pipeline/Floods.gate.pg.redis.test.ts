/** A flood of one user delays nobody else, keeps its order, and fires for webhooks as they were at its changes. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { Flooding, expectAll, flood } from "./Flooding.ts"

let api: Api
let floods: Flooding

beforeAll(async () => {
  api = await startApi({}, { pace: 0.3 })
  floods = await Flooding.on(api)
})

afterAll(async () => {
  await floods.redis.quit()
  await api.stop()
})

const create = (names: ReadonlyArray<string>) => api.makeAll("dcim/sites", names.map(named))

it("a change of somebody else is queued before a flood, and the user's own next changes behind it", async () => {
  const release = await floods.delay()
  await create(flood("a"))
  await create(["One a"])
  await create(["Many a last"])
  await create(["One b"])
  await floods.isOwed(floods.one, "One b")
  expect(await Promise.all(floods.many.map((id) => floods.namesOf(id)))).toEqual(floods.many.map(() => []))
  await release()
  await expectAll(floods, [...flood("a"), "Many a last"])
  await floods.caughtUp()
  await create(["Many b"])
  await expectAll(floods, [...flood("a"), "Many a last", "Many b"])
  expect(await floods.namesOf(floods.one)).toEqual(["One a", "One b"])
})

it("a few changes are no flood, and are queued with their batch", async () => {
  const release = await floods.delay()
  const names = ["Many little 1", "Many little 2"]
  await create(names)
  for (const id of floods.many) {
    await floods.isOwed(id, names[1]!)
    expect((await floods.namesOf(id)).slice(-2)).toEqual(names)
  }
  await release()
})

it("a webhook that is changed behind a flood fires for its events as it was before", async () => {
  const [changed, ...others] = floods.many
  const before = await floods.namesOf(changed!)
  const release = await floods.delay()
  await create(flood("e"))
  const change = { conditions: { attr: "name", value: "Many f 1" } }
  expect((await api.call("PATCH", `/api/extras/webhooks/${changed}/`, change)).status).toBe(200)
  await create(flood("f"))
  await release()
  for (const id of others) await floods.isOwed(id, flood("f").at(-1)!)
  await floods.isOwed(changed!, "Many f 1")
  await floods.caughtUp()
  expect(await floods.namesOf(changed!)).toEqual([...before, ...flood("e"), "Many f 1"])
  expect(await floods.namesOf(others[0]!)).toEqual([...before, ...flood("e"), ...flood("f")])
})
