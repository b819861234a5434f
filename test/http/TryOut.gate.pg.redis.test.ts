/** Templates and conditions tried out over the wire, and the plugins that there are. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

/** The answer, as soon as there are not too many requests. */
const post = (path: string, body: unknown): Promise<{ readonly status: number; readonly json: Json }> =>
  eventually(
    "the request is not throttled",
    async () => {
      const reply = await api.call<Json>("POST", path, body)
      return reply.status !== 429 && reply
    },
    { everyMillis: 200 }
  )

const render = (body: unknown) => post("/api/extras/webhooks/render/", body)
const match = (body: unknown) => post("/api/extras/webhooks/match/", body)

describe("a template that is tried out", () => {
  it("returns body and headers, for the given context or for a sample event", async () => {
    const context = { data: { name: "Ort ä" }, event: "created" }
    const template = "{{ data.name }} {{ event }}\n"
    expect(await render({ template, headers: "X-A: {{ event|upper }}\nX-B: b", context })).toMatchObject({
      status: 200,
      json: { output: "Ort ä created", headers: { "X-A": "CREATED", "X-B": "b" } }
    })
    expect((await render({ template: "{{ model }}" })).json).toEqual({ output: "device", headers: {} })
    expect((await render({ template: "", context })).json["output"]).toBe(JSON.stringify(context))
    expect(
      (await render({ template: "{{ event | upcase }}", template_engine: "liquid", context })).json["output"]
    ).toBe("CREATED")
    const nunjucks = "{{ event | upper }} {{ data.name | upcase }} {{ '1' + 1 }}"
    expect((await render({ template: nunjucks, template_engine: "nunjucks", context })).json["output"]).toBe(
      "CREATED ORT Ä 11"
    )
    expect(
      (await render({ template: "a\n{% include 'x' %}", template_engine: "nunjucks", context })).json
    ).toMatchObject({
      template: ["Line 2: {% include %} is refused: a template cannot load another one"],
      error: { reason: "Syntax", line: 2, column: 4 }
    })
  })

  it("sees the numbers of its context as they were sent", async () => {
    const context = '{ "data": {"float": 3.0, "large": 12345678901234567890, "text": "a  \\" 3.0"} }'
    const asked = (template: string) =>
      render(`{"context": 1, "template": ${JSON.stringify(template)}, "context" : ${context}}`)
    expect((await asked("{{ data.float }} {{ data.large }} {{ data.text }}")).json).toMatchObject({
      output: '3.0 12345678901234567890 a  " 3.0'
    })
    expect((await asked("")).json["output"]).toBe(
      '{"data":{"float":3.0,"large":12345678901234567890,"text":"a  \\" 3.0"}}'
    )
  })

  it("is refused with the place of the error", async () => {
    const { status, json } = await render({ template: "a\n{{ data.nothing.here }}", context: { data: {} } })
    expect(status).toBe(400)
    expect(json["template"]).toEqual(["Line 2: 'dict object' has no attribute 'nothing'"])
    expect(json["error"]).toMatchObject({ reason: "Undefined", line: 2, snippet: "{{ data.nothing.here }}" })
    expect((await render({ template: "x", headers: "X: {{ 1 / 0 }}" })).json).toMatchObject({
      headers: ["Line 1: division by zero"]
    })
    expect((await render({ template: "x", headers: "{{ 'no header' }}" })).json).toMatchObject({
      headers: ['Line 1 is not a header (expected "Name: Value").']
    })
    expect((await render({ template: "x", template_engine: "nosuch" })).status).toBe(400)
  })

  it("has the same limits as every template", async () => {
    const { status, json } = await render({ template: "{% for i in range(99999) %}{{ lipsum() }}{% endfor %}" })
    expect([status, (json["error"] as Json)["reason"]]).toEqual([400, "Limit"])
  })

  it.each([
    [[], "non_field_errors"],
    [{}, "template"],
    [{ template: 5 }, "template"],
    [{ template: "", headers: 5 }, "headers"],
    [{ template: "", context: [] }, "context"],
    [{ template: "", template_engine: 5 }, "template_engine"]
  ])("is asked for in the right shape: %j", async (body, field) => {
    const { status, json } = await render(body)
    expect([status, Object.keys(json)]).toEqual([400, [field]])
  })

  it("has a rate limit with a burst", async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => api.call<Json>("POST", "/api/extras/webhooks/render/", { template: "" }))
    )
    const throttled = replies.filter(({ status }) => status === 429)
    expect(throttled.length).toBeGreaterThan(0)
    expect(throttled[0]!.json["detail"]).toMatch(/^Request was throttled\. Expected available in \d+ seconds?\.$/)
    expect(Number(throttled[0]!.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})

describe("a condition that is tried out", () => {
  it("is answered with the reason", async () => {
    const conditions = {
      and: [
        { attr: "status.value", value: "active" },
        { attr: "status", op: "changed" }
      ]
    }
    const data = { status: { value: "active" } }
    const snapshots = { prechange: { status: "planned" }, postchange: { status: "active" } }
    expect((await match({ conditions, data, snapshots })).json).toEqual({
      matches: true,
      explanation: {
        outcome: "holds",
        and: [
          { outcome: "holds", attr: "status.value", op: "eq", value: "active", actual: "active" },
          { outcome: "holds", attr: "status", op: "changed", before: "planned", after: "active" }
        ]
      }
    })
    expect((await match({ conditions, data })).json).toMatchObject({
      matches: false,
      explanation: { outcome: "invalid", and: [{}, { reason: "There are no snapshots." }] }
    })
    expect((await match({ conditions: null, data })).json).toEqual({ matches: true, explanation: null })
  })

  it("is refused with the place of the error", async () => {
    const { status, json } = await match({ conditions: { and: [{ attr: "a", value: 1, op: "foo" }] }, data: {} })
    expect(status).toBe(400)
    expect(String(json["conditions"])).toMatch(/^and\[0\]\.op: Unknown operator: foo\./)
    expect((await match({ conditions: {} })).json).toEqual({ data: ["This field is required."] })
    expect((await match({ conditions: {}, data: {}, snapshots: 5 })).status).toBe(400)
  })
})

describe("both", () => {
  it("need the permission to write webhooks", async () => {
    for (const path of ["render/", "match/"]) {
      const reply = await api.raw("POST", `/api/extras/webhooks/${path}`, { template: "", data: {} })
      expect(reply.status).toBe(403)
      expect((await api.call("GET", `/api/extras/webhooks/${path}`)).status).toBe(405)
    }
  })
})

describe("the plugins", () => {
  it("are listed with their filters, examples and ready-made templates", async () => {
    const { json } = await api.call<{ readonly count: number; readonly results: ReadonlyArray<Json> }>(
      "GET",
      "/api/plugins/"
    )
    expect(json.count).toBe(json.results.length)
    const slack = json.results.find(({ name }) => name === "slack")!
    expect(slack).toMatchObject({ filters: ["slack_escape"], description: "A message for a Slack channel." })
    expect(Object.keys(slack["templates"] as Json)).toEqual(["slack_message", "slack_health"])
    expect(slack["examples"]).toContainEqual({
      template: "{{ 'a <b> & c'|slack_escape }}",
      expect: "a &lt;b&gt; &amp; c"
    })
    // Others find NetBox's root of plugins there.
    expect((await api.raw("GET", "/api/plugins/")).json).toEqual({
      ...{ count: 0, next: null, previous: null, results: [] },
      "installed-plugins": `${api.service.url}/api/plugins/installed-plugins/`
    })
  })

  it("are shown on a page for people, with every example", async () => {
    const { results } = (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", "/api/plugins/")).json
    const help = (await api.raw("GET", "/help/templates/")).text
    for (const { name } of results) expect(help).toContain(`<h2 id="${String(name)}">`)
    expect(help).toContain("{{ &#39;a &lt;b&gt; &amp; c&#39;|slack_escape }}")
    expect(help).toContain("a &amp;lt;b&amp;gt; &amp;amp; c")
    const examples = results.flatMap((plugin) => plugin["examples"] as ReadonlyArray<Json>)
    expect(help.split("<td><pre>")).toHaveLength(2 * examples.length + 1)
    expect(help).toContain("<code>liquid</code> <code>nunjucks</code>")
    expect(help.split("<td>nunjucks</td>").length).toBeGreaterThan(10)
  })

  it("bring the engines that the description of the API names", async () => {
    const { text } = await api.raw("GET", "/api/schema/?format=json")
    expect(text.match(/jinja, liquid or nunjucks/g)!.length).toBeGreaterThan(1)
  })
})
