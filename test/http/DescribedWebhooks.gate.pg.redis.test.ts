/** Endpoints of webhooks and deliveries beside the usual ones: their answers are as /api/schema/ describes them. */
import { describe, expect, it } from "vitest"
import { startDelivering } from "../deliver/Delivering.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { mismatches } from "./SchemaCheck.ts"

const hooks = startDelivering()

interface Operation {
  readonly summary?: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

const document = async () =>
  JSON.parse((await hooks.api.raw("GET", "/api/schema/")).text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Json>> }
  }

/** Where answers differ from what is described. */
const differences = async (calls: ReadonlyArray<readonly [string, string, string | number, Json?]>) => {
  const { paths, components } = await document()
  const found: Array<string> = []
  for (const [method, path, id, body] of calls) {
    const { status, json } = await hooks.api.call<Json>(method, path.replace(/\{\w+\}/, `${id}`), body)
    const described = paths[path]![method.toLowerCase()]!.responses[status]?.content?.["application/json"]
    if (described === undefined) found.push(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    else found.push(...mismatches(json, described.schema, components.schemas, `${method} ${path}`))
  }
  return found
}

describe("the description of the API", () => {
  it("has a summary for every endpoint of webhooks, deliveries and operations", async () => {
    const { paths } = await document()
    const mute = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { summary }]) =>
        /^\/api\/extras\/(webhooks|deliveries|operations|replays|journeys)\/(?!import|export)/.test(path) &&
        method !== "parameters" &&
        summary === undefined
          ? [`${method} ${path}`]
          : []
      )
    )
    expect(mute).toEqual([])
  })

  it("tells what they answer", async () => {
    hooks.answers.set("/described", 503)
    const webhook = await hooks.webhook("described", { retry_schedule: { kind: "fixed", delay: 0.05, attempts: 1 } })
    await hooks.tag("described tag")
    const path = "/api/extras/deliveries/?status=failed"
    const failed = await eventually("a delivery failed", async () => {
      const { json } = await hooks.api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", path)
      return json.results.length > 0 && json.results
    })
    expect(failed).toHaveLength(1)
    const event = { event: "created", model: "tag", data: { id: 1, name: "x" } }
    const fields = { content_types: ["extras.tag"], type_create: true, payload_url: "https://example.com/{{ model" }
    const one = "/api/extras/webhooks/{id}/"
    const all = "/api/extras/webhooks/"
    const wrong = await differences([
      ["GET", `${all}health/`, ""],
      ["GET", `${one}health/`, webhook],
      ["POST", `${all}trial/`, "", fields],
      ["POST", `${all}trial/`, "", { ...fields, event }],
      ["POST", `${all}render/`, "", { template: "{{ event }}", headers: "A: b" }],
      ["POST", `${all}match/`, "", { conditions: { attr: "name", value: "x" }, data: { name: "x" } }],
      ["POST", `${one}test/`, webhook, {}],
      ["POST", `${one}replay/`, webhook, { since: "2020-01-01", dry_run: true }],
      ["POST", `${one}rotate/`, webhook, { overlap_hours: 1 }],
      ["POST", `${one}pause/`, webhook],
      ["POST", `${one}resume/`, webhook, { keep: "none" }],
      ["GET", "/api/extras/deliveries/failures/", ""],
      ["POST", "/api/extras/deliveries/retry/", "", { filter: { status: "failed" }, dry_run: true }],
      ["POST", "/api/extras/deliveries/discard/", "", { filter: { status: "failed" }, dry_run: true }]
    ])
    expect(wrong).toEqual([])
  })
})
