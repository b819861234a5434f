/** Sends the requests of a client of NetBox 4, and compares the answers with the table in docs/netbox.md. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { captured } from "../support/CaughtUp.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

const document = readFileSync(new URL("../../docs/netbox.md", import.meta.url), "utf8")
const [, section = ""] = /## Clients of NetBox 4\n([^]*?)\n## /.exec(document) ?? []
const rows = section.split("\n").filter((line) => line.startsWith("| "))

/** The row of the table that begins so. */
const rowOf = (start: string): string => rows.find((row) => row.startsWith(`| ${start}`)) ?? ""
const codesIn = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(/`([^`]+)`/g), ([, code]) => code!)

let api: Api
let token: string
let site: number

const send = async <A = Json>(method: string, path: string, body?: unknown, authorization = `Bearer ${token}`) => {
  const response = await fetch(`${api.service.url}${path}`, {
    method,
    headers: { authorization, accept: "application/json", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  return { status: response.status, headers: response.headers, json: (await response.json()) as A }
}

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  site = await api.make("dcim/sites", named("Oslo"))
})
afterAll(() => api.stop())

it("a client learns the version before it chooses names", async () => {
  const { headers, json } = await send("GET", "/api/status/")
  expect([headers.get("api-version"), json["netbox-version"]]).toEqual(["3.5", "3.5.0"])
  expect(rowOf("a request for the version")).toContain("3.5 in `API-Version`, 3.5.0 as `netbox-version`")
})

it("lists of later releases are not there, and the named ones of 3.5 are", async () => {
  const [asked = "", answer = ""] = rowOf("a request to").split(" | ")
  expect(codesIn(asked).length).toBeGreaterThan(7)
  for (const path of codesIn(asked)) expect([path, (await send("GET", path)).status]).toEqual([path, 404])
  for (const path of codesIn(answer)) expect([path, (await send("GET", path)).status]).toEqual([path, 200])
})

it("later names in bodies are read, and answers keep those of 3.5", async () => {
  expect(codesIn(rows.filter((row) => row.includes("object_type")).join())).toContain("object_types")
  const webhook = await send("POST", "/api/extras/webhooks/", {
    ...{
      name: "w",
      object_types: ["dcim.site"],
      type_create: true,
      payload_url: "https://receiver.example/",
      enabled: false
    }
  })
  expect([webhook.status, webhook.json]).toMatchObject([201, { content_types: ["dcim.site"] }])
  const filter = await send("POST", "/api/extras/saved-filters/", {
    ...{ name: "f", slug: "f", object_types: ["dcim.site"], parameters: { status: ["active"] } }
  })
  expect([filter.status, filter.json]).toMatchObject([201, { content_types: ["dcim.site"] }])
  const both = await send("POST", "/api/extras/custom-fields/", {
    ...{ name: "c", type: "text", object_types: ["dcim.rack"], content_types: ["dcim.site"] }
  })
  expect([both.status, both.json]).toMatchObject([201, { content_types: ["dcim.site"] }])
})

it("fields that 3.5 does not have are ignored, or named where the request is strict", async () => {
  const row = rowOf("a field that 3.5 does not have")
  const role = await api.make("dcim/device-roles", named("Leaf"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device = await api.make("dcim/devices", { name: "leaf1", site, device_type, device_role: role })
  const bodies: ReadonlyArray<readonly [path: string, body: Json, later: Json]> = [
    ["/api/ipam/prefixes/", { prefix: "10.0.0.0/8" }, { scope_type: "dcim.site", scope_id: site }],
    ["/api/ipam/vlan-groups/", named("Group"), { vid_ranges: [[1, 99]] }],
    ["/api/dcim/interfaces/", { device, name: "eth0", type: "1000base-t" }, { primary_mac_address: null }],
    ["/api/extras/custom-fields/", { name: "d", type: "text", object_types: ["dcim.site"] }, { choice_set: null }]
  ]
  for (const [path, body, later] of bodies) {
    const names = Object.keys(later)
    expect(codesIn(row)).toEqual(expect.arrayContaining(names))
    const strict = await send("POST", `${path}?strict=true`, { ...body, ...later })
    expect([path, strict.status, Object.keys(strict.json)]).toEqual([path, 400, names])
    const made = await send("POST", path, { ...body, ...later })
    expect([path, made.status, names.filter((name) => Object.hasOwn(made.json, name))]).toEqual([path, 201, []])
  }
  expect((await send<List>("GET", "/api/ipam/prefixes/?scope_id=999")).json.count).toBe(1)
  const strict = await send("GET", "/api/ipam/prefixes/?scope_id=999&strict=true")
  expect([strict.status, strict.json]).toEqual([400, { scope_id: ["Unknown filter."] }])
})

it("pages by id, fields and messages of the change log are those of later releases", async () => {
  const page = await send("GET", "/api/dcim/sites/?start=0&limit=1&fields=id,name")
  expect([page.status, page.json]).toMatchObject([200, { count: null, results: [{ id: site, name: "Oslo" }] }])
  const shown = (await send("GET", `/api/dcim/sites/${site}/?omit=tags`)).json
  expect([Object.hasOwn(shown, "name"), Object.hasOwn(shown, "tags")]).toEqual([true, false])
  const changed = await send("PATCH", `/api/dcim/sites/${site}/`, { facility: "F", changelog_message: "moved" })
  expect(changed.status).toBe(200)
  await captured(api.database)
  const query = `?changed_object_id=${site}&changed_object_type=dcim.site&action=update`
  const changes = await send<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/extras/object-changes/${query}`)
  expect(changes.json.results).toMatchObject([{ message: "moved" }])
})

it("a token of a later form is unknown", async () => {
  expect((await send("GET", "/api/dcim/sites/", undefined, `Token ${token}`)).status).toBe(200)
  expect((await send("GET", "/api/dcim/sites/", undefined, "Bearer nbt_aaaaaaaaaaaa.bbbb")).status).toBe(403)
})
