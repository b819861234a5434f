/** Config contexts and config templates by the API: merged contexts of machines, rules, rendering and permissions. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withConfigContexts } from "../../src/http/objects/ConfigContexts.ts"
import { everything } from "../../src/inventory/derive/filter/Where.ts"
import { readPage, viewFor } from "../../src/inventory/read/Read.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { statementsOf } from "../support/Statements.ts"

let api: Api
let site: number
let role: number
let platform: number
let device: number
let number = 0

const get = async <A = Json>(path: string) => (await api.call<A>("GET", `/api/${path}`)).json
const context = (fields: Json) => api.make("extras/config-contexts", { name: `context ${(number += 1)}`, ...fields })
const change = (path: string, body: Json) => api.call<Json>("PATCH", `/api/${path}/`, body)
const contextOf = async (path = `dcim/devices/${device}`) => (await get(`${path}/`))["config_context"]

beforeAll(async () => {
  api = await sharedApi()
  const region = await api.make("dcim/regions", named("North"))
  const inner = await api.make("dcim/regions", { ...named("Inner"), parent: region })
  site = await api.make("dcim/sites", { ...named("Here"), region: inner })
  role = await api.make("dcim/device-roles", named("Leaf"))
  platform = await api.make("dcim/platforms", named("System"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  device = await api.make("dcim/devices", { name: "leaf1", site, device_type, device_role: role, platform })
  await context({ regions: [region], data: { ntp: ["a"], dns: { first: "1", search: { x: 1 } } } })
  await context({ weight: 2000, roles: [role], data: { ntp: ["b", "c"], dns: { search: { y: 2 } } } })
  await context({ weight: 3000, is_active: false, data: { ntp: [] } })
  await context({ weight: 3000, sites: [site], data: { at: "here", keep: { a: 1 } } })
})
afterAll(() => api.stop())

const merged = { ntp: ["b", "c"], dns: { first: "1", search: { x: 1, y: 2 } }, at: "here", keep: { a: 1 } }

describe("the config context of a device", () => {
  it("is merged by weight, with the local context on top", async () => {
    expect(await contextOf()).toEqual(merged)
    const { status, json } = await change(`dcim/devices/${device}`, {
      local_context_data: { at: { own: 1 }, keep: {} }
    })
    expect(status).toBe(200)
    expect(json["config_context"]).toEqual({ ...merged, at: { own: 1 }, keep: {} })
    await change(`dcim/devices/${device}`, { local_context_data: null })
    expect(await contextOf()).toEqual(merged)
  })

  it("is in lists and answers to writes, and absent where it is not wanted", async () => {
    const [first] = (await get<List>(`dcim/devices/?id=${device}`)).results as unknown as ReadonlyArray<Json>
    expect(first!["config_context"]).toEqual(merged)
    for (const query of ["exclude=config_context", "brief=1", "omit=config_context", "fields=name"]) {
      expect(await get(`dcim/devices/${device}/?${query}`)).not.toHaveProperty("config_context")
      const [row] = (await get<List>(`dcim/devices/?id=${device}&${query}`)).results
      expect(row).not.toHaveProperty("config_context")
    }
    expect(await get(`dcim/devices/${device}/?fields=config_context`)).toEqual({ config_context: merged })
  })

  it("has the contexts of the machine whatever its reader may view", async () => {
    const reader = await makeUser(api, "reader", { types: ["dcim.device"], actions: ["view"] })
    expect((await reader.call("GET", `/api/dcim/devices/${device}/`)).json["config_context"]).toEqual(merged)
    expect((await reader.call("GET", "/api/extras/config-contexts/")).status).toBe(403)
  })

  it("is that of a virtual machine too", async () => {
    const machine = await api.make("virtualization/virtual-machines", { name: "vm1", site, role })
    expect(await contextOf(`virtualization/virtual-machines/${machine}`)).toEqual(merged)
  })

  it("takes keys that JavaScript has a meaning for as they are", async () => {
    const id = await context({
      weight: 1,
      roles: [role],
      data: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
    })
    const text = (await api.call("GET", `/api/dcim/devices/${device}/?fields=config_context`)).text
    expect(text).toContain('"__proto__":{"a":1}')
    expect(text).toContain('"constructor":2')
    await api.call("DELETE", `/api/extras/config-contexts/${id}/`)
  })
})

it("the contexts of a page of devices cost one statement more", async () => {
  const type = objectType("dcim.device")
  const pageWith = (query: string) =>
    statementsOf(
      api.database.databaseUrl,
      Effect.gen(function* () {
        const { rows, beside } = yield* readPage(type, { where: everything, ordering: [], limit: 50, offset: 0 })
        const view = yield* viewFor(type, rows, "", beside)
        return yield* withConfigContexts(type, rows, view, new URLSearchParams(query))
      })
    )
  const without = await pageWith("exclude=config_context")
  expect(await pageWith("")).toHaveLength(without.length + 1)
})

describe("a config context", () => {
  const refusedOf = async (body: Json) => {
    const { status, json } = await api.call<Json>("POST", "/api/extras/config-contexts/", { name: "wrong", ...body })
    return status === 400 ? json : status
  }

  it("shows its tags by their slugs and takes slugs and ids", async () => {
    const tag = await api.make("extras/tags", named("Edge"))
    const id = await context({ tags: ["edge"], data: {} })
    expect(await get(`extras/config-contexts/${id}/`)).toMatchObject({
      tags: ["edge"],
      data_source: null,
      data_path: ""
    })
    expect((await change(`extras/config-contexts/${id}`, { tags: [] })).json["tags"]).toEqual([])
    expect((await change(`extras/config-contexts/${id}`, { tags: [tag] })).json["tags"]).toEqual(["edge"])
    expect(await refusedOf({ tags: ["none"], data: {} })).toMatchObject({ tags: [expect.stringContaining("none")] })
    expect((await get<List>("extras/config-contexts/?tag=edge")).results.map((each) => each.id)).toEqual([id])
    expect((await get<List>(`extras/config-contexts/?tag_id=${tag}`)).results.map((each) => each.id)).toEqual([id])
    await api.call("DELETE", `/api/extras/config-contexts/${id}/`)
  })

  it("is found by the objects that it names, and not by those below them", async () => {
    const count = async (query: string) => (await get<List>(`extras/config-contexts/?${query}`)).count
    expect(await count("region=north")).toBe(1)
    expect(await count("region=inner")).toBe(0)
    expect(await count(`role_id=${role}`)).toBe(1)
    expect(await count("role=leaf&is_active=true")).toBe(1)
    expect(await count("is_active=false")).toBe(1)
    expect((await api.call("GET", "/api/extras/config-contexts/?data_source_id=1")).status).toBe(400)
  })

  it("has an object of bounded size and depth", async () => {
    const wrong = ['JSON data must be in object form. Example: {"foo": 123}']
    expect(await refusedOf({ data: [1] })).toEqual({ data: wrong })
    expect(await refusedOf({})).toEqual({ data: ["This field is required."] })
    expect(await refusedOf({ data: null })).toEqual({ data: ["This field may not be null."] })
    expect(await refusedOf({ data: { x: "x".repeat(263_000) } })).toMatchObject({ data: [/bytes, and 262,144 are/] })
    const deep = JSON.parse(`{"a":${"[".repeat(99)}${"]".repeat(99)}}`) as unknown
    expect(await refusedOf({ data: deep })).toMatchObject({ detail: /nested/ })
    expect((await change(`dcim/devices/${device}`, { local_context_data: [1] })).json).toEqual({
      local_context_data: wrong
    })
    expect(await refusedOf({ weight: 32_768, data: {} })).toHaveProperty("weight")
  })
})

/** The answer, as soon as there are not too many requests. */
const render = (path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}, token?: string) =>
  eventually(
    "the request is not throttled",
    async () => {
      const key = token ?? (await api.newToken())
      const reply = await fetch(`${api.service.url}/api/${path}/`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Token ${key}`, ...headers },
        body: JSON.stringify(body)
      })
      if (reply.status === 429) return undefined
      const text = await reply.text()
      const isJson = reply.headers.get("content-type")!.startsWith("application/json")
      return { status: reply.status, text, json: isJson ? (JSON.parse(text) as Json) : undefined }
    },
    { everyMillis: 200 }
  )

const template = (template_code: string, fields: Json = {}) =>
  api.make("extras/config-templates", { name: `template ${(number += 1)}`, template_code, ...fields })

describe("a config template", () => {
  it("is rendered with the values of the request", async () => {
    const id = await template("hostname {{ name }}\r\n{% for n in ntp %}\nntp {{ n }}\n{% endfor %}\n")
    const plain = "hostname a\n\nntp 1\n\nntp 2\n"
    expect(await render(`extras/config-templates/${id}/render`, { name: "a", ntp: [1, 2] })).toMatchObject({
      status: 200,
      json: { configtemplate: { id }, content: plain }
    })
    await change(`extras/config-templates/${id}`, { environment_params: { trim_blocks: true, lstrip_blocks: true } })
    const answer = await render(
      `extras/config-templates/${id}/render`,
      { name: "a", ntp: [1] },
      { accept: "text/plain" }
    )
    expect(answer).toMatchObject({ status: 200, text: "hostname a\nntp 1\n", json: undefined })
  })

  it("is checked when it is written", async () => {
    const refusedOf = async (body: Json) =>
      (await api.call<Json>("POST", "/api/extras/config-templates/", { name: "x", template_code: "x", ...body })).json
    expect(await refusedOf({ template_code: "a\n{% if %}" })).toMatchObject({ template_code: [/^Line 2: /] })
    expect(await refusedOf({ template_code: "" })).toEqual({ template_code: ["This field may not be blank."] })
    const wrong = { environment_params: [expect.stringContaining('"extensions" is not supported')] }
    expect(await refusedOf({ environment_params: { extensions: ["os"] } })).toMatchObject(wrong)
    expect(await refusedOf({ environment_params: { trim_blocks: "yes" } })).toHaveProperty("environment_params")
  })

  it("is refused where it works too long, takes too much memory or writes too much", async () => {
    const attacks = [
      "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
      "{% set x = namespace(t='x' * 1000) %}{% for a in range(1000) %}{% set x.t = x.t ~ x.t %}{% endfor %}",
      "{% for a in range(90000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}",
      "{{ ''.__class__.__mro__[1].__subclasses__() }}",
      "{% include '/etc/passwd' %}"
    ]
    for (const attack of attacks) {
      const { status, json } = await api.call<Json>("POST", "/api/extras/config-templates/", {
        ...{ name: "attack", template_code: attack }
      })
      if (status === 400) continue
      const answer = await render(`extras/config-templates/${String(json["id"])}/render`)
      expect(answer).toMatchObject({
        status: 400,
        json: { detail: expect.stringMatching(/^An error occurred/) as string }
      })
    }
  })
})

describe("the configuration of a device", () => {
  it("is that of its own template, else of its role's, else of its platform's", async () => {
    const path = `dcim/devices/${device}/render-config`
    expect(await render(path)).toMatchObject({
      ...{ status: 400, json: { error: "No config template found for this device." } }
    })
    const [own, ofRole, ofPlatform] = [await template("own"), await template("role"), await template("platform")]
    await change(`dcim/platforms/${platform}`, { config_template: ofPlatform })
    expect((await render(path)).json).toMatchObject({ content: "platform" })
    await change(`dcim/device-roles/${role}`, { config_template: ofRole })
    expect((await render(path)).json).toMatchObject({ content: "role" })
    const shown = await change(`dcim/devices/${device}`, { config_template: own })
    expect(shown.json["config_template"]).toMatchObject({ id: own, name: expect.any(String) as string })
    expect((await render(path)).json).toMatchObject({ content: "own", configtemplate: { id: own } })
    expect((await get<List>(`dcim/devices/?config_template_id=${own}`)).count).toBe(1)
    expect((await get<List>(`dcim/devices/?config_template_id=${ofRole}`)).count).toBe(0)
    expect((await api.call("DELETE", `/api/extras/config-templates/${own}/`)).status).toBe(409)
    const reader = await makeUser(api, "viewer", { types: ["dcim.device"], actions: ["view"] })
    expect(await render(path, {}, {}, reader.token)).toMatchObject({ status: 400, json: { error: /^No config/ } })
    expect((await reader.call("POST", `/api/extras/config-templates/${own}/render/`)).status).toBe(403)
  })

  it("is rendered with the config context, the values of the request and the device", async () => {
    const code = "{{ device.name }} {{ device.site.slug }} {{ ntp|join(',') }} {{ at }} {{ device.config_context.at }}"
    await change(`dcim/devices/${device}`, { config_template: await template(code) })
    const { json } = await render(`dcim/devices/${device}/render-config`, { at: "there", device: 7 })
    expect(json!["content"]).toBe("leaf1 here b,c there here")
  })
})

it("a config context is one event, and not one of each device", async () => {
  const before = (await get<List>("extras/object-changes/?limit=1")).count
  const id = await context({ data: { all: 1 } })
  const changes = await eventually("the change is logged", async () => {
    const found = await get<List>(
      `extras/object-changes/?changed_object_type=extras.configcontext&changed_object_id=${id}`
    )
    return found.count > 0 && found
  })
  expect(changes.count).toBe(1)
  expect(await contextOf()).toHaveProperty("all", 1)
  expect((await get<List>("extras/object-changes/?limit=1")).count).toBe(before + 1)
})
