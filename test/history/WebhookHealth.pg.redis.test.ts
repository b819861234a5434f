/** The health of webhooks in the API, through the whole service: it counts what the log has. */
import { describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

interface Health {
  readonly webhook: number
  readonly state: string
  readonly needs_look: boolean
  readonly attempts: number
  readonly hours: ReadonlyArray<Json>
  readonly spans: ReadonlyArray<Json>
}

const healthOf = (id: number, path = `${id}/health/`) =>
  hooks.api.call<Health>("GET", `/api/extras/webhooks/${path}`).then(({ json }) => json)

/** The health once the webhook needs a look, or once an attempt of it was counted. */
const healthy = (id: number, needsLook: boolean): Promise<Health> =>
  eventually(`webhook ${id} is healthy, and needs a look: ${needsLook}`, async () => {
    const health = await healthOf(id)
    return health.state === "healthy" && health.attempts > 0 && health.needs_look === needsLook && health
  })

const tags = (name: string, count: number) =>
  hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}` }))
  )

describe("the health of a webhook", () => {
  it("counts attempts, deliveries and times, by the hour and by ten minutes", async () => {
    const id = await hooks.webhook("well")
    expect(await healthOf(id)).toMatchObject({ state: "healthy", attempts: 0, last_answer: null, hours: [], spans: [] })
    await tags("well", 12)
    await hooks.deliveries(id, "successful", 12)
    const health = await healthy(id, false)
    expect(health).toMatchObject({
      ...{ webhook: id, attempts: 12, delivered: 12, delivered_at_once: 12, failed: 0, last_answer: "200" },
      ...{ p50_ms: expect.any(Number) as number, commit_to_receipt_p95_ms: expect.any(Number) as number }
    })
    expect(health.hours).toHaveLength(24)
    expect(health.spans).toHaveLength(144)
    const sum = (spans: ReadonlyArray<Json>) => spans.reduce((all, { attempts }) => all + Number(attempts), 0)
    expect([sum(health.hours), sum(health.spans)]).toEqual([12, 12])
  })

  it("tells attempts that were not taken from deliveries that failed for good", async () => {
    hooks.answers.set("/ailing", 500)
    const id = await hooks.webhook("ailing", { retry_schedule: { kind: "list", delays: [0.1] } })
    await tags("ailing", 3)
    await hooks.deliveries(id, "failed", 3)
    const health = await healthy(id, true)
    expect(health).toMatchObject({ attempts: 6, delivered: 0, failed: 3, last_answer: "500" })
  })

  it("has a filter of the list: those to which nothing was sent for a week", async () => {
    hooks.answers.set("/limping", 500)
    const [limping, calm] = [await hooks.webhook("limping"), await hooks.webhook("calm")]
    await tags("limping", 1)
    await healthy(limping, true)
    const idsOf = async (query: string) => {
      const path = `/api/extras/webhooks/?id=${limping}&id=${calm}&${query}`
      return (await hooks.api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", path)).json.results.map(
        ({ id }) => id
      )
    }
    expect([await idsOf("silent=true"), await idsOf("silent=false")]).toEqual([[calm], [limping]])
  })

  it("is listed for all that the reader may view, by the filters of webhooks", async () => {
    const well = await hooks.webhook("idle")
    const paused = await hooks.webhook("resting", { paused: true })
    const disabled = await hooks.webhook("off", { enabled: false })
    const list = (query: string) =>
      hooks.api.call<{ count: number; results: ReadonlyArray<Health> }>("GET", `/api/extras/webhooks/health/${query}`)
    const ids = (await list(`?id=${well}&id=${paused}&id=${disabled}`)).json.results
    expect(ids.map(({ webhook, state }) => [webhook, state])).toEqual([
      [well, "healthy"],
      [disabled, "stopped"],
      [paused, "healthy"]
    ])
    const idsOf = async (query: string) => (await list(query)).json.results.map(({ webhook }) => webhook)
    expect([await idsOf("?health=stopped"), await idsOf("?paused=true")]).toEqual([[disabled], [paused]])
    const refused = await list("?health=merry")
    expect([refused.status, Object.keys(refused.json)]).toEqual([400, ["health"]])
  })
})
