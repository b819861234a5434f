/** Answers around the objects: where a new one is, a path that no route has, a body that is empty, an id that comes twice. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

const sites = "/api/dcim/sites/"

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
})
afterAll(() => api.stop())

const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) => {
  const response = await fetch(api.service.url + path, {
    method,
    headers: { authorization: `Token ${token}`, ...headers },
    ...(body !== undefined && { body })
  })
  const type = response.headers.get("content-type")
  const text = await response.text()
  return { status: response.status, type, json: type === "application/json" ? (JSON.parse(text) as Json) : undefined }
}

test("one new object is where Location says, a list has none", async () => {
  const made = await api.call("POST", sites, named("Located"))
  expect([made.status, made.headers.get("location")]).toEqual([201, made.json["url"]])
  const many = await api.call("POST", sites, [named("First"), named("Second")])
  expect([many.status, many.headers.get("location")]).toEqual([201, null])
  const changed = await api.call("PATCH", made.headers.get("location")!.slice(api.service.url.length), {})
  expect([changed.status, changed.headers.get("location")]).toEqual([200, null])
  const prefix = await api.call("POST", "/api/ipam/prefixes/", { prefix: "10.0.0.0/24" })
  const address = await api.call("POST", `/api/ipam/prefixes/${String(prefix.json["id"])}/available-ips/`, {})
  expect([address.status, address.headers.get("location")]).toEqual([201, address.json["url"]])
})

test.each([
  { accept: "application/json" },
  { accept: "application/json, text/plain, */*" },
  { accept: "application/json; indent=4" },
  { "content-type": "application/json", accept: "*/*" },
  { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
  { accept: "*/*" }
])("an unknown path of the API is answered as JSON to a client with a token that sends %j", async (headers) => {
  const unknown = await send("GET", "/api/dcim/nothing/", headers)
  expect([unknown.status, unknown.type, unknown.json]).toEqual([404, "application/json", { detail: "Not found." }])
})

test.each([
  [{ accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, "text/html"],
  [{ accept: "application/json" }, "application/json"],
  [{ accept: "*/*" }, "application/json"]
])("an unknown path beside the API is answered to a client that sends %j as %s", async (headers, type) => {
  const unknown = await send("GET", "/nothing/", headers)
  expect([unknown.status, unknown.type]).toEqual([404, type])
})

test("an empty body is an empty object", async () => {
  const required = { name: ["This field is required."], slug: ["This field is required."] }
  for (const headers of [{}, { "content-type": "application/json" }, { "content-type": "text/plain" }]) {
    const refused = await send("POST", sites, headers, "")
    expect([headers, refused.status, refused.json]).toEqual([headers, 400, required])
  }
  const { id } = (await api.call<{ readonly id: number }>("POST", sites, named("Empty"))).json
  expect(await send("PATCH", `${sites}${id}/`, {}, "")).toMatchObject({ status: 200, json: { name: "Empty" } })
  expect(await send("DELETE", sites, {}, "")).toMatchObject({
    status: 400,
    json: { non_field_errors: ['Expected a list of items but got type "dict".'] }
  })
  // Without a length, so that only the end of the body tells that it is empty.
  const chunked = await fetch(api.service.url + sites, {
    method: "POST",
    headers: { authorization: `Token ${token}`, "content-type": "application/json" },
    body: new ReadableStream({ start: (controller) => controller.close() }),
    duplex: "half"
  } as RequestInit)
  expect([chunked.status, await chunked.json()]).toEqual([400, required])
  expect((await send("POST", sites, { "content-type": "text/plain" }, "{}")).status).toBe(415)
})

test("of changes to one object in a list the last counts, and it is answered once", async () => {
  const made = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", sites, [named("Twice"), named("Once")])
  const [twice, once] = made.json.map(({ id }) => id)
  const changed = await api.call<ReadonlyArray<Json>>("PATCH", sites, [
    { id: twice, facility: "first", description: "first" },
    { id: once, facility: "other" },
    { id: `${twice}`, facility: "last" }
  ])
  expect([changed.status, changed.json.map(({ id, facility, description }) => [id, facility, description])]).toEqual([
    200,
    [
      [once, "other", ""],
      [twice, "last", ""]
    ]
  ])
  const gone = await api.call("DELETE", sites, [{ id: twice }, { id: twice }, { id: once }])
  expect([gone.status, (await api.call<List>("GET", `${sites}?id=${twice}&id=${once}`)).json.count]).toEqual([204, 0])
})

test("an import refuses an id that comes twice", async () => {
  const { id } = (await api.call<{ readonly id: number }>("POST", sites, named("Imported"))).json
  const rows = [
    { id, facility: "first" },
    { id: `${id}`, facility: "last" }
  ]
  const reply = await api.call("POST", `${sites}import/?format=json`, rows)
  expect([reply.status, reply.json["errors"]]).toEqual([
    400,
    [{ row: 2, errors: { id: ["Another row has the same id."] } }]
  ])
  expect((await api.call("GET", `${sites}${id}/`)).json["facility"]).toBe("")
})
