/** Deliveries that wait without an attempt: listed, paged, filtered, retried and discarded. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { thorough } from "../support/Seed.ts"

const hooks = startDelivering()

const path = "/api/extras/deliveries/waiting/"

interface Page {
  readonly count: number | null
  readonly next: string | null
  readonly results: ReadonlyArray<
    Json & { readonly delivery_id: string; readonly state: string; readonly object_id: number }
  >
}

const pageAt = async (query: string) => (await hooks.api.call<Page>("GET", `${path}?${query}`)).json

const post = (to: string, body: unknown = {}) => hooks.api.call<Json & { id: number }>("POST", to, body)

/** A paused webhook for which so many deliveries wait. */
const paused = async (name: string, count: number, fields: Json = {}) => {
  const id = await hooks.webhook(name, fields)
  await post(`/api/extras/webhooks/${id}/pause/`)
  // Until its actor has ended it may read entries. They count as being sent until it hands them back.
  await eventually("the pause is known", async () => {
    type Status = {
      readonly processes: ReadonlyArray<{ readonly parts: { readonly deliver: { readonly webhooks: number } } }>
    }
    const [process] = (await hooks.api.call<Status>("GET", "/api/status/")).json.processes
    const [row] = await hooks.api.database.sql.query<{ readonly count: number }>(
      "select count(*)::int as count from extras_webhook where enabled and not paused"
    )
    return process?.parts.deliver.webhooks === row!.count
  })
  const tags = Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}` }))
  await hooks.api.call("POST", "/api/extras/tags/", tags)
  await eventually(`${count} wait`, async () => (await pageAt(`webhook_id=${id}`)).count === count)
  return id
}

const ids = ({ results }: Page) => results.map(({ delivery_id: id }) => id)

describe("deliveries without an attempt", () => {
  it("are listed, page by page, and counted", async () => {
    const id = await paused("paged", 25)
    const first = await pageAt(`webhook_id=${id}&limit=10`)
    expect(first.results[0]).toMatchObject({
      ...{ state: "queued", delivery: null, event: "created", object_type: "extras.tag", attempts: 0 },
      ...{ webhook: { name: "paged" }, object: { name: "paged 0" } }
    })
    const found = [...ids(first)]
    for (let next = first.next; next !== null;) {
      const page = (await hooks.api.call<Page>("GET", new URL(next).pathname + new URL(next).search)).json
      found.push(...ids(page))
      next = page.next
    }
    expect(new Set(found).size).toBe(25)
    expect(found).toHaveLength(25)
    const one = first.results[3]!.object_id
    // Without a webhook those are looked through of which the sweeper knows a backlog.
    const ofObject = await eventually("it is found by its object", async () => {
      const page = await pageAt(`object_type=extras.tag&object_id=${one}`)
      return page.results.length > 0 && page
    })
    expect(ids(ofObject)).toEqual([first.results[3]!.delivery_id])
    expect(ofObject).toMatchObject({ count: null, next: null })
  })

  thorough(
    "are counted as the queue of the webhook, its health and the pipeline count them, while others come",
    async () => {
      const id = await paused("agreed", 40)
      await hooks.webhook("busy")
      const load = Promise.all(Array.from({ length: 30 }, (_, n) => hooks.tag(`busy ${n}`)))
      await eventually("all agree", async () => {
        const queues = await hooks.api.call<{ results: ReadonlyArray<Json> }>(
          "GET",
          "/api/core/background-queues/?limit=1000"
        )
        const queue = queues.json.results.find(({ name }) => name === "agreed")
        const health = (await hooks.api.call<Json>("GET", `/api/extras/webhooks/${id}/health/`)).json
        return queue?.["jobs"] === 40 && health["waiting"] === 40
      })
      expect((await pageAt(`webhook_id=${id}&limit=100`)).results).toHaveLength(40)
      await load
      await hooks.arrived("busy", 30)
    }
  )

  it.each([{}, { ordering: "object" }])("are discarded one by one, and the others are sent: %j", async (fields) => {
    const name = `less${Object.keys(fields).length}`
    const id = await paused(name, 6, fields)
    const all = ids(await pageAt(`webhook_id=${id}`))
    const gone = all.slice(0, 2)
    const { json, status } = await post(`${path}discard/`, { delivery_ids: [...gone, `${id}-1-1`] })
    expect([status, json]).toEqual([202, { acted_on: gone, left: [`${id}-1-1`] }])
    await eventually("four wait", async () => (await pageAt(`webhook_id=${id}`)).count === 4)
    const dropped = await hooks.deliveries(id, "discarded", 2)
    expect(dropped.map(({ delivery_id, attempts }) => [delivery_id, attempts]).toSorted()).toEqual(
      gone.map((each) => [each, 0]).toSorted()
    )
    await post(`/api/extras/webhooks/${id}/resume/`, { keep: "all" })
    await hooks.deliveries(id, "successful", 4)
    expect(hooks.at(name).map(({ headers }) => headers["x-hook-delivery"])).toEqual(
      expect.arrayContaining(all.slice(2))
    )
    expect(hooks.at(name)).toHaveLength(4)
  })

  it("are retried: they are sent once, before the others", async () => {
    const id = await paused("sooner", 6)
    const all = ids(await pageAt(`webhook_id=${id}`))
    await post(`${path}retry/`, { delivery_ids: [all[4]!] })
    await eventually("it has a row", async () => (await hooks.deliveries(id, "retrying", 1)).length === 1)
    expect((await pageAt(`webhook_id=${id}`)).count).toBe(6)
    await post(`/api/extras/webhooks/${id}/resume/`, { keep: "all" })
    await hooks.deliveries(id, "successful", 6)
    expect(hooks.at("sooner").map(({ headers }) => headers["x-hook-delivery"])).toHaveLength(6)
    expect(hooks.at("sooner")[0]!.headers["x-hook-delivery"]).toBe(all[4])
  })

  it("are for those who may view every delivery, and change it", async () => {
    const some = await makeUser(hooks.api, "some", { types: ["extras.delivery", "extras.tag"], actions: ["view"] })
    expect((await some.call("GET", path)).status).toBe(403)
    expect((await some.call("POST", `${path}discard/`, { delivery_ids: [] })).status).toBe(403)
    expect((await hooks.api.call("GET", `${path}?webhook=x`)).status).toBe(400)
    expect((await hooks.api.call("GET", `${path}?webhook_id=x`)).status).toBe(400)
    expect((await post(`${path}discard/`, { delivery_ids: "x" })).status).toBe(400)
  })
})
