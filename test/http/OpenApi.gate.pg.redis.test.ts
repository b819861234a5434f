/** The description of the service, judged by a validator that is not ours, and by the service itself. */
import { Validator } from "@seriousme/openapi-schema-validator"
import { request } from "undici"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { registry } from "../../src/inventory/Registry.ts"
import { makeWorld } from "../support/AnyObject.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { runs, sampleOf, thorough } from "../support/Seed.ts"
import { netboxPaths } from "../documents/NetboxSurface.ts"
import { mismatches } from "./SchemaCheck.ts"

interface Document {
  readonly openapi: string
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string }>
}

interface Schema extends Json {
  readonly properties: Readonly<Record<string, object>>
  readonly required?: ReadonlyArray<string>
}

let api: Api
let document: Document

beforeAll(async () => {
  api = await sharedApi()
  document = JSON.parse((await api.raw("GET", "/api/schema/")).text) as Document
})
afterAll(() => api.stop())

test("is valid OpenAPI 3.1", async () => {
  expect(document.openapi).toBe("3.1.0")
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)
  expect(result).toMatchObject({ valid: true })
})

test("has the address that the client used", async () => {
  expect(document.servers).toEqual([{ url: api.service.url }])
  const { body } = await request(`${api.service.url}/api/schema/`, { headers: { host: "inventory.example.com" } })
  expect(await body.json()).toMatchObject({ servers: [{ url: "http://inventory.example.com" }] })
})

test("describes every object type, with its filters and what it must be given", () => {
  const undescribed = [...registry.values()].filter(({ path }) => document.paths[path] === undefined)
  expect(undescribed).toEqual([])
  const names = document.paths["/api/dcim/sites/"]!["get"]!.parameters!.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(["limit", "start", "name__ic", "region_id", "status__n", "q", "tag"]))
  expect(document.components.schemas["DcimSiteRequest"]!.required).toEqual(["name", "slug"])
})

test("describes forms with files, and images that are longer than their names", () => {
  const forms = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const { content = {} } = (operation as { requestBody?: { content?: Json } }).requestBody ?? {}
      return "multipart/form-data" in content && !path.endsWith("/import/") ? [`${method} ${path}`] : []
    })
  )
  const paths = ["/api/dcim/device-types/", "/api/extras/image-attachments/"]
  expect(forms.toSorted()).toEqual(
    paths.flatMap((path) => [`post ${path}`, `put ${path}{id}/`, `patch ${path}{id}/`]).toSorted()
  )
  for (const name of ["DcimDevicetype", "DcimDevicetypeRequest"])
    expect(document.components.schemas[name]!.properties["front_image"]).toHaveProperty("anyOf", [
      { type: "string" },
      { type: "null" }
    ])
})

test("names the keys that an object has", async () => {
  const created = await api.call("POST", "/api/dcim/sites/", named("Described"))
  const described = Object.keys(document.components.schemas["DcimSite"]!.properties)
  expect(Object.keys(created.json).filter((key) => !described.includes(key))).toEqual([])
})

test("names no parameter of an operation twice", () => {
  const twice = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ parameters = [] }) => {
      const names = parameters.map(({ name }) => name)
      return names.filter((name, at) => names.indexOf(name) < at).map((name) => `${path} ${name}`)
    })
  )
  expect(twice).toEqual([])
})

test("describes fields with the help of the forms", () => {
  const help = registry.get("extras.webhook")!.fields["timeout"]!.help
  expect(help).toContain("Seconds")
  for (const name of ["ExtrasWebhook", "ExtrasWebhookRequest", "PatchedExtrasWebhookRequest"])
    expect(document.components.schemas[name]!.properties["timeout"]).toMatchObject({ description: help })
})

test("describes what counts, addresses and ends of cables are", () => {
  const { DcimDevice, DcimSite, DcimCable, BriefIpamIpaddress, DcimCableRequest } = document.components
    .schemas as Readonly<Record<string, Schema>>
  expect(DcimDevice!.properties["primary_ip"]).toEqual({
    anyOf: [{ $ref: "#/components/schemas/BriefIpamIpaddress" }, { type: "null" }],
    readOnly: true
  })
  expect(DcimSite!.properties["device_count"]).toEqual({ type: "integer", readOnly: true })
  expect(DcimSite!.required).toEqual(expect.arrayContaining(["id", "name", "region", "tags", "device_count"]))
  expect(BriefIpamIpaddress!.properties["family"]).toEqual({ type: "integer" })
  expect(DcimCable!.properties["type"]).toMatchObject({ type: "string", enum: expect.arrayContaining(["cat6", ""]) })
  expect(DcimCableRequest!.properties["a_terminations"]).toMatchObject({
    items: { required: ["object_type", "object_id"] }
  })
})

describe("an object is answered as described", () => {
  beforeAll(async () => {
    await makeWorld(api.call, 1)
  })

  test.each([...registry.values()].map((type) => [type.id, type] as const))("%s", async (id, type) => {
    const name = id.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
    const { schemas } = document.components
    const list = await api.call<Json>("GET", `${type.path}?limit=20`)
    expect(mismatches(list.json, { $ref: `Paginated${name}List` }, schemas)).toEqual([])
    const brief = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `${type.path}?limit=20&brief=1`)
    expect(brief.json.results.flatMap((each) => mismatches(each, { $ref: `Brief${name}` }, schemas))).toEqual([])
  })
})

thorough("is JSON or YAML by `format` and `Accept`, as in NetBox", async () => {
  const typeOf = async (query: string, accept: string) => {
    const reply = await fetch(`${api.service.url}/api/schema/${query}`, { headers: { accept } })
    const text = await reply.text()
    return [reply.status, reply.headers.get("content-type"), text.slice(0, 9)]
  }
  const [json, yaml] = ['{"openapi', "openapi: "]
  for (const [query, accept, type, start] of [
    ["", "*/*", "application/vnd.oai.openapi+json", json],
    ["", "application/json", "application/json", json],
    ["", "application/vnd.oai.openapi+json", "application/vnd.oai.openapi+json", json],
    ["", "application/vnd.oai.openapi", "application/vnd.oai.openapi", yaml],
    ["", "application/yaml", "application/yaml", yaml],
    ["?format=json", "*/*", "application/vnd.oai.openapi+json", json],
    ["?format=json", "application/json", "application/json", json],
    ["?format=json", "text/html,*/*;q=0.8", "application/vnd.oai.openapi+json", json],
    ["?format=yaml", "*/*", "application/vnd.oai.openapi", yaml],
    ["?format=yaml", "application/json", "application/vnd.oai.openapi", yaml],
    ["?format=yaml", "application/yaml", "application/yaml", yaml]
  ] as const)
    expect([query, accept, ...(await typeOf(query, accept))]).toEqual([query, accept, 200, type, start])
  expect((await typeOf("", "image/png"))[0]).toBe(406)
})

/** Methods of NetBox on single lists; elsewhere all of them. */
const readOnly =
  /^\/api\/(schema\/.*|plugins\/.*|dcim\/(cable-terminations|connected-device)|extras\/(object-changes|content-types)|users\/config)\/$/

/** The actions of an object, by the last part of the path. */
const actions: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...{ trace: ["get"], paths: ["get"], elevation: ["get"], provision: ["post"], "installed-plugins": ["get"] },
  ...{ "available-ips": ["get", "post"], "available-prefixes": ["get", "post"] },
  ...{ "available-asns": ["get", "post"], "available-vlans": ["get", "post"] },
  ...{ "render-config": ["post"], render: ["post"], sync: ["post"], run: ["post"] }
}

test("describes every list, object and action of NetBox that is there, with its methods", () => {
  const byShape = new Map(
    Object.entries(document.paths).map(([path, operations]) => [path.replaceAll(/\{\w+\}/g, "{id}"), operations])
  )
  const absent = netboxPaths.flatMap((path) => {
    const [, list, one, action] = /^(\/api\/\w+\/[\w-]+\/)(\{id\}\/)?([\w-]+\/)?$/.exec(path) ?? []
    // NetboxPaths.pg.redis.test.ts names the lists and actions that are not there.
    if (list === undefined || !byShape.has(action === undefined ? list : path)) return []
    const last = /([\w-]+)\/$/.exec(path)![1]!
    const ofObjects = readOnly.test(list)
      ? ["get"]
      : ["get", "put", "patch", "delete", ...(one === undefined ? ["post"] : [])]
    const methods = actions[last] ?? ofObjects
    return methods.filter((method) => byShape.get(path)?.[method] === undefined).map((method) => `${method} ${path}`)
  })
  expect(absent).toEqual([])
})

test("comes as YAML too", async () => {
  const reply = await api.raw("GET", "/api/schema/?format=yaml")
  // To parse all of it takes seconds: each path is a block of its own.
  const [, paths] = /^paths:\n((?: .*\n)*)/m.exec(reply.text)!
  const blocks = paths!.split(/^(?=  \S)/m)
  expect(blocks.length).toBe(Object.keys(document.paths).length)
  for (const block of sampleOf(blocks, runs(6), "paths")) {
    const [path, operations] = Object.entries(parse(block) as Document["paths"])[0]!
    expect([path, operations]).toEqual([path, document.paths[path]])
  }
})

test("is shown by Swagger UI, whose files are served from here", async () => {
  const page = await api.raw("GET", "/api/schema/swagger-ui/")
  const files = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file!)
  expect(files).toHaveLength(3)
  for (const file of files) expect((await api.raw("GET", `/api/schema/swagger-ui/${file}`)).status).toBe(200)
  expect((await api.raw("GET", "/api/schema/swagger-ui/package.json")).status).toBe(404)
  expect((await api.raw("GET", "/api/schema/swagger-ui/..%2fpackage.json")).status).toBe(404)
})
