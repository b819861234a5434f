/** Rules between an object and others: where it stands, what it must not meet, and what needs it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

type Made = Json & { readonly id: number }

let api: Api
let site: Made
let other: Made
let role: Made
let type: Made
let tall: Made

/** Errors of a new object, or of a change of one that is there. */
const wrong = async (path: string, body: unknown, method = "POST") => {
  const { status, json } = await api.call(method, `/api/${path}/`, body)
  return status === 400 ? json : status
}

beforeAll(async () => {
  api = await sharedApi()
  site = await api.makeObject("dcim/sites", named("Here"))
  other = await api.makeObject("dcim/sites", named("There"))
  role = await api.makeObject("dcim/device-roles", named("Role"))
  const manufacturer = await api.makeObject("dcim/manufacturers", named("Maker"))
  type = await api.makeObject("dcim/device-types", { manufacturer: manufacturer.id, model: "One", slug: "one" })
  tall = await api.makeObject("dcim/device-types", {
    manufacturer: manufacturer.id,
    model: "Four",
    slug: "four",
    u_height: 4
  })
})
afterAll(() => api.stop())

const device = (fields: Json): Json => ({ device_type: type.id, device_role: role.id, site: site.id, ...fields })

describe("a device", () => {
  it("is in the site of its rack and location, with a face and whole units", async () => {
    const rack = await api.makeObject("dcim/racks", { name: "R1", site: site.id, u_height: 10 })
    const place = { rack: rack.id, position: 1, face: "front" }
    const refused = (fields: Json) => wrong("dcim/devices", device({ name: "D", ...place, ...fields }))
    expect(await refused({ site: other.id })).toEqual({ rack: ["Rack R1 does not belong to site There."] })
    expect(await refused({ face: null })).toEqual({ face: ["Must specify rack face when defining rack position."] })
    expect(await refused({ position: 1.2 })).toEqual({
      position: ["Position must be in increments of 0.5 rack units."]
    })
    expect(await refused({ rack: null, face: null })).toEqual({
      position: ["Cannot select a rack position without assigning a rack."]
    })
    expect(await refused({ device_type: tall.id, position: 8 })).toEqual({
      position: ["U8 is already occupied or does not have sufficient space to accommodate this device type: Four (4U)"]
    })
  })

  it("cannot take the place of another, not within one write and not in concurrent ones", async () => {
    const rack = await api.makeObject("dcim/racks", { name: "R2", site: site.id })
    const at = (position: number, fields: Json = {}) =>
      device({ device_type: tall.id, rack: rack.id, position, face: "front", ...fields })
    await api.make("dcim/devices", at(1))
    const occupied = (unit: number) => ({
      position: [
        `U${unit} is already occupied or does not have sufficient space to accommodate this device type: Four (4U)`
      ]
    })
    expect(await wrong("dcim/devices", at(4))).toEqual(occupied(4))
    expect(await wrong("dcim/devices", at(1, { face: "rear" }))).toEqual(occupied(1))
    expect(await wrong("dcim/devices", [at(5), at(7)])).toEqual([{}, occupied(7)])
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await api.call("POST", "/api/dcim/devices/", at(20))).status)
    )
    expect(statuses.sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400])
  })

  it("has a name that is unique in its site, ignoring case", async () => {
    await api.make("dcim/devices", device({ name: "Switch" }))
    expect(await wrong("dcim/devices", device({ name: "sWITCH" }))).toEqual({
      __all__: ["Device name must be unique per site."]
    })
    await api.make("dcim/devices", device({ name: "switch", site: other.id }))
  })

  it("has a primary address of its own interfaces", async () => {
    const owner = await api.makeObject("dcim/devices", device({ name: "Owner" }))
    const port = await api.makeObject("dcim/interfaces", { device: owner.id, name: "eth0", type: "1000base-t" })
    const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: port.id }
    const address = await api.makeObject("ipam/ip-addresses", { address: "192.0.2.1/24", ...assigned })
    const elsewhere = await api.makeObject("ipam/ip-addresses", { address: "192.0.2.2/24" })
    const path = `dcim/devices/${owner.id}`
    expect(await wrong(path, { primary_ip4: elsewhere.id }, "PATCH")).toEqual({
      primary_ip4: ["The specified IP address (192.0.2.2/24) is not assigned to this device."]
    })
    expect(await wrong(path, { primary_ip6: address.id }, "PATCH")).toEqual({
      primary_ip6: ["192.0.2.1/24 is not an IPv6 address."]
    })
    const { json } = await api.call<Json>("PATCH", `/api/${path}/`, { primary_ip4: address.id })
    expect(json["primary_ip"]).toMatchObject({ address: "192.0.2.1/24", family: 4 })
    expect((await api.call("DELETE", `/api/dcim/interfaces/${port.id}/`)).status).toBe(204)
    expect((await api.call("GET", `/api/ipam/ip-addresses/${address.id}/`)).status).toBe(404)
    expect((await api.call<Json>("GET", `/api/${path}/`)).json["primary_ip"]).toBeNull()
  })
})

describe("an address", () => {
  it("is unique in a VRF that enforces it, unless its role allows sharing", async () => {
    const vrf = await api.makeObject("ipam/vrfs", { name: "Strict" })
    const loose = await api.makeObject("ipam/vrfs", { name: "Loose", enforce_unique: false })
    const body = { address: "198.51.100.1/24", vrf: vrf.id }
    await api.make("ipam/ip-addresses", body)
    const duplicate = { address: ["Duplicate IP address found in VRF Strict: 198.51.100.1/24"] }
    expect(await wrong("ipam/ip-addresses", { ...body, address: "198.51.100.1/32" })).toEqual(duplicate)
    expect(await wrong("ipam/ip-addresses", { ...body, role: "vip" })).toEqual(duplicate)
    for (const free of [{}, { vrf: loose.id }, { vrf: loose.id }]) {
      await api.make("ipam/ip-addresses", { address: body.address, ...free })
    }
    await api.make("ipam/ip-addresses", { ...body, address: "198.51.100.9/24", role: "vip" })
    await api.make("ipam/ip-addresses", { ...body, address: "198.51.100.9/24", role: "anycast" })
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const once = { ...body, address: "198.51.100.77/24" }
        return (await api.call("POST", "/api/ipam/ip-addresses/", once)).status
      })
    )
    expect(statuses.sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400])
  })
})

describe("networks", () => {
  it("of aggregates do not overlap", async () => {
    const rir = await api.makeObject("ipam/rirs", named("RIR"))
    await api.make("ipam/aggregates", { prefix: "10.0.0.0/8", rir: rir.id })
    expect(await wrong("ipam/aggregates", { prefix: "10.1.0.0/16", rir: rir.id })).toEqual({
      prefix: ["Aggregates cannot overlap. 10.1.0.0/16 is already covered by an existing aggregate (10.0.0.0/8)."]
    })
    expect(await wrong("ipam/aggregates", { prefix: "8.0.0.0/6", rir: rir.id })).toEqual({
      prefix: ["Prefixes cannot overlap aggregates. 8.0.0.0/6 covers an existing aggregate (10.0.0.0/8)."]
    })
  })

  it("show their depth and the number of their children", async () => {
    const outer = await api.makeObject("ipam/prefixes", { prefix: "10.50.0.0/16" })
    const inner = await api.makeObject("ipam/prefixes", { prefix: "10.50.1.0/24" })
    const get = async (id: number) => (await api.call<Json>("GET", `/api/ipam/prefixes/${id}/`)).json
    expect(await get(outer.id)).toMatchObject({ children: 1, _depth: 0 })
    expect(await get(inner.id)).toMatchObject({ children: 0, _depth: 1 })
  })

  it.each([
    ["10.60.1.1/24", "10.60.1.1/24 is not a valid prefix. Did you mean 10.60.1.0/24?"],
    ["0.0.0.0/0", "Cannot create prefix with /0 mask."],
    ["10.60.1", "Invalid IP address format: 10.60.1"]
  ])("are not %s", async (prefix, message) => {
    expect(await wrong("ipam/prefixes", { prefix })).toEqual({ prefix: [message] })
  })
})

describe("a VLAN", () => {
  it("has an id in the range of its group", async () => {
    const group = await api.makeObject("ipam/vlan-groups", { ...named("Range"), min_vid: 100, max_vid: 199 })
    expect(await wrong("ipam/vlans", { vid: 200, name: "V", group: group.id })).toEqual({
      vid: ["VID must be between 100 and 199 for VLANs in group Range"]
    })
  })
})

describe("a tree", () => {
  it("cannot be made a cycle by two moves in one write", async () => {
    const [a, b] = [await api.makeObject("dcim/regions", named("A")), await api.makeObject("dcim/regions", named("B"))]
    const moves = [
      { id: a.id, parent: b.id },
      { id: b.id, parent: a.id }
    ]
    expect(await wrong("dcim/regions", moves, "PATCH")).toEqual({
      parent: ["Cannot assign self or child region as parent."]
    })
  })

  it("counts the objects of its branches", async () => {
    const top = await api.makeObject("dcim/regions", named("Top"))
    const leaf = await api.makeObject("dcim/regions", { ...named("Leaf"), parent: top.id })
    await api.make("dcim/sites", { ...named("Counted"), region: leaf.id })
    const { json } = await api.call<{ readonly results: ReadonlyArray<Json> }>(
      "GET",
      "/api/dcim/regions/?name=Leaf&name=Top"
    )
    expect(json.results).toMatchObject([
      { name: "Top", site_count: 1, _depth: 0 },
      { name: "Leaf", site_count: 1, _depth: 1 }
    ])
  })
})

describe("an object that others need", () => {
  it("is not deleted, and the answer names them, also those that need what would be deleted with it", async () => {
    const home = await api.makeObject("dcim/sites", named("Home"))
    const location = await api.makeObject("dcim/locations", { ...named("Room"), site: home.id })
    const box = await api.makeObject("dcim/devices", device({ name: "Box", site: home.id, location: location.id }))
    const detail = { detail: `Unable to delete object. 1 dependent objects were found: Box (${box.id})` }
    for (const path of [`dcim/sites/${home.id}`, `dcim/locations/${location.id}`]) {
      const { status, json } = await api.call("DELETE", `/api/${path}/`)
      expect([status, json]).toEqual([409, detail])
    }
    const bulk = await api.call("DELETE", "/api/dcim/sites/", [{ id: home.id }])
    expect([bulk.status, bulk.json]).toEqual([409, detail])
    expect((await api.call("GET", `/api/dcim/locations/${location.id}/`)).status).toBe(200)
  })
})

describe("a cable", () => {
  it("ends at interfaces without another cable, and they show it", async () => {
    const box = await api.makeObject("dcim/devices", device({ name: "Cabled" }))
    const [a, b, c, virtual] = await Promise.all(
      ["a", "b", "c", "v"].map((name) =>
        api.makeObject("dcim/interfaces", { device: box.id, name, type: name === "v" ? "virtual" : "1000base-t" })
      )
    )
    const end = (port: Made | undefined) => [{ object_type: "dcim.interface", object_id: port!.id }]
    const cable = await api.makeObject("dcim/cables", { a_terminations: end(a), b_terminations: end(b), label: "C1" })
    const shown = async (port: Made | undefined) =>
      (await api.call<Json>("GET", `/api/dcim/interfaces/${port!.id}/`)).json
    expect(await shown(b)).toMatchObject({ cable: { id: cable.id, label: "C1" }, cable_end: "B", _occupied: true })
    expect(await wrong("dcim/cables", { a_terminations: end(c), b_terminations: end(b) })).toEqual({
      b_terminations: [`Duplicate termination found for dcim.interface ${b!.id}: cable ${cable.id}`]
    })
    expect(await wrong("dcim/cables", { a_terminations: end(c), b_terminations: end(virtual) })).toEqual({
      b_terminations: ["Cables cannot be terminated to Virtual interfaces"]
    })
    await api.call("DELETE", `/api/dcim/interfaces/${a!.id}/`)
    expect((await api.call("GET", `/api/dcim/cables/${cable.id}/`)).status).toBe(404)
    expect(await shown(b)).toMatchObject({ cable: null, cable_end: "", _occupied: false })
  })
})
