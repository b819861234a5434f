/** The plan of a retry or a discard of many deliveries, requested before it is done; and two such requests at once. */
import { describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { makeUser } from "../auth/Users.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { thorough } from "../support/Seed.ts"

const hooks = startDelivering()
const path = "/api/extras/deliveries/"

interface Plan {
  readonly filter: Json
  readonly count: number
  readonly webhooks: ReadonlyArray<Json>
  readonly left_out: ReadonlyArray<Json>
  readonly dry_run: (Json & { readonly looked_at: number; readonly examples: ReadonlyArray<Json> }) | null
}

const get = (query: string) => hooks.api.call<Plan>("GET", path + query)
const post = (to: string, body: unknown) => hooks.api.call<Json & { id: number }>("POST", to, body)

/** A webhook that has failed so many times. */
const failed = async (name: string, count: number, fields: Json = {}): Promise<number> => {
  hooks.answers.set(`/${name}`, 500)
  const id = await hooks.webhook(name, { retry_schedule: { kind: "list", delays: [] }, ...fields })
  for (let n = 0; n < count; n++) await hooks.tag(`${name} ${n}`)
  await hooks.deliveries(id, "failed", count)
  return id
}

const ended = (id: number) =>
  eventually(`operation ${id} has ended`, async () => {
    const { json } = await hooks.api.call<{ status: { value: string }; done: number }>(
      "GET",
      `/api/extras/operations/${id}/`
    )
    return json.status.value === "done" && json
  })

describe("a plan", () => {
  thorough("counts by webhook, warns, and leaves out what succeeded unless the filter names it", async () => {
    const ordered = await failed("ordered", 3, { ordering: "object", rate_limit: 2 })
    hooks.answers.delete("/ordered")
    await hooks.tag("ordered well")
    await hooks.deliveries(ordered, "successful", 1)
    const { json } = await get(`retry/?webhook_id=${ordered}`)
    expect(json).toMatchObject({ count: 3, left_out: [{ status: "successful", count: 1 }], dry_run: null })
    expect(json.filter).toEqual({ webhook_id: [`${ordered}`], status: ["queued", "retrying", "failed"] })
    expect(json.webhooks).toMatchObject([{ name: "ordered", count: 3, ordering: "object", rate_limit: 2 }])
    const again = await get(`retry/?webhook_id=${ordered}&status=successful`)
    expect(again.json).toMatchObject({ count: 1, left_out: [] })
    // A successful delivery cannot be discarded, even by id.
    expect((await get(`discard/?webhook_id=${ordered}&status=successful`)).json).toMatchObject({ count: 0 })
  })

  thorough("renders again what a retry would send, with the webhook as it is now", async () => {
    const id = await failed("rendered", 2, { body_template: "{{ data.name }}" })
    const tried = async () => (await get(`retry/?webhook_id=${id}&dry_run=true`)).json.dry_run!
    expect(await tried()).toMatchObject({ looked_at: 2, identical: 2, different: 0, examples: [] })
    const change = async (fields: Json) => {
      const { status } = await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, fields)
      expect(status).toBe(200)
    }
    await change({ body_template: "{{ data.name }} {{ event }}", http_method: "PUT" })
    await expect.poll(tried).toMatchObject({ identical: 0, different: 2 })
    expect((await tried()).examples[0]!["detail"]).toBe("Differs in: method, body.")
    await change({ body_template: "{{ data.name.x.y }}" })
    expect(await tried()).toMatchObject({
      failing: 2,
      examples: [{ detail: expect.stringContaining("no attribute 'x'") }]
    })
    expect(hooks.at("rendered")).toHaveLength(2)
    await hooks.api.call("DELETE", `/api/extras/webhooks/${id}/`)
    expect(await tried()).toMatchObject({ deleted: 2, examples: [{ detail: "The webhook was deleted." }] })
  })

  it.each([
    ["retry/", "filter"],
    ["discard/?q=", "filter"],
    ["retry/?status=sent", "status"],
    ["retry/?contains=x", "contains"],
    ["retry/?all=true&status=failed", "all"]
  ])("is refused by the field that is wrong: %s", async (query, field) => {
    const { status, json } = await get(query)
    expect(status).toBe(400)
    expect(JSON.stringify(json)).toContain(`"${field}":`)
  })

  it("renders for a webhook with a scope the event that its user may view", async () => {
    const { id: scope } = await makeUser(hooks.api, "sees sites", { types: ["dcim.site"], actions: ["view"] })
    hooks.answers.set("/scoped", 500)
    const id = await hooks.webhook("scoped", {
      ...{
        content_types: ["dcim.site"],
        conditions: null,
        scope_user: scope,
        retry_schedule: { kind: "list", delays: [] }
      },
      body_template: "{{ data.tags[0].name | default('nothing') }}"
    })
    const { json: tag } = await hooks.tag("unseen by it")
    await hooks.api.call("POST", "/api/dcim/sites/", { name: "Scoped", slug: "scoped", tags: [tag.id] })
    await hooks.deliveries(id, "failed", 1)
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { body_template: "nothing" })
    const { dry_run: tried } = (await get(`retry/?webhook_id=${id}&dry_run=true`)).json
    expect(tried).toMatchObject({ looked_at: 1, identical: 1, different: 0 })
  })

  it("is for those who may change every delivery", async () => {
    const user = await makeUser(hooks.api, "some deliveries", {
      types: ["extras.delivery", "extras.webhook", "extras.tag"],
      actions: ["view", "change"],
      constraints: null
    })
    expect((await user.call("GET", `${path}retry/?status=failed`)).status).toBe(403)
  })
})

describe("two retries of the same at once", () => {
  it("send each delivery once, also when it fails again in between", async () => {
    const id = await failed("twice", 5)
    const filter = { webhook_id: id, status: "failed" }
    const asked = await Promise.all([post(`${path}retry/`, { filter }), post(`${path}retry/`, { filter })])
    const done = [await ended(asked[0]!.json.id), await ended(asked[1]!.json.id)]
    expect(done[0]!.done + done[1]!.done).toBe(5)
    await eventually("each was attempted again", async () => {
      const all = await hooks.deliveries(id, "failed", 5)
      return all.every(({ attempts }) => attempts === 2)
    })
    // A third attempt would arrive before this later delivery.
    await hooks.tag("twice more")
    await hooks.deliveries(id, "failed", 6)
    expect(hooks.at("twice")).toHaveLength(11)
  })
})
