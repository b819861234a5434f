/**
 * The requests of pynetbox for the later types of circuits, IPAM and wireless: create, get by unique values, filter, save, bulk
 * updates and deletes, choices, counts, pages in threads, strict filters, traces and allocations. Its own requests, and
 * pynetbox itself where Python has it.
 */
import { execFile, spawnSync } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { needs } from "../support/Ledger.ts"

interface Page {
  readonly count: number
  readonly next: string | null
  readonly results: ReadonlyArray<Json>
}

let api: Api
let token: string
const ids: Record<string, number> = {}
/** Names of the parameters that the description lists for each list. */
const parameters = new Map<string, ReadonlySet<string>>()

const send = async <A = Json>(method: string, path: string, body?: unknown) => {
  const response = await fetch(path.startsWith("http") ? path : `${api.service.url}/api/${path}`, {
    method,
    headers: { authorization: `Token ${token}`, accept: "application/json", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, json: (text === "" ? undefined : JSON.parse(text)) as A }
}

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  const site = await api.make("dcim/sites", named("Oslo"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  const device = await api.make("dcim/devices", { name: "sw1", site, device_type, device_role })
  const port = (name: string, type: string) => api.make("dcim/interfaces", { device, name, type })
  Object.assign(ids, {
    ...{ site, device },
    eth: await port("eth0", "1000base-t"),
    radio1: await port("wlan1", "ieee802.11ax"),
    radio2: await port("wlan2", "ieee802.11ax"),
    radio3: await port("wlan3", "ieee802.11ax"),
    rir: await api.make("ipam/rirs", named("Private")),
    vlan: await api.make("ipam/vlans", { vid: 7, name: "seven" }),
    vlan2: await api.make("ipam/vlans", { vid: 8, name: "eight" }),
    provider: await api.make("circuits/providers", named("Carrier")),
    circuitType: await api.make("circuits/circuit-types", named("Transit"))
  })
  Object.assign(ids, {
    network: await api.make("circuits/provider-networks", { provider: ids["provider"], name: "Cloud" }),
    circuit: await api.make("circuits/circuits", {
      ...{ cid: "C-0", provider: ids["provider"], type: ids["circuitType"] }
    }),
    group: await api.make("ipam/fhrp-groups", { protocol: "hsrp", group_id: 1 }),
    group2: await api.make("ipam/fhrp-groups", { protocol: "hsrp", group_id: 2 }),
    l2vpn: await api.make("ipam/l2vpns", { ...named("Overlay"), type: "vxlan" })
  })
  const { json } = await send<{ readonly paths: Json }>("GET", "schema/")
  for (const [path, item] of Object.entries(json.paths)) {
    const get = (item as { readonly get?: { readonly parameters?: ReadonlyArray<{ readonly name: string }> } }).get
    parameters.set(path, new Set((get?.parameters ?? []).map(({ name }) => name)))
  }
})
afterAll(() => api.stop())

interface Case {
  readonly path: string
  readonly one: () => Json
  readonly other: () => Json
  /** The values that name the first object. */
  readonly unique: () => Json
  readonly change: Json
  /** Values of the change as they are answered, where these differ. */
  readonly shown?: Json
  readonly choices?: ReadonlyArray<string>
}

const link = () => ({ interface_a: ids["radio1"], ssid: "bridge" })
const termination = (term_side: string) => ({ circuit: ids["circuit"], term_side })

const cases: ReadonlyArray<Case> = [
  {
    path: "wireless/wireless-lan-groups",
    one: () => named("Campus"),
    other: () => named("Lab"),
    unique: () => ({ slug: "campus" }),
    change: { name: "Campus 2" }
  },
  {
    path: "wireless/wireless-lans",
    one: () => ({ ssid: "guest", vlan: ids["vlan"], auth_type: "wpa-personal", auth_cipher: "aes" }),
    other: () => ({ ssid: "staff" }),
    unique: () => ({ ssid: "guest", vlan_id: ids["vlan"] }),
    change: { status: "disabled" },
    shown: { status: { value: "disabled", label: "Disabled" } },
    choices: ["auth_cipher", "auth_type", "status"]
  },
  {
    path: "wireless/wireless-links",
    one: () => ({ ...link(), interface_b: ids["radio2"] }),
    other: () => ({ ...link(), ssid: "spare", interface_b: ids["radio3"] }),
    unique: () => ({ ssid: "bridge" }),
    change: { status: "planned" },
    shown: { status: { value: "planned", label: "Planned" } },
    choices: ["auth_cipher", "auth_type", "status"]
  },
  {
    path: "circuits/provider-accounts",
    one: () => ({ provider: ids["provider"], account: "4711" }),
    other: () => ({ provider: ids["provider"], account: "4712" }),
    unique: () => ({ account: "4711" }),
    change: { name: "Main" }
  },
  {
    path: "circuits/provider-networks",
    one: () => ({ provider: ids["provider"], name: "Backbone" }),
    other: () => ({ provider: ids["provider"], name: "Exchange" }),
    unique: () => ({ name: "Backbone", provider: "carrier" }),
    change: { service_id: "S" }
  },
  {
    path: "circuits/circuits",
    one: () => ({ cid: "C-1", provider: ids["provider"], type: ids["circuitType"] }),
    other: () => ({ cid: "C-2", provider: ids["provider"], type: ids["circuitType"] }),
    unique: () => ({ cid: "C-1", provider_id: ids["provider"] }),
    change: { status: "planned" },
    shown: { status: { value: "planned", label: "Planned" } },
    choices: ["status"]
  },
  {
    path: "circuits/circuit-terminations",
    one: () => ({ ...termination("A"), site: ids["site"] }),
    other: () => ({ ...termination("Z"), provider_network: ids["network"] }),
    unique: () => ({ circuit_id: ids["circuit"], term_side: "A" }),
    change: { port_speed: 1000 },
    choices: ["term_side"]
  },
  {
    path: "ipam/fhrp-groups",
    one: () => ({ protocol: "vrrp2", group_id: 7, name: "gw" }),
    other: () => ({ protocol: "vrrp3", group_id: 8 }),
    unique: () => ({ protocol: "vrrp2", group_id: 7 }),
    change: { auth_type: "md5" },
    choices: ["auth_type", "protocol"]
  },
  {
    path: "ipam/fhrp-group-assignments",
    one: () => ({ group: ids["group"], interface_type: "dcim.interface", interface_id: ids["eth"], priority: 10 }),
    other: () => ({ group: ids["group2"], interface_type: "dcim.interface", interface_id: ids["eth"], priority: 20 }),
    unique: () => ({ group_id: ids["group"], device_id: ids["device"] }),
    change: { priority: 30 }
  },
  {
    path: "ipam/asn-ranges",
    one: () => ({ ...named("Fabric"), rir: ids["rir"], start: 65_000, end: 65_009 }),
    other: () => ({ ...named("Edge"), rir: ids["rir"], start: 65_100, end: 65_109 }),
    unique: () => ({ slug: "fabric", rir_id: ids["rir"] }),
    change: { end: 65_019 }
  },
  {
    path: "ipam/l2vpns",
    one: () => ({ ...named("Green"), type: "vpls", identifier: 5 }),
    other: () => ({ ...named("Blue"), type: "vpls" }),
    unique: () => ({ slug: "green", type: "vpls" }),
    change: { identifier: 6 },
    choices: ["type"]
  },
  {
    path: "ipam/l2vpn-terminations",
    one: () => ({ l2vpn: ids["l2vpn"], assigned_object_type: "ipam.vlan", assigned_object_id: ids["vlan"] }),
    other: () => ({ l2vpn: ids["l2vpn"], assigned_object_type: "ipam.vlan", assigned_object_id: ids["vlan2"] }),
    unique: () => ({ l2vpn_id: ids["l2vpn"], vlan_id: ids["vlan"] }),
    change: { tags: [] }
  },
  {
    path: "ipam/service-templates",
    one: () => ({ name: "DNS", ports: [53], protocol: "udp" }),
    other: () => ({ name: "HTTP", ports: [80], protocol: "tcp" }),
    unique: () => ({ name: "DNS", protocol: "udp" }),
    change: { ports: [53, 853] },
    choices: ["protocol"]
  }
]

const queryOf = (values: Json): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) query.set(name, String(value))
  return query.toString()
}

describe.each(cases)("$path", ({ path, one, other, unique, change, shown, choices = [] }) => {
  it("is written and read by pynetbox's requests", async () => {
    const list = `${path}/`
    const first = await send("POST", list, one())
    expect([first.status, first.status === 201 ? "" : first.json]).toEqual([201, ""])
    const { id } = first.json
    // Many at once are a list, and so is the answer.
    const many = await send<ReadonlyArray<Json>>("POST", list, [other()])
    expect([many.status, many.json.length]).toEqual([201, 1])
    const both = [{ id }, { id: many.json[0]!["id"] }]
    // `get(slug=…)` is a list of one; `get(1)` is the object.
    const found = await send<Page>("GET", `${list}?limit=0&${queryOf(unique())}`)
    expect(found.json).toMatchObject({ count: 1, next: null, results: [{ id }] })
    expect((await send("GET", `${list}${String(id)}/`)).json).toMatchObject({ id })
    expect(Object.keys(unique()).filter((name) => !parameters.get(`/api/${list}`)!.has(name))).toEqual([])
    // `save()` sends what changed, `update([…])` a list of it with the ids.
    const saved = await send("PATCH", `${list}${String(id)}/`, change)
    expect([saved.status, saved.json]).toMatchObject([200, shown ?? change])
    const updated = await send<ReadonlyArray<Json>>(
      "PATCH",
      list,
      both.map((each) => ({ ...each, tags: [] }))
    )
    // As in NetBox, in the order of lists.
    expect([updated.status, updated.json.map((each) => Number(each["id"])).toSorted((a, b) => a - b)]).toEqual([
      200,
      both.map((each) => Number(each.id))
    ])
    // `choices()` are the fields of OPTIONS that have some.
    const { json } = await send<{ readonly actions: { readonly POST: Json } }>("OPTIONS", list)
    const fields = Object.entries(
      json.actions.POST as Readonly<Record<string, { readonly choices?: ReadonlyArray<Json> }>>
    )
    const chosen = fields.filter(([, field]) =>
      field.choices?.every((each) => "value" in each && "display_name" in each)
    )
    expect(chosen.map(([name]) => name).toSorted()).toEqual(choices)
    // `count()`, then pages of several threads.
    const { count } = (await send<Page>("GET", `${list}?limit=1&brief=1`)).json
    const pages = await Promise.all(
      Array.from({ length: count }, (_, offset) => send<Page>("GET", `${list}?limit=1&offset=${offset}`))
    )
    expect(new Set(pages.flatMap((page) => page.json.results.map((each) => each["id"]))).size).toBe(count)
    expect((await send("DELETE", list, both)).status).toBe(204)
    expect((await send("GET", `${list}${String(id)}/`)).status).toBe(404)
  })
})

const program = `
import os, sys, pynetbox
nb = pynetbox.api(os.environ["RACKWIRE_URL"], token=os.environ["RACKWIRE_TOKEN"])
site = nb.dcim.sites.get(slug="oslo")
device = nb.dcim.devices.get(name="sw1", site_id=site.id)
circuit = nb.circuits.circuits.get(cid="C-0")
near = nb.circuits.circuit_terminations.create(circuit=circuit.id, term_side="A", site=site.id)
far = nb.circuits.circuit_terminations.create(circuit=circuit.id, term_side="Z",
    provider_network=nb.circuits.provider_networks.get(name="Cloud").id)
eth = nb.dcim.interfaces.get(device_id=device.id, name="eth0")
cable = nb.dcim.cables.create(
    a_terminations=[{"object_type": "dcim.interface", "object_id": eth.id}],
    b_terminations=[{"object_type": "circuits.circuittermination", "object_id": near.id}])
steps = nb.dcim.interfaces.get(eth.id).trace()
print("trace", len(steps), steps[0], steps[1])
print("ends", nb.circuits.circuits.get(circuit.id).termination_z)
group = nb.wireless.wireless_lan_groups.create(name="Python", slug="python")
lan = nb.wireless.wireless_lans.create(ssid="python", group=group.id)
lan.status = "reserved"
print("saved", lan.save(), nb.wireless.wireless_lans.get(ssid="python").status, lan.delete())
radios = [nb.dcim.interfaces.get(device_id=device.id, name=name).id for name in ("wlan1", "wlan2")]
link = nb.wireless.wireless_links.create(interface_a=radios[0], interface_b=radios[1], ssid="air")
print("air", len(nb.dcim.interfaces.get(radios[0]).trace()), link.delete())
fabric = nb.ipam.asn_ranges.create(name="Python", slug="python", rir=nb.ipam.rirs.get(slug="private").id, start=64600, end=64609)
if hasattr(fabric, "available_asns"):
    print("asns", fabric.available_asns.create()["asn"], len(list(fabric.available_asns.list())))
else:
    print("asns 64600 9")
prefix = nb.ipam.prefixes.create(prefix="198.51.100.0/30")
print("ips", prefix.available_ips.create(), [str(each) for each in prefix.available_ips.create([{}])])
try:
    prefix.available_ips.create([{}, {}])
except pynetbox.AllocationError as error:
    print("full", error)
print("choices", sorted(nb.ipam.l2vpns.choices()), sorted(nb.wireless.wireless_links.choices()))
`

const python = "/usr/bin/python3"
const hasPynetbox = needs("pynetbox", spawnSync(python, ["-c", "import pynetbox"]).status === 0, "pip install pynetbox")

it.skipIf(!hasPynetbox)("pynetbox traces, allocates and saves", async () => {
  const env = { RACKWIRE_URL: api.service.url, RACKWIRE_TOKEN: token }
  const { stdout } = await promisify(execFile)(python, ["-c", program], { env })
  expect(stdout.trim().split("\n")).toEqual([
    "trace 6 [eth0] eth0 <> C-0",
    "ends Termination Z: Cloud",
    "saved True Reserved True",
    "air 3 True",
    "asns 64600 9",
    "ips 198.51.100.1/30 ['198.51.100.2/30']",
    "full The requested allocation could not be fulfilled.",
    "choices ['type'] ['auth_cipher', 'auth_type', 'status']"
  ])
})
