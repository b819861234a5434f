/** The request of an attempt, made again: the same bytes as the receiver got, and a signature that shows it. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Json, named, request } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Schemas, mismatches } from "../http/SchemaCheck.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

/** The description of the API, as far as it is read here. */
interface Description {
  readonly components: { readonly schemas: Schemas }
  readonly paths: Readonly<Record<string, { readonly get: { readonly responses: { readonly 200: Answer } } }>>
}

interface Answer {
  readonly content: {
    readonly "application/json": { readonly schema: { readonly allOf: readonly [object: Json, detail: Json] } }
  }
}

interface Shown {
  readonly attempt: number
  readonly method: string
  readonly url: string
  readonly problem: string
  readonly body: string | null
  readonly body_origin: string | null
  readonly body_is_masked: boolean | null
  readonly signatures: ReadonlyArray<{ readonly header: string; readonly secret: string | null }>
  readonly snippets: ReadonlyArray<{ readonly language: string; readonly scheme: string }>
}

const path = (id: number, query = "") => `/api/extras/deliveries/${id}/request/${query}`

const shown = async (id: number, query = "") => {
  const reply = await hooks.api.call<Shown>("GET", path(id, query))
  expect(reply.status).toBe(200)
  return reply.json
}

const hostile = `quotes " ' \n \`id\` $(id) ''' </script> é 漢字 \u2028`

const tag = (name: string) => hooks.api.call("POST", "/api/extras/tags/", { ...named(name), description: hostile })

describe("the request of an attempt", () => {
  it("has the body that the receiver got, and says which secret signed it", async () => {
    const id = await hooks.webhook("sent", { secret: "first secret", signature: "standard", http_method: "PUT" })
    await tag("sent one")
    const delivery = await hooks.delivery(id, "successful")
    const got = hooks.at("sent")[0]!
    const sent = await shown(delivery.id)
    expect(Buffer.from(sent.body!).equals(got.body)).toBe(true)
    expect(sent).toMatchObject({ attempt: 1, method: "PUT", problem: "", body_origin: "event", body_is_masked: false })
    expect(sent.signatures.map(({ header, secret }) => [header, secret])).toEqual([
      ["x-hook-signature", "current"],
      ["webhook-signature", "current"]
    ])
    expect(sent.snippets).toHaveLength(16)
    expect(JSON.stringify(sent)).not.toContain("first secret")
    const hook = `/api/extras/webhooks/${id}/`
    await hooks.api.call("PATCH", hook, { secret: "second secret", previous_secret: "first secret" })
    expect((await shown(delivery.id)).signatures.map(({ secret }) => secret)).toEqual(["previous", "previous"])
    await hooks.api.call("PATCH", hook, { previous_secret: "" })
    expect((await shown(delivery.id)).signatures.map(({ secret }) => secret)).toEqual([null, null])
  })

  it("is rendered again from the template of the time of the attempt, not from that of now", async () => {
    const body_template = `{"name": {{ data.name | tojson }}, "text": {{ data.description | tojson }}}`
    hooks.answers.set("/rendered", 500)
    const schedule = { kind: "fixed", delay: 3600, attempts: 5 }
    const id = await hooks.webhook("rendered", { secret: "s", body_template, retry_schedule: schedule })
    await tag("rendered one")
    const delivery = await hooks.delivery(id, "retrying")
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { body_template: "changed", http_method: "PATCH" })
    await eventually("the change of the webhook is in the log", async () => {
      const query = `?changed_object_type=extras.webhook&changed_object_id=${id}&action=update`
      return (await hooks.api.call<{ count: number }>("GET", `/api/extras/object-changes/${query}`)).json.count > 0
    })
    hooks.answers.delete("/rendered")
    await hooks.api.call("POST", `/api/extras/deliveries/${delivery.id}/retry/`)
    await hooks.delivery(id, "successful")
    const [first, second] = [await shown(delivery.id, "?attempt=1"), await shown(delivery.id, "?attempt=2")]
    expect([first.body, second.body]).toEqual(hooks.at("rendered").map(({ body }) => body.toString()))
    expect([first.method, second.method]).toEqual(["POST", "PATCH"])
    expect(first).toMatchObject({ attempt: 1, body_origin: "template", signatures: [{ secret: "current" }] })
    expect(await shown(delivery.id, "?attempt=1&now=true")).toMatchObject({ body: first.body, body_now: "changed" })
    expect(second).not.toHaveProperty("body_now")
    expect(second).toMatchObject({ attempt: 2, body: "changed", signatures: [{ secret: "current" }] })
  })

  it("whose headers the log has cut says so, instead of that it was not signed", async () => {
    const id = await hooks.webhook("long", { secret: "s", additional_headers: `x-long: ${"long ".repeat(900)}` })
    await tag("long one")
    const sent = await shown((await hooks.delivery(id, "successful")).id)
    expect(sent).toMatchObject({ headers_are_cut: true, signatures: [], body_origin: "event" })
  })

  it("that was never sent has no body, and says so", async () => {
    const id = await hooks.webhook("unsent", {
      body_template: "{{ data.name.nothing.at.all }}",
      retry_schedule: { kind: "list", delays: [] }
    })
    await tag("unsent one")
    const delivery = await hooks.delivery(id, "failed")
    expect(await shown(delivery.id)).toMatchObject({ body: null, problem: "No request was sent.", snippets: [] })
  })

  it("and the delivery are what the description of the API says", async () => {
    const id = await hooks.webhook("described", { secret: "s", signature: "standard" })
    await tag("described one")
    const delivery = await hooks.delivery(id, "successful")
    const document = JSON.parse((await hooks.api.raw("GET", "/api/schema/")).text) as Description
    const { schemas } = document.components
    const answer = document.paths["/api/extras/deliveries/{id}/"]!.get.responses[200].content["application/json"]
    const [, detail] = answer.schema.allOf
    expect(mismatches(await shown(delivery.id, "?now=true"), schemas["SentRequest"]!, schemas)).toEqual([])
    expect(mismatches(delivery, detail, schemas)).toEqual([])
    expect(delivery).toMatchObject({
      change: expect.any(Number),
      journey: [
        { stage: "committed", after_ms: 0, text: expect.stringMatching(/^LSN [0-9A-F]+\/[0-9A-F]+$/) },
        { stage: "captured", text: "1 change in its transaction" },
        { stage: "matched", text: "1 webhook" },
        { stage: "queued", text: delivery.delivery_id },
        { stage: "attempted", attempt: 1, text: "200" }
      ],
      beside: { webhook: { previous: null, next: null } }
    })
  })

  it("of an attempt that there is not is not found", async () => {
    const { json } = await hooks.api.call<{ results: ReadonlyArray<{ id: number }> }>(
      "GET",
      "/api/extras/deliveries/?limit=1"
    )
    const { id } = json.results[0]!
    const statuses = ["?attempt=99", "?attempt=0", "?attempt=x", "?attempt=1e9"].map(
      async (query) => (await hooks.api.call("GET", path(id, query))).status
    )
    expect(await Promise.all(statuses)).toEqual([404, 404, 400, 400])
    expect((await hooks.api.call("GET", path(999_999_999))).status).toBe(404)
  })

  it("shows objects that the reader may not view by id alone, and says that it is not what was sent", async () => {
    const region = await hooks.api.call<{ id: number }>("POST", "/api/dcim/regions/", named("Hidden region"))
    const id = await hooks.webhook("masked", { content_types: ["dcim.site"], conditions: null, secret: "s" })
    await hooks.api.call("POST", "/api/dcim/sites/", { ...named("Seen"), region: region.json.id })
    const delivery = await hooks.delivery(id, "successful")
    const types = ["dcim.site", "extras.delivery", "extras.webhook"]
    const { token } = await makeUser(hooks.api, "regionless", { types, actions: ["view"] })
    const read = (number: number) => request<Shown>(hooks.api.service.url, token, "GET", path(number))
    const { status, json } = await read(delivery.id)
    expect(status).toBe(200)
    expect(json).toMatchObject({ url: "***", body_is_masked: true, signatures: [] })
    expect(json.body).toContain("Seen")
    expect(json.body).not.toContain("Hidden region")
    expect((await shown(delivery.id)).body).toContain("Hidden region")
    const { json: tags } = await hooks.api.call<{ results: ReadonlyArray<{ id: number }> }>(
      "GET",
      "/api/extras/deliveries/?object_type=extras.tag&limit=1"
    )
    expect((await read(tags.results[0]!.id)).status).toBe(404)
  })
})
