/** The author of a change and its request, as templates and conditions see them, by the API and by plain SQL. */
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

const hooks = startDelivering()

const bodies = (name: string) => hooks.at(name).map(({ body }) => JSON.parse(body.toString()) as Json)

const template = `{"type": "{{ object_type }}", "request": {{ request | tojson }}}`

describe("a template", () => {
  it.each(["jinja", "liquid", "nunjucks"])(
    "of %s sees the object's type, and the request of a change by the API",
    async (engine) => {
      const body_template = engine === "jinja" ? template : template.replaceAll("tojson", "json")
      const id = await hooks.webhook(engine, { body_template, template_engine: engine })
      const { headers } = await hooks.tag(`${engine} api`)
      await hooks.arrived(engine, 1)
      const request = { id: headers.get("x-request-id"), method: "POST", path: "/api/extras/tags/", user: "admin" }
      expect(bodies(engine)).toEqual([{ type: "extras.tag", request }])
      // An event that is rebuilt later from the change log is the same.
      const delivery = await hooks.delivery(id, "successful")
      const sent = await hooks.api.call<Json>("GET", `/api/extras/deliveries/${delivery.id}/request/`)
      expect(JSON.parse(String(sent.json["body"]))).toEqual({ type: "extras.tag", request })
      await hooks.api.call("POST", `/api/extras/deliveries/${delivery.id}/retry/`, { again: true })
      await hooks.arrived(engine, 2)
      expect(bodies(engine)[1]).toEqual({ type: "extras.tag", request })
    }
  )

  it("sees no request of a change by plain SQL; the default body has neither name", async () => {
    await hooks.webhook("plain", { body_template: template })
    await hooks.webhook("default", { conditions: { attr: "name", value: "plain sql" } })
    await hooks.api.database.sql.query("insert into extras_tag (name, slug) values ('plain sql', 'plain-sql')")
    await Promise.all([hooks.arrived("plain", 1), hooks.arrived("default", 1)])
    expect(bodies("plain")).toEqual([{ type: "extras.tag", request: null }])
    expect(Object.keys(bodies("default")[0]!)).toEqual([
      "event",
      "timestamp",
      "model",
      "username",
      "request_id",
      "data",
      "snapshots"
    ])
  })
})

describe("a condition", () => {
  it("on who changed it and how holds as the explanation says", async () => {
    const sync = await makeUser(hooks.api, "sync", { types: ["extras.tag"], actions: ["view", "add"] })
    const byOthers = { attr: "context.username", value: "sync", negate: true }
    const id = await hooks.webhook("others", { conditions: byOthers })
    await hooks.webhook("posted", { conditions: { attr: "context.request.method", value: "POST" } })
    expect((await sync.call("POST", "/api/extras/tags/", named("by sync"))).status).toBe(201)
    await hooks.api.database.sql.query("insert into extras_tag (name, slug) values ('by sql', 'by-sql')")
    await hooks.tag("by admin")
    await Promise.all([hooks.arrived("others", 2), hooks.arrived("posted", 2)])
    const names = (name: string) => bodies(name).map(({ data }) => (data as Json)["name"])
    expect([names("others").toSorted(), names("posted").toSorted()]).toEqual([
      ["by admin", "by sql"],
      ["by admin", "by sync"]
    ])
    const change = await eventually("the change by sync is in the log", async () => {
      const path = "/api/extras/object-changes/?user_name=sync&limit=1"
      return (await hooks.api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", path)).json.results[0]
    })
    const path = `/api/extras/object-changes/${change.id}/explain/?limit=0`
    const { json } = await hooks.api.call<{ results: ReadonlyArray<Json> }>("GET", path)
    const told = json.results.find(({ webhook }) => (webhook as Json)["id"] === id)!
    expect(told).toMatchObject({ outcome: "skipped", explanation: { ...byOthers, actual: "sync", outcome: "fails" } })
  })

  it("is tried with a context", async () => {
    const body = { conditions: { attr: "context.username", value: "sync" }, data: {}, context: { username: "sync" } }
    const { json } = await hooks.api.call<Json>("POST", "/api/extras/webhooks/match/", body)
    expect(json).toMatchObject({ matches: true })
    expect((await hooks.api.call("POST", "/api/extras/webhooks/match/", { ...body, context: 5 })).status).toBe(400)
  })
})

describe("two services that write to each other", () => {
  let other: Api | undefined
  afterAll(() => other?.stop())

  it("end their loop by one condition each", async () => {
    other = await startApi()
    const services = [hooks.api, other]
    const tokens = await Promise.all(
      services.map(async (api) => {
        const { token } = await makeUser(api, "mirror", { types: ["dcim.site"], actions: ["view", "change"] })
        return token
      })
    )
    const sites: Array<number> = []
    for (const api of services) sites.push(await api.make("dcim/sites", named("Twin")))
    for (const [at, api] of services.entries()) {
      const [target, token] = [services[1 - at]!, tokens[1 - at]!]
      const { status, text } = await api.call("POST", "/api/extras/webhooks/", {
        ...{ name: "mirror", content_types: ["dcim.site"], type_update: true, http_method: "PATCH" },
        payload_url: `${target.service.url}/api/dcim/sites/${sites[1 - at]!}/`,
        additional_headers: `Authorization: Token ${token}`,
        // Never the same, so that the loop would go on.
        body_template: `{"comments": "{{ data.comments }}+"}`,
        conditions: { attr: "context.username", value: "mirror", negate: true }
      })
      expect([status, status === 201 ? "" : text]).toEqual([201, ""])
    }
    const comments = async (at: number) =>
      (await services[at]!.call<Json>("GET", `/api/dcim/sites/${sites[at]!}/`)).json["comments"]
    await services[0]!.call("PATCH", `/api/dcim/sites/${sites[0]!}/`, { comments: "first" })
    await eventually("the other has it", async () => (await comments(1)) === "first+")
    await services[1]!.call("PATCH", `/api/dcim/sites/${sites[1]!}/`, { comments: "second" })
    await eventually("and back", async () => (await comments(0)) === "second+")
    // The writes of the mirrors are captured by now, and were sent back to nobody.
    const written = async (api: Api) =>
      (await api.call<{ count: number }>("GET", "/api/extras/object-changes/?user_name=mirror")).json.count
    await eventually("both writes are in the logs", async () => (await written(services[0]!)) === 1)
    expect([await written(services[0]!), await written(services[1]!)]).toEqual([1, 1])
    expect([await comments(0), await comments(1)]).toEqual(["second+", "second"])
  })
})
