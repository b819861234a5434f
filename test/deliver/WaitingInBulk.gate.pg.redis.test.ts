/** Retry and discard by a filter: they reach deliveries that wait without an attempt too. */
import { describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "./Delivering.ts"

const hooks = startDelivering()

const path = "/api/extras/deliveries/"

const get = (query: string) =>
  hooks.api.call<Json & { count: number; results: ReadonlyArray<Json> }>("GET", path + query)
const post = (to: string, body: unknown = {}) => hooks.api.call<Json & { id: number }>("POST", to, body)

/** Most tags of one request. */
const madeAtOnce = 300

const waits = async (id: number) => (await get(`waiting/?webhook_id=${id}&limit=1`)).json.count

/** A paused webhook for which so many deliveries wait. */
const paused = async (name: string, count: number, fields: Json = {}) => {
  const id = await hooks.webhook(name, { paused: true, ...fields })
  for (let made = 0; made < count; made += madeAtOnce) {
    const length = Math.min(madeAtOnce, count - made)
    const tags = Array.from({ length }, (_, n) => ({ name: `${name} ${made + n}`, slug: `${name}-${made + n}` }))
    await hooks.api.call("POST", "/api/extras/tags/", tags)
  }
  await eventually(`${count} wait`, async () => (await waits(id)) === count)
  return id
}

const resume = (id: number) => post(`/api/extras/webhooks/${id}/resume/`, { keep: "all" })

interface Operation {
  readonly status: { readonly value: string }
  readonly total: number
  readonly done: number
  readonly report: Readonly<Record<string, number>> | null
}

const operation = async (id: number) => (await hooks.api.call<Operation>("GET", `/api/extras/operations/${id}/`)).json

const ended = (id: number) =>
  eventually(`operation ${id} has ended`, async () => {
    const json = await operation(id)
    return ["done", "failed"].includes(json.status.value) && json
  })

/** Waits for a delivery of another webhook: a further request would have come by then. */
const pass = async (name: string) => {
  await hooks.webhook(`${name}-after`)
  await hooks.tag(`${name}-after one`)
  await hooks.arrived(`${name}-after`, 1)
}

describe("a discard by a filter", () => {
  it.each([{}, { ordering: "object" }])("reaches deliveries without an attempt: %j", async (fields) => {
    const name = `gone${Object.keys(fields).length}`
    const id = await paused(name, 7, fields)
    const filter = { webhook_id: id }
    const counted = await post(`${path}discard/`, { filter, dry_run: true })
    expect(counted.json).toMatchObject({ total: 7, done: 0, status: { value: "done" } })
    expect(await waits(id)).toBe(7)
    const { json } = await post(`${path}discard/`, { filter })
    expect(await ended(json.id)).toMatchObject({ status: { value: "done" }, total: 7, done: 7, report: null })
    await eventually("nothing waits", async () => (await waits(id)) === 0)
    const dropped = await hooks.deliveries(id, "discarded", 7)
    expect(new Set(dropped.map(({ attempts, reason }) => `${attempts} ${reason}`))).toEqual(new Set(["0 Unwanted"]))
    expect((await get(`?operation_id=${json.id}`)).json.count).toBe(7)
    await resume(id)
    await pass(name)
    expect(hooks.at(name)).toHaveLength(0)
  })

  it("reaches them page by page, and none of another webhook", async () => {
    const [id, other] = [await paused("pages", 1100), await paused("kept", 3)]
    const { json } = await post(`${path}discard/`, { filter: { webhook_id: id, status: ["queued"] } })
    expect(await ended(json.id)).toMatchObject({ status: { value: "done" }, total: 1100, done: 1100 })
    await eventually("nothing waits", async () => (await waits(id)) === 0)
    expect(await waits(other)).toBe(3)
  })

  it("reaches those alone that meet the other filters", async () => {
    const id = await paused("some", 4, { conditions: null })
    const { results } = (await get(`waiting/?webhook_id=${id}`)).json
    const { object_id: one, delivery_id: gone } = results[2]!
    const filters: ReadonlyArray<readonly [filter: Json, count: number]> = [
      [{ webhook_id: id, event: "deleted" }, 0],
      [{ webhook_id: id, status: "failed" }, 0],
      [{ webhook_id: id, time__lt: "2020-01-01" }, 0],
      [{ webhook_id: id, object_type: "extras.tag", object_id: one }, 1]
    ]
    for (const [filter, count] of filters) {
      const { json } = await post(`${path}discard/`, { filter, dry_run: true })
      expect([filter, json["total"]]).toEqual([filter, count])
      expect(await ended((await post(`${path}discard/`, { filter })).json.id)).toMatchObject({ done: count })
    }
    expect(await hooks.deliveries(id, "discarded", 1)).toMatchObject([{ delivery_id: gone }])
    await eventually("three wait", async () => (await waits(id)) === 3)
  })
})

describe("a retry by a filter", () => {
  it("reports deliveries without an attempt as held, then as sent, each once", async () => {
    const id = await paused("told", 6)
    const { json } = await post(`${path}retry/`, { filter: { webhook_id: id } })
    const none = { sent: 0, accepted: 0, held: 0, waiting: 0, gone: 0, changed: 0 }
    expect(await ended(json.id)).toMatchObject({ total: 6, done: 6, report: { ...none, held: 6 } })
    expect(await waits(id)).toBe(6)
    // A second one finds them noted, and sends nothing twice either.
    const again = await post(`${path}retry/`, { filter: { webhook_id: id } })
    expect((await ended(again.json.id)).report).toEqual({ ...none, held: 6 })
    await resume(id)
    await hooks.deliveries(id, "successful", 6)
    await pass("told")
    expect(hooks.at("told")).toHaveLength(6)
    expect((await operation(again.json.id)).report).toEqual({ ...none, sent: 6, accepted: 6 })
  })
})

describe("a plan", () => {
  it("counts deliveries without an attempt, by webhook", async () => {
    const id = await paused("planned", 5)
    for (const action of ["retry", "discard"]) {
      expect((await get(`${action}/?webhook_id=${id}`)).json).toMatchObject({
        ...{ count: 5, unattempted: 5, count_is_minimum: false, oldest: expect.stringMatching(/^20/) },
        webhooks: [{ name: "planned", count: 5, paused: true }]
      })
    }
    expect((await get(`retry/?webhook_id=${id}&status=failed`)).json).toMatchObject({ count: 0, unattempted: 0 })
    const everything = (await get("discard/?all=true")).json
    expect(everything["unattempted"]).toBeGreaterThanOrEqual(5)
  })
})
