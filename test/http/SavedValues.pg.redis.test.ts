/** Values that a write normalises, or refuses because they could not be used later. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const post = async (path: string, body: Json) => {
  const { status, json } = await api.call<Json>("POST", `/api/${path}/`, body)
  return { status, json }
}
const names = async (query: string) => {
  const { json } = await api.call<{ readonly results: ReadonlyArray<{ readonly name: string }> }>(
    "GET",
    `/api/${query}`
  )
  return json.results.map(({ name }) => name)
}

it("a DNS name is stored in small letters", async () => {
  const { json } = await post("ipam/ip-addresses", { address: "192.0.2.77/24", dns_name: "WWW.Example.COM" })
  expect(json).toMatchObject({ dns_name: "www.example.com" })
})

it.each(["name__regex", "name__iregex"])("a permission with a bad regular expression in %s is refused", async (key) => {
  const permission = { name: "P", object_types: ["dcim.site"], actions: ["view"] }
  for (const constraints of [{ [key]: "a(" }, [{ name: "x" }, { [key]: "a(" }]]) {
    expect(await post("users/permissions", { ...permission, constraints })).toEqual({
      status: 400,
      json: { constraints: ["Invalid regular expression: a("] }
    })
  }
  expect((await post("users/permissions", { ...permission, constraints: { [key]: "a(b)" } })).status).toBe(201)
})

describe("a webhook", () => {
  const webhook = { content_types: ["dcim.site"], type_create: true, payload_url: "http://localhost/" }

  it.each([
    ["a header with characters beyond Latin-1", { additional_headers: "X-A: \u2603" }],
    ["the same beside a template", { additional_headers: "X-A: {{ event }}\nX-B: \u2603" }],
    ["the same in the line of a template", { additional_headers: "X-A: {{ event }} \u2603" }]
  ])("is refused with %s", async (name, fields) => {
    const { status, json } = await post("extras/webhooks", { ...webhook, name, ...fields })
    expect([status, json]).toEqual([
      400,
      { additional_headers: [expect.stringMatching(/^Line \d has a character in its value that HTTP cannot carry.$/)] }
    ])
  })

  it.each([
    [
      "such characters in what a template computes",
      '{% if data.name == "\u2603" %}X-A: b{% endif %}\n{# \u2603 #}X-B: \u00e9'
    ],
    ["Latin-1", "X-A: \u00e9"]
  ])("takes headers with %s", async (name, additional_headers) => {
    expect((await post("extras/webhooks", { ...webhook, name, additional_headers })).status).toBe(201)
  })

  it("is refused with a line break in its address, or other than ASCII in its content type", async () => {
    const broken = await post("extras/webhooks", { ...webhook, name: "b", payload_url: "http://localhost/a\nb" })
    expect(broken.json).toEqual({ payload_url: ["The address has a line break or a tab in it."] })
    const type = await post("extras/webhooks", { ...webhook, name: "t", http_content_type: "text/\u2603" })
    expect(type.status).toBe(400)
    expect(await post("tenancy/contacts", { name: "C", link: "http://localhost/a\nb" })).toEqual({
      status: 400,
      json: { link: ["Enter a valid URL."] }
    })
  })
})

it("null asks for objects without a value", async () => {
  await post("dcim/sites", { ...named("Placed"), time_zone: "Europe/Oslo", latitude: 59.9 })
  await post("dcim/sites", named("Lost"))
  for (const field of ["time_zone", "latitude"]) {
    expect([field, await names(`dcim/sites/?${field}=null`)]).toEqual([field, ["Lost"]])
    expect([field, await names(`dcim/sites/?${field}__n=null`)]).toEqual([field, ["Placed"]])
  }
  expect(await names("dcim/sites/?latitude=null&latitude=59.9")).toEqual(["Lost", "Placed"])
})
