/** Errors on pages of the console: in people's words beside the field. The API keeps NetBox's words. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { named } from "../support/Client.ts"

let api: Api
let browser: Browser
let site: number

beforeAll(async () => {
  api = await startApiAlone()
  browser = openBrowser(api.service.url)
  await browser.logIn()
  site = await api.make("dcim/sites", named("Osl"))
})
afterAll(() => api.stop())

const unescaped = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(
      /&(?:lt|gt|quot|#39|amp);/g,
      (entity) => ({ "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" })[entity] ?? "&"
    )
    .replaceAll(/\s+/g, " ")

/** An import takes files. */
const bodyOf = (fields: Readonly<Record<string, string>>, path: string): URLSearchParams | FormData => {
  if (!path.endsWith("/import/")) return new URLSearchParams(fields)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

/** The page that answers the form, as text; and the error beside an input. */
const send = async (path: string, fields: Readonly<Record<string, string>>, token = "/dcim/sites/add/") => {
  const page = await (await browser.fetch(token)).text()
  const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(page)![1]!
  const reply = await browser.fetch(path, {
    method: "POST",
    body: bodyOf({ csrfmiddlewaretoken, ...fields }, path)
  })
  const text = await reply.text()
  return {
    status: reply.status,
    text: unescaped(text),
    beside: (name: string) => unescaped(new RegExp(`id="e-${name}">([^]*?)</p>`).exec(text)?.[1] ?? "").trim()
  }
}

const hook = { name: "Hook", content_types: "dcim.site", type_create: "true", payload_url: "http://127.0.0.1:9/" }

describe("a form of the console", () => {
  it("says where the JSON of a condition ends too early, and the API says what NetBox says", async () => {
    const conditions = '{"and": [\n  {"attr": "name", "value": "x"}\n}'
    const reply = await send("/extras/webhooks/add/", { ...hook, conditions })
    expect(reply.status).toBe(400)
    expect(reply.beside("conditions")).toBe(
      'This is not valid JSON. Line 3, column 1: expected "," or "]", but found "}". The [ in line 1, column 9 is not closed.'
    )
    // The other faults are told with it.
    const all = await send("/extras/webhooks/add/", { ...hook, conditions, content_types: "", scope_user: "dc9" })
    expect([all.beside("conditions"), all.beside("content_types"), all.beside("scope_user")]).toEqual([
      expect.stringContaining("Line 3, column 1"),
      "Fill in this field.",
      expect.stringContaining('There is no user with the username "dc9"')
    ])
    const answer = await api.call("POST", "/api/extras/webhooks/", {
      ...hook,
      content_types: ["dcim.site"],
      conditions
    })
    expect(answer.json).toEqual({ conditions: ["Ruleset must be a dictionary, not <class 'str'>."] })
  })

  it("never stores JSON that lacks a bracket as a text", async () => {
    const reply = await send("/dcim/platforms/add/", { name: "Ios", slug: "ios", napalm_args: '{"a": 1' })
    expect([reply.status, reply.beside("napalm_args")]).toEqual([400, expect.stringContaining("Add } at the end.")])
    const made = await api.call<{ id: number }>("POST", "/api/dcim/platforms/", { name: "Ios", slug: "ios" })
    const path = `/dcim/platforms/${made.json.id}/edit/`
    const edited = await send(path, { napalm_args: "[1, 2" }, path)
    expect([edited.status, edited.beside("napalm_args")]).toEqual([400, expect.stringContaining("Add ] at the end.")])
    const bulk = await send("/dcim/platforms/edit/", {
      id: `${made.json.id}`,
      step: "preview",
      "set-napalm_args": "[1, 2"
    })
    expect([bulk.status, bulk.beside("napalm_args")]).toEqual([400, expect.stringContaining("Add ] at the end.")])
  })

  it("names a reference that is not found, its type and its choices", async () => {
    const reply = await send("/dcim/locations/add/", { ...named("Room"), site: "dc9", status: "lost" })
    expect(reply.beside("site")).toBe(
      'There is no site with the slug "dc9" that you may use. Search for it, or write its id or slug.'
    )
    expect(reply.beside("status")).toMatch(/^"lost" is not one of the choices: Planned, Staging, Active/)
    const address = await send("/ipam/ip-addresses/add/", {
      ...{ address: "192.0.2.1/24", assigned_object_type: "dcim.interface", assigned_object_id: "eth0" }
    })
    expect(address.beside("assigned_object_id")).toBe('"eth0" is not an id. Search for it, or write its id.')
  })

  it("says which field a constraint of a permission lacks", async () => {
    const reply = await send("/users/permissions/add/", {
      ...{ name: "P", object_types: "dcim.interface", actions: "view", constraints: '{"tenant__name": "x"}' }
    })
    expect(reply.beside("constraints")).toMatch(/^tenant__name: interfaces have no field "tenant"\. Their fields: /)
  })

  it("says so in bulk edits, imports, lists and the workbench", async () => {
    const bulk = await send("/dcim/sites/edit/", { id: `${site}`, step: "preview", "set-region": "gone" })
    expect(bulk.text).toContain('There is no region with the slug "gone" that you may use.')
    const file = await send(
      "/dcim/sites/import/",
      { format: "csv", data: "name,slug,region,status\nA,a,gone,lost\n" },
      "/dcim/sites/import/"
    )
    expect(file.text).toContain('There is no region with the slug "gone" that you may use.')
    expect(file.text).toContain('"lost" is not one of the choices: Planned')
    const list = unescaped(await (await browser.fetch("/dcim/sites/?status=lost&regoin=x")).text())
    expect(list).toContain('"lost" is not one of the choices: Planned')
    expect(list).toContain('Sites have no filter "regoin".')
    const bench = await send("/extras/webhooks/workbench/", { ...hook, conditions: '{"and": [' })
    expect(bench.text).toContain("Conditions: This is not valid JSON. Line 1, column 10:")
  })

  it("shows the error of a text that is too long for a form beside the field", async () => {
    const body = { ...hook, content_types: ["dcim.site"], body_template: `{# ${"x".repeat(21_000)} #}{{ data.name }}` }
    const { id } = (await api.call<{ id: number }>("POST", "/api/extras/webhooks/", body)).json
    const path = `/extras/webhooks/${id}/edit/`
    // The template is read in another language then.
    await api.database.sql.query("update extras_webhook set body_template = $1 where id = $2::bigint", [
      `{% if %}${"x".repeat(21_000)}`,
      id
    ])
    const reply = await send(path, { template_engine: "nunjucks" }, path)
    expect([reply.status, reply.beside("body_template")]).toEqual([400, expect.stringMatching(/\w/)])
  })
})
