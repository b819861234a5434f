/**
 * Requests of pynetbox 7.8, one by one, and its needs of the answers: trailing slashes, `limit=0` and then `next`,
 * `limit=1&brief=1` to count, PATCH with what changed, lists for bulk, choices from OPTIONS, `null` for None.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { thorough } from "../support/Seed.ts"

interface Page {
  readonly count: number
  readonly next: string | null
  readonly results: ReadonlyArray<Json>
}

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
})
afterAll(() => api.stop())

/** As pynetbox's Request does: the content type also on a GET, JSON accepted. */
const send = async <A = Json>(method: string, path: string, body?: unknown) => {
  const response = await fetch(path.startsWith("http") ? path : `${api.service.url}/api/${path}`, {
    method,
    headers: { authorization: `Token ${token}`, "content-type": "application/json", accept: "application/json" },
    redirect: "error",
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: (text === "" ? undefined : JSON.parse(text)) as A }
}

/** `endpoint.filter(…)`: all pages, the next by its address. */
const filtered = async (path: string, query: string): Promise<ReadonlyArray<Json>> => {
  const found: Array<Json> = []
  let { json: page } = await send<Page>("GET", `${path}?limit=0${query}`)
  found.push(...page.results)
  while (page.next !== null) {
    page = (await send<Page>("GET", page.next)).json
    found.push(...page.results)
  }
  return found
}

const sites = "dcim/sites/"

thorough("the version is in a header, status and schema answer", async () => {
  expect((await send("GET", "")).headers.get("api-version")).toMatch(/^\d+\.\d+$/)
  expect((await send("GET", "status/")).json).toHaveProperty("netbox-version")
  expect((await send("GET", "schema/")).status).toBe(200)
  // pynetbox 7.0 asks where NetBox had it before 3.5.
  expect((await send("GET", "docs/?format=openapi")).json).toHaveProperty("openapi", "3.1.0")
})

test("objects are created, one and many, and found by get and filter", async () => {
  const one = await send(`POST`, sites, { name: "Berlin", slug: "ber", status: "planned" })
  expect([one.status, one.json]).toMatchObject([201, { status: { value: "planned", label: "Planned" } }])
  const many = Array.from({ length: 120 }, (_, n) => ({ name: `Site ${n}`, slug: `site-${n}` }))
  const bulk = await send<ReadonlyArray<Json>>("POST", sites, many)
  expect([bulk.status, bulk.json.map(({ name }) => name)]).toEqual([201, many.map(({ name }) => name)])
  expect(await filtered(sites, "&slug=ber")).toHaveLength(1)
  expect(await filtered(sites, "&name__isw=Site")).toHaveLength(120)
  const pages = await send<Page>("GET", `${sites}?limit=50&name__isw=Site`)
  const rest = await send<Page>("GET", `${sites}?name__isw=Site&limit=${pages.json.count}&offset=50`)
  expect([pages.json.count, rest.json.results.length, rest.json.next]).toEqual([120, 70, null])
  expect(await filtered(sites, "&region_id=null&status=planned")).toHaveLength(1)
  expect((await send("GET", `${sites}999999/`)).status).toBe(404)
})

test("count asks for one, brief", async () => {
  const { json } = await send<Page>("GET", `${sites}?limit=1&brief=1&name__isw=Site`)
  expect([json.count, Object.keys(json.results[0]!)]).toEqual([120, ["id", "url", "display", "name", "slug"]])
})

test("a nested object leads to its full details", async () => {
  const region = await send("POST", "dcim/regions/", { name: "Europe", slug: "europe" })
  const site = await send("POST", sites, { name: "Rome", slug: "rome", region: region.json["id"] })
  const nested = site.json["region"] as Json
  expect(nested).toMatchObject({ id: region.json["id"], display: "Europe" })
  expect(String(nested["url"])).toMatch(/\/api\/dcim\/regions\/\d+\/$/)
  expect((await send("GET", String(nested["url"]))).json["slug"]).toBe("europe")
})

test("save sends what changed, update many by their ids, delete one and many", async () => {
  const [rome] = await filtered(sites, "&slug=rome")
  const path = `${sites}${String(rome!["id"])}/`
  const saved = await send("PATCH", path, { status: "retired", region: null, description: "old" })
  expect([saved.status, saved.json]).toMatchObject([200, { status: { value: "retired" }, region: null, slug: "rome" }])
  const some = (await filtered(sites, "&name__isw=Site")).slice(0, 3).map(({ id }) => ({ id }))
  const updated = await send<ReadonlyArray<Json>>(
    "PATCH",
    sites,
    some.map((each) => ({ ...each, facility: "F" }))
  )
  expect([updated.status, updated.json.map(({ facility }) => facility)]).toEqual([200, ["F", "F", "F"]])
  expect((await send("DELETE", path)).status).toBe(204)
  expect((await send("DELETE", sites, some)).status).toBe(204)
  expect(await filtered(sites, "&name__isw=Site")).toHaveLength(117)
})

test("choices come from OPTIONS", async () => {
  const { json } = await send<{ readonly actions: Json }>("OPTIONS", sites)
  const post = json.actions["POST"] as Record<string, { readonly choices?: ReadonlyArray<Json> }>
  const choices = Object.entries(post).filter(([, { choices }]) => choices !== undefined)
  expect(Object.fromEntries(choices)["status"]!.choices![0]).toEqual({ value: "planned", display_name: "Planned" })
})

test("custom fields merge, tags are named by id or attributes", async () => {
  await send("POST", "extras/custom-fields/", { name: "owner", type: "text", content_types: ["dcim.site"] })
  await send("POST", "extras/custom-fields/", { name: "cost", type: "integer", content_types: ["dcim.site"] })
  const tag = await send("POST", "extras/tags/", { name: "Core", slug: "core" })
  const site = await send("POST", sites, {
    name: "C",
    slug: "c",
    custom_fields: { owner: "ann" },
    tags: [tag.json["id"]]
  })
  expect([site.status, site.json]).toMatchObject([201, { custom_fields: { owner: "ann", cost: null } }])
  const saved = await send("PATCH", `${sites}${String(site.json["id"])}/`, {
    custom_fields: { cost: 5 },
    tags: [{ name: "Core" }]
  })
  expect(saved.json).toMatchObject({ custom_fields: { owner: "ann", cost: 5 }, tags: [{ slug: "core" }] })
  expect(await filtered(sites, "&cf_owner=ann&tag=core")).toHaveLength(1)
})

/** `endpoint.list()` of a single object: pages of the usual size, the next by its address. */
const detailed = async (path: string): Promise<ReadonlyArray<Json>> => {
  const found: Array<Json> = []
  for (let next: string | null = path; next !== null;) {
    const { json }: { readonly json: Page } = await send<Page>("GET", next)
    found.push(...json.results)
    next = json.next
  }
  return found
}

/** The id of a new object. */
const made = async (path: string, body: Json): Promise<unknown> => {
  const { status, json } = await send("POST", `dcim/${path}/`, body)
  expect([path, status, status === 201 ? "" : json]).toEqual([path, 201, ""])
  return json["id"]
}

test("a device gets the components of its type, and is in the elevation of its rack", async () => {
  const { json } = await send("POST", sites, { name: "DC", slug: "dc" })
  const manufacturer = await made("manufacturers", { name: "Maker", slug: "maker" })
  const device_role = await made("device-roles", { name: "Role", slug: "role" })
  const device_type = await made("device-types", { manufacturer, model: "M", slug: "m", u_height: 2 })
  await made("interface-templates", { device_type, name: "eth0", type: "1000base-t" })
  await made("console-port-templates", { device_type, name: "con0", type: "rj-45" })
  const rear_port = await made("rear-port-templates", { device_type, name: "rear", type: "8p8c", positions: 2 })
  await made("front-port-templates", { device_type, name: "front", type: "8p8c", rear_port })
  await made("module-bay-templates", { device_type, name: "bay", position: "1" })
  const rack = await made("racks", { name: "R1", site: json["id"], u_height: 42 })
  const place = { rack, position: 41, face: "front" }
  const device = await made("devices", { name: "sw", site: json["id"], device_type, device_role, ...place })
  for (const [path, name] of [
    ["interfaces", "eth0"],
    ["console-ports", "con0"],
    ["rear-ports", "rear"],
    ["front-ports", "front"],
    ["module-bays", "bay"]
  ] as const) {
    const found = await filtered(`dcim/${path}/`, `&device_id=${String(device)}`)
    expect(found).toMatchObject([{ name, device: { id: device } }])
  }
  const [bay] = await filtered("dcim/module-bays/", `&device=sw`)
  const module_type = await made("module-types", { manufacturer, model: "Card" })
  await made("interface-templates", { module_type, name: "port {module}/1", type: "1000base-t" })
  await made("modules", { device, module_bay: bay!["id"], module_type })
  expect(await filtered("dcim/interfaces/", "&device=sw&name=port 1/1")).toHaveLength(1)
  const units = await detailed(`dcim/racks/${String(rack)}/elevation/`)
  expect(units).toHaveLength(84)
  expect(units.slice(0, 5).map(({ name, device }) => [name, (device as Json | null)?.["name"]])).toEqual([
    ["U42.5", "sw"],
    ["U42", "sw"],
    ["U41.5", "sw"],
    ["U41", "sw"],
    ["U40.5", undefined]
  ])
  await made("rack-reservations", { rack, units: [1, 2], description: "later", user: { username: "admin" } })
  expect(await filtered("dcim/rack-reservations/", `&rack_id=${String(rack)}`)).toMatchObject([{ units: [1, 2] }])
})

test("what pynetbox reads beside objects", async () => {
  expect((await send("GET", "plugins/installed-plugins/")).status).toBe(200)
  expect((await send("GET", "users/config/")).json).toEqual({})
  const types = await filtered("extras/content-types/", "&app_label=dcim&model=rackreservation")
  expect(types).toMatchObject([{ app_label: "dcim", model: "rackreservation" }])
  expect(await filtered("dcim/cables/", "")).toEqual([])
})

test("a failed write says which field", async () => {
  const reply = await send("POST", sites, { name: "D", slug: "not a slug" })
  expect([reply.status, Object.keys(reply.json)]).toEqual([400, ["slug"]])
  const bulk = await send<ReadonlyArray<Json>>("POST", sites, [
    { name: "ok", slug: "ok" },
    { name: "C", slug: "c" }
  ])
  expect([bulk.status, bulk.json.map((each) => Object.keys(each))]).toEqual([400, [[], ["name", "slug"]]])
})

test("circuits are terminated, cabled and traced", async () => {
  const made = async (path: string, body: Json) => (await send("POST", path, body)).json["id"] as number
  const provider = await made("circuits/providers/", { name: "Carrier", slug: "carrier" })
  const type = await made("circuits/circuit-types/", { name: "Transit", slug: "transit" })
  const provider_network = await made("circuits/provider-networks/", { provider, name: "Cloud" })
  const provider_account = await made("circuits/provider-accounts/", { provider, account: "4711" })
  const circuit = await made("circuits/circuits/", { cid: "C-1", provider, type, provider_account })
  const site = await made(sites, { name: "Oslo", slug: "oslo" })
  await made("circuits/circuit-terminations/", { circuit, term_side: "A", site, port_speed: 1000 })
  await made("circuits/circuit-terminations/", { circuit, term_side: "Z", provider_network })
  // `circuit.termination_a.full_details()`, and `termination.paths()`.
  const shown = (await send(`GET`, `circuits/circuits/${circuit}/`)).json
  const end = await send("GET", (shown["termination_a"] as Json)["url"] as string)
  expect(end.json).toMatchObject({ term_side: "A", site: { id: site }, cable: null, _occupied: false })
  expect((await send("GET", `circuits/circuit-terminations/${String(end.json["id"])}/paths/`)).json).toEqual([])
  expect(await filtered("circuits/circuits/", `&provider_network_id=${provider_network}&site=oslo`)).toHaveLength(1)
})

test("IPAM and wireless have every endpoint of pynetbox", async () => {
  const made = async (path: string, body: Json) => (await send("POST", path, body)).json["id"] as number
  const rir = await made("ipam/rirs/", { name: "Private", slug: "private" })
  const range = await made("ipam/asn-ranges/", { name: "Fabric", slug: "fabric", rir, start: 65_000, end: 65_009 })
  // `asn_range.available_asns.list()` and `.create([{…}, {…}])`.
  const free = `ipam/asn-ranges/${range}/available-asns/`
  expect((await send<ReadonlyArray<Json>>("GET", free)).json).toHaveLength(10)
  expect((await send<ReadonlyArray<Json>>("POST", free, [{}, { description: "leaf" }])).json).toMatchObject([
    { asn: 65_000 },
    { asn: 65_001, description: "leaf" }
  ])
  const group = await made("ipam/fhrp-groups/", { protocol: "hsrp", group_id: 1 })
  await made("ipam/ip-addresses/", {
    ...{ address: "192.0.2.1/24", assigned_object_type: "ipam.fhrpgroup", assigned_object_id: group }
  })
  const [found] = await filtered("ipam/fhrp-groups/", "&protocol=hsrp")
  expect(found).toMatchObject({ ip_addresses: [{ address: "192.0.2.1/24" }] })
  const l2vpn = await made("ipam/l2vpns/", { name: "Overlay", slug: "overlay", type: "vxlan", identifier: 7 })
  const vlan = await made("ipam/vlans/", { vid: 7, name: "overlay" })
  await made("ipam/l2vpn-terminations/", { l2vpn, assigned_object_type: "ipam.vlan", assigned_object_id: vlan })
  expect((await send("GET", `ipam/vlans/${vlan}/`)).json).toMatchObject({ l2vpn_termination: { l2vpn: { id: l2vpn } } })
  await made("ipam/service-templates/", { name: "DNS", ports: [53], protocol: "udp" })
  const lan = await made("wireless/wireless-lans/", { ssid: "guest", vlan })
  expect((await send("PATCH", `wireless/wireless-lans/${lan}/`, { status: "disabled" })).json).toMatchObject({
    ...{ status: { value: "disabled", label: "Disabled" } }
  })
  for (const path of ["wireless/wireless-lan-groups/", "wireless/wireless-links/", "ipam/fhrp-group-assignments/"])
    expect((await send<Page>("GET", `${path}?limit=0`)).json.count).toBe(0)
})

test("newer clients send later names and Bearer", async () => {
  const made = async (path: string, body: Json) => (await send("POST", path, body)).json["id"] as number
  const site = await made(sites, { name: "Bern", slug: "bern" })
  const manufacturer = await made("dcim/manufacturers/", { name: "Newer", slug: "newer" })
  const device_type = await made("dcim/device-types/", { manufacturer, model: "Newer", slug: "newer" })
  const [role, other] = [
    await made("dcim/device-roles/", { name: "Newer leaf", slug: "newer-leaf" }),
    await made("dcim/device-roles/", { name: "Newer spine", slug: "newer-spine" })
  ]
  const device = await send("POST", "dcim/devices/?strict=true", { name: "leaf1", site, device_type, role })
  expect([device.status, device.json]).toMatchObject([201, { device_role: { id: role } }])
  expect(Object.hasOwn(device.json, "role")).toBe(false)
  const changed = await send("PATCH", `dcim/devices/${String(device.json["id"])}/`, { role: other })
  expect(changed.json).toMatchObject({ device_role: { id: other } })
  const neither = await send("POST", "dcim/devices/", { name: "leaf2", site, device_type })
  expect([neither.status, neither.json]).toEqual([400, { device_role: ["This field is required."] }])
  const field = await send("POST", "extras/custom-fields/", {
    name: "newer_owner",
    type: "text",
    object_types: ["dcim.site"]
  })
  expect(field.json).toMatchObject({ content_types: ["dcim.site"] })
  const contact = await made("tenancy/contacts/", { name: "Eve" })
  const assignment = await send("POST", "tenancy/contact-assignments/", {
    object_type: "dcim.site",
    object_id: site,
    contact
  })
  expect(assignment.json).toMatchObject({ content_type: "dcim.site", object: { id: site } })
  const bearing = (key: string) =>
    fetch(`${api.service.url}/api/${sites}?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  expect([(await bearing(token)).status, (await bearing("nbt_a.b")).status]).toEqual([200, 403])
})
