/**
 * A new object type is one new file: in a copy of the service with nothing else changed it works end to end.
 * A process of that copy.
 */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const shelf = `
import { choice, defineObjectType, integer, ref, tags, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "shelf",
  plural: "shelves",
  fields: {
    name: text({ max: 50, unique: true }),
    site: ref("dcim.site", { onDelete: "cascade" }),
    kind: choice({ wood: "Wood", steel: "Steel" }, { default: "steel" }),
    height: integer({ min: 1, optional: true }),
    tags: tags()
  },
  search: ["name"],
  ordering: ["name"],
  brief: ["name"]
})
`

const root = new URL("../../", import.meta.url).pathname

let copy: string
let api: Api
let receiver: Receiver

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "rackwire-new-type-"))
  for (const part of ["src", "bin", "plugins", "package.json"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  writeFileSync(join(copy, "src/inventory/types/dcim/Shelf.ts"), shelf)
  receiver = await startReceiver()
  api = await startApiProcess({}, { script: join(copy, "bin/rackwire.mjs") })
})
afterAll(async () => {
  await api.stop()
  await receiver.close()
  rmSync(copy, { recursive: true })
})

const shelves = "/api/dcim/shelves/"

test("its objects are written, read, filtered, counted and refused", async () => {
  const region = await api.call<Json>("POST", "/api/dcim/regions/", { name: "North", slug: "north" })
  const site = await api.call<Json>("POST", "/api/dcim/sites/", { name: "S", slug: "s", region: region.json["id"] })
  const made = await api.call<Json>("POST", shelves, { name: "Top", site: { slug: "s" }, height: 3 })
  expect([made.status, made.json]).toMatchObject([
    201,
    { name: "Top", display: "Top", kind: { value: "steel", label: "Steel" }, site: { id: site.json["id"], slug: "s" } }
  ])
  for (const query of ["name__ic=to", "kind=steel", "site=s", "region=north", "height__gte=3", "q=top"]) {
    expect([query, (await api.call<List>("GET", `${shelves}?${query}`)).json.count]).toEqual([query, 1])
  }
  expect((await api.call<List>("GET", `${shelves}?kind=wood`)).json.count).toBe(0)
  const refused = await api.call("POST", shelves, { name: "Low", site: site.json["id"], height: 0 })
  expect(refused.json).toEqual({ height: ["Ensure this value is greater than or equal to 1."] })
  const twice = await api.call("POST", shelves, { name: "Top", site: site.json["id"] })
  expect([twice.status, Object.keys(twice.json)]).toEqual([400, ["name"]])
})

test("its objects have a list, pages and forms in the console", async () => {
  const authorization = `Token ${await api.newToken()}`
  const list = shelves.slice("/api".length)
  const [top] = (await api.call<List>("GET", `${shelves}?name=Top`)).json.results
  for (const path of [list, `${list}add/`, ...["", "edit/", "delete/"].map((form) => `${list}${top!.id}/${form}`)]) {
    const page = await fetch(api.service.url + path, { headers: { authorization, accept: "text/html" } })
    expect([path, page.status]).toEqual([path, 200])
    expect(await page.text()).toContain(path === `${list}add/` ? "Add shelf" : "Top")
  }
})

test("it is described by OpenAPI and OPTIONS, and listed by its app", async () => {
  const document = JSON.parse((await api.raw("GET", "/api/schema/")).text) as { readonly paths: Json }
  expect(document.paths).toHaveProperty([shelves])
  expect((await api.call<Json>("OPTIONS", shelves)).json).toMatchObject({
    actions: { POST: { kind: { required: false } } }
  })
  expect((await api.call<Json>("GET", "/api/dcim/")).json).toHaveProperty("shelves")
})

test("its changes are events that webhooks get", async () => {
  const webhook = await api.call("POST", "/api/extras/webhooks/", {
    name: "shelves",
    content_types: ["dcim.shelf"],
    type_create: true,
    payload_url: `${receiver.url}/shelves`
  })
  expect(webhook.status).toBe(201)
  const made = await api.call<Json>("POST", shelves, { name: "Bottom", site: { slug: "s" } })
  const request = await receiver.until(({ path }) => path === "/shelves")
  const event = JSON.parse(request.body.toString()) as { readonly model: string; readonly data: Json }
  expect([event.model, event.data["name"], event.data["kind"]]).toEqual(["shelf", "Bottom", made.json["kind"]])
})
