/** Exports of every object type, imported into an empty inventory: the same objects, whatever their ids. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { makeWorld, typesInOrder } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let from: Api
let to: Api

const order = typesInOrder()
const formats = { csv: "text/csv", json: "application/json", yaml: "application/yaml" }

/** The references to types that come later: they are written once these exist. */
const laterReferences = (type: ObjectType): ReadonlyArray<string> =>
  Object.entries(type.fields).flatMap(([name, { reference, wire }]) => {
    const target = order.findIndex(({ id }) => id === reference?.type)
    return wire === "both" && target > order.indexOf(type) ? [name] : []
  })

const listed = async ({ call }: Api, path: string) =>
  (await call<{ readonly results: ReadonlyArray<Json> }>("GET", `${path}?limit=1000`)).json.results

beforeAll(async () => {
  ;[from, to] = await Promise.all([startApi(), startApi()])
  // Ids differ from the beginning.
  await to.database.sql.query("select setval(pg_get_serial_sequence('dcim_site', 'id'), 5000)")
  await makeWorld(from.call, 2)
  for (const type of order) {
    // Objects without a name cannot be named in a file.
    if (type.id !== "dcim.device") continue
    for (const [at, device] of (await listed(from, type.path)).entries()) {
      if (device["name"] === null) await from.call("PATCH", `${type.path}${device["id"]}/`, { name: `device ${at}` })
    }
  }
  // A cable may be attached to an interface that is marked as connected, which no write accepts.
  await from.database.sql.query("update dcim_interface set mark_connected = false")
  const tenants = await listed(from, "/api/tenancy/tenants/")
  const custom = { content_types: ["dcim.site"], object_type: "tenancy.tenant" }
  await from.call("POST", "/api/extras/custom-fields/", [
    { name: "payer", type: "object", ...custom },
    { name: "users", type: "multiobject", ...custom },
    { name: "asset", type: "text", content_types: ["dcim.site"] }
  ])
  await from.call("POST", "/api/dcim/sites/", {
    ...named("Pointing"),
    custom_fields: { payer: tenants[0]!["id"], users: tenants.map(({ id }) => id), asset: "0123" }
  })
  // A child before its parent, and a slug of digits.
  const child = await from.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Child"))
  const parent = await from.call<{ readonly id: number }>("POST", "/api/dcim/regions/", { name: "77", slug: "77" })
  await from.call("PATCH", `/api/dcim/regions/${child.json.id}/`, { parent: parent.json.id })
}, 240_000)
afterAll(() => Promise.all([from.stop(), to.stop()]))

const exported = async (type: ObjectType, format: keyof typeof formats, query = "") => {
  const headers = { authorization: `Token ${await from.newToken()}` }
  const response = await fetch(`${from.service.url}${type.path}export/?format=${format}${query}`, { headers })
  return response.text()
}

const imported = async (type: ObjectType, format: keyof typeof formats, body: string, query = "") => {
  const headers = { authorization: `Token ${await to.newToken()}`, "content-type": formats[format] }
  const response = await fetch(`${to.service.url}${type.path}import/${query}`, { method: "POST", headers, body })
  return { type: type.id, status: response.status, json: (await response.json()) as Json, body }
}

const hidden = /^(id|url|created|last_updated|object_id|assigned_object_id|scope_id|component_id)$/

/** A value without ids, addresses and times: names stand for objects. Lists of references are in the order of ids. */
const nameless = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(nameless(each))).sort()
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, each]) => !hidden.test(key) && !(key === "display" && /^#\d+$/.test(String(each)))
  )
  return Object.fromEntries(kept.map(([key, each]) => [key, nameless(each)]))
}

const shown = (objects: ReadonlyArray<Json>): ReadonlyArray<string> =>
  objects.map((object) => JSON.stringify(nameless(object))).sort()

/** The export of a type without the references to later types. */
const fileFor = async (type: ObjectType, format: keyof typeof formats) => {
  const later = laterReferences(type)
  if (later.length === 0) return [format, await exported(type, format)] as const
  const rows = JSON.parse(await exported(type, "json")) as ReadonlyArray<Json>
  const left = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !later.includes(name))))
  return ["json", JSON.stringify(left)] as const
}

describe("exports of every type", () => {
  it("make the same objects in an empty inventory", { timeout: 400_000 }, async () => {
    const names = Object.keys(formats) as ReadonlyArray<keyof typeof formats>
    const formatOf = (type: ObjectType) => names[order.indexOf(type) % names.length]!
    for (const type of order) {
      const [format, file] = await fileFor(type, formatOf(type))
      expect(await imported(type, format, file)).toMatchObject({ status: 200, json: { errors: [] } })
    }
    for (const type of order.filter((each) => laterReferences(each).length > 0)) {
      const file = await exported(type, formatOf(type))
      const reply = await imported(type, formatOf(type), file, "?update_existing=true")
      expect(reply).toMatchObject({ status: 200, json: { created: 0, errors: [] } })
    }
    for (const type of order) {
      const [before, after] = [await listed(from, type.path), await listed(to, type.path)]
      expect([type.id, shown(after)]).toEqual([type.id, shown(before)])
    }
  })

  it("change nothing where they come from", { timeout: 400_000 }, async () => {
    for (const type of order) {
      for (const format of ["csv", "yaml"] as const) {
        const before = await listed(from, type.path)
        const file = await exported(type, format, "&references=id")
        const headers = { authorization: `Token ${await from.newToken()}`, "content-type": formats[format] }
        const url = `${from.service.url}${type.path}import/`
        const response = await fetch(url, { method: "POST", headers, body: file })
        expect({ type: type.id, body: await response.json() }).toMatchObject({ body: { created: 0, errors: [] } })
        expect([type.id, shown(await listed(from, type.path))]).toEqual([type.id, shown(before)])
      }
    }
  })
})
