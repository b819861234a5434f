/** Exports of every object type, imported into an empty inventory: the same objects, whatever their ids. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isLeftOut } from "../../src/inventory/image/ImageField.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { type Existing, makeWorld, typesInOrder } from "../support/AnyObject.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let from: Api
let to: Api
const tokens = new Map<Api, string>()

const formats = { csv: "text/csv", json: "application/json", yaml: "application/yaml" }
const formatNames = Object.keys(formats) as ReadonlyArray<keyof typeof formats>

/** The order of the documentation, and the types that it does not name. */
const order = (() => {
  const docs = readFileSync(new URL("../../docs/netbox.md", import.meta.url), "utf8")
  const named = /```\n(extras\/tags [^`]*)\n```/.exec(docs)![1]!.split(/\s+/)
  // A file of a list has no bytes of images.
  const needsImage = ({ fields }: ObjectType) =>
    Object.values(fields).some((field) => field.imageFolder !== undefined && !isLeftOut(field))
  const types = typesInOrder().filter((type) => !needsImage(type))
  const documented = named.map((path) => types.find((type) => type.path === `/api/${path}/`)!)
  return [...documented, ...types.filter((type) => !documented.includes(type))]
})()

const listed = async ({ call }: Api, path: string) =>
  (await call<{ readonly results: ReadonlyArray<Json> }>("GET", `${path}?limit=1000`)).json.results

const write = async (method: string, path: string, body: unknown) => {
  const reply = await from.call<{ readonly id: number }>(method, `/api/${path}/`, body)
  if (reply.status > 201) throw new Error(reply.text)
  return reply.json.id
}

beforeAll(async () => {
  // Nothing is sent: the health of a webhook would change.
  ;[from, to] = await Promise.all([startApiAlone(), startApiAlone()])
  for (const api of [from, to]) tokens.set(api, await api.newToken())
  // Ids differ from the beginning.
  await to.database.sql.query("select setval(pg_get_serial_sequence('dcim_site', 'id'), 5000)")
  const existing = await makeWorld(from.call, 2)
  for (const { id, name, asset_tag, serial } of await listed(from, "/api/dcim/devices/")) {
    // An object that nothing names cannot be referred to in a file.
    if (name === null && asset_tag === null && serial === "") {
      await write("PATCH", `dcim/devices/${id}`, { serial: `S${id}` })
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
  await makeCircles(existing)
})
afterAll(() => Promise.all([from.stop(), to.stop()]))

/** Objects that refer to each other: machines and their primary addresses, a chassis and its master, two bridges, NAT. */
const makeCircles = async (existing: Existing) => {
  const [device_type] = existing("dcim.devicetype")
  const [device_role] = existing("dcim.devicerole")
  const usual = { device_type, device_role, site: existing("dcim.site")[0] }
  const stack = await write("POST", "dcim/virtual-chassis", { name: "stack of two" })
  const address = (text: string, type: string, on: number, fields: Json = {}) => {
    const assigned = { assigned_object_type: type, assigned_object_id: on }
    return write("POST", "ipam/ip-addresses", { address: text, ...assigned, ...fields })
  }
  const members: Array<{ readonly id: number; readonly port: number }> = []
  for (const at of [1, 2]) {
    // Named by their places in the chassis alone.
    const id = await write("POST", "dcim/devices", { ...usual, virtual_chassis: stack, vc_position: at })
    const port = await write("POST", "dcim/interfaces", { device: id, name: "vlan1", type: "bridge" })
    members.push({ id, port })
  }
  const [one, two] = [members[0]!, members[1]!]
  await write("PATCH", `dcim/virtual-chassis/${stack}`, { master: two.id })
  for (const [a, b] of [[one, two] as const, [two, one] as const]) {
    await write("PATCH", `dcim/interfaces/${a.port}`, { bridge: b.port })
  }
  const own = await address("192.0.2.1/24", "dcim.interface", one.port)
  const six = await address("2001:db8::1/64", "dcim.interface", one.port)
  await write("PATCH", `dcim/devices/${one.id}`, { primary_ip6: six })
  // The address of another device in the same chassis, and one behind NAT, whose inside address comes later.
  await write("PATCH", `dcim/devices/${two.id}`, { primary_ip4: own })
  const outside = await write("POST", "ipam/ip-addresses", { address: "198.51.100.1/24" })
  const inside = await address("192.0.2.2/24", "dcim.interface", one.port)
  await write("PATCH", `ipam/ip-addresses/${outside}`, { nat_inside: inside })
  await write("PATCH", `dcim/devices/${one.id}`, { primary_ip4: outside })
  const [cluster] = existing("virtualization.cluster")
  const machine = await write("POST", "virtualization/virtual-machines", { name: "circle", cluster })
  const port = await write("POST", "virtualization/interfaces", { virtual_machine: machine, name: "eth0" })
  const primary = await address("192.0.2.3/24", "virtualization.vminterface", port)
  await write("PATCH", `virtualization/virtual-machines/${machine}`, { primary_ip4: primary })
}

const exported = async (type: ObjectType, format: keyof typeof formats, query = "") => {
  const headers = { authorization: `Token ${tokens.get(from)}` }
  const response = await fetch(`${from.service.url}${type.path}export/?format=${format}${query}`, { headers })
  return response.text()
}

const imported = async (api: Api, type: ObjectType, format: keyof typeof formats, body: string) => {
  const headers = { authorization: `Token ${tokens.get(api)}`, "content-type": formats[format] }
  const response = await fetch(`${api.service.url}${type.path}import/`, { method: "POST", headers, body })
  return { type: type.id, status: response.status, json: (await response.json()) as Json, body }
}

const hidden =
  /^(id|url|created|last_updated|object_id|assigned_object_id|scope_id|component_id|interface_id|group_id|front_image|rear_image)$/

/** A value without ids, addresses and times: names stand for objects. Lists of references are in the order of ids. */
const nameless = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(nameless(each))).sort()
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, each]) => !hidden.test(key) && !(key === "display" && /^#\d+$/.test(String(each)))
  )
  return Object.fromEntries(kept.map(([key, each]) => [key, nameless(each)]))
}

const shown = (objects: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const displays = new Map(objects.map(({ id, display }) => [id, display]))
  // An inventory item refers to its parent by the id alone.
  const withParent = (object: Json): Json =>
    typeof object["parent"] === "number" ? { ...object, parent: displays.get(object["parent"]) } : object
  return objects.map((object) => JSON.stringify(nameless(withParent(object)))).sort()
}

const everything = async (api: Api) => {
  const all: Array<readonly [string, ReadonlyArray<string>]> = []
  for (const type of order) all.push([type.id, shown(await listed(api, type.path))])
  return all
}

describe("exports of every type", () => {
  it("make the same objects in an empty inventory, in one pass", { timeout: 400_000 }, async () => {
    for (const [at, type] of order.entries()) {
      const format = formatNames[at % formatNames.length]!
      const file = await exported(type, format)
      expect(await imported(to, type, format, file)).toMatchObject({ status: 200, json: { updated: 0, errors: [] } })
    }
    expect(await everything(to)).toEqual(await everything(from))
  })

  it("change nothing where they come from", { timeout: 400_000 }, async () => {
    const before = await everything(from)
    for (const type of order) {
      // A format other than above.
      const format = formatNames[(order.indexOf(type) + 1) % formatNames.length]!
      const reply = await imported(from, type, format, await exported(type, format, "&references=id"))
      expect(reply).toMatchObject({ status: 200, json: { created: 0, errors: [] } })
    }
    expect(await everything(from)).toEqual(before)
  })
})
