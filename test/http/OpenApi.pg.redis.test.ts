/** The description of the service, judged by a validator that is not ours, and by the service itself. */
import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, named, startApi } from "../support/Api.ts"

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string }>
}

interface Schema {
  readonly properties: Readonly<Record<string, object>>
  readonly required?: ReadonlyArray<string>
}

let api: Api
let document: Document

beforeAll(async () => {
  api = await startApi()
  document = JSON.parse((await api.raw("GET", "/api/schema/")).text) as Document
})
afterAll(() => api.stop())

test("is valid OpenAPI 3.1", async () => {
  expect(document.openapi).toBe("3.1.0")
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)
  expect(result).toMatchObject({ valid: true })
})

test("describes every object type, with its filters and what it must be given", () => {
  const undescribed = [...registry.values()].filter(({ path }) => document.paths[path] === undefined)
  expect(undescribed).toEqual([])
  const names = document.paths["/api/dcim/sites/"]!["get"]!.parameters!.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(["limit", "start", "name__ic", "region_id", "status__n", "q", "tag"]))
  expect(document.components.schemas["DcimSiteRequest"]!.required).toEqual(["name", "slug"])
})

test("names the keys that an object has", async () => {
  const created = await api.call("POST", "/api/dcim/sites/", named("Described"))
  const described = Object.keys(document.components.schemas["DcimSite"]!.properties)
  expect(Object.keys(created.json).filter((key) => !described.includes(key))).toEqual([])
})

test("comes as YAML too", async () => {
  const reply = await api.raw("GET", "/api/schema/?format=yaml")
  expect(reply.headers.get("content-type")).toMatch("application/yaml")
  expect(parse(reply.text)).toEqual(document)
})

test("is shown by Swagger UI, whose files are served from here", async () => {
  const page = await api.raw("GET", "/api/schema/swagger-ui/")
  const files = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file!)
  expect(files).toHaveLength(3)
  for (const file of files) expect((await api.raw("GET", `/api/schema/swagger-ui/${file}`)).status).toBe(200)
  expect((await api.raw("GET", "/api/schema/swagger-ui/package.json")).status).toBe(404)
  expect((await api.raw("GET", "/api/schema/swagger-ui/..%2fpackage.json")).status).toBe(404)
})
