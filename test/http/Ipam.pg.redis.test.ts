/** FHRP groups, ranges of AS numbers, templates of services and L2VPNs by the API, with the rules of NetBox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let device: number
let machine: number
let number = 0

const get = async <A = Json>(path: string) => (await api.call<A>("GET", `/api/${path}`)).json
const ids = async (path: string) => (await get<List>(`${path}&limit=0`)).results.map(({ id }) => id)
const refused = async (path: string, body: Json) => {
  const { status, json } = await api.call<Json>("POST", `/api/${path}/`, body)
  return status === 400 ? json : status
}
const imported = async (path: string, rows: ReadonlyArray<Json>, query = "") =>
  (await api.call<Json>("POST", `/api/ipam/${path}/import/${query}`, rows)).json
const port = () => api.make("dcim/interfaces", { device, name: `eth${(number += 1)}`, type: "virtual" })
const virtual = () => api.make("virtualization/interfaces", { virtual_machine: machine, name: `v${(number += 1)}` })
const vlan = () => api.make("ipam/vlans", { vid: 1 + (number += 1), name: `vlan ${number}` })

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", {
    ...named("Here"),
    region: await api.make("dcim/regions", named("North"))
  })
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  device = await api.make("dcim/devices", { name: "r1", site, device_type, device_role })
  machine = await api.make("virtualization/virtual-machines", { name: "vm1", site })
})
afterAll(() => api.stop())

describe("an FHRP group", () => {
  it("has addresses of its own, and interfaces", async () => {
    const group = await api.make("ipam/fhrp-groups", { name: "gw", protocol: "vrrp3", group_id: 7, auth_type: "md5" })
    const assigned = { assigned_object_type: "ipam.fhrpgroup", assigned_object_id: group }
    const address = await api.make("ipam/ip-addresses", { address: "10.7.0.1/24", role: "vrrp", ...assigned })
    const near = await api.make("ipam/ip-addresses", { address: "10.7.0.9/24" })
    const far = await api.make("ipam/ip-addresses", { address: "10.8.0.9/24" })
    expect(await get(`ipam/fhrp-groups/${group}/`)).toMatchObject({
      ...{ display: "gw VRRPv3: 7", protocol: "vrrp3", auth_type: "md5", ip_addresses: [{ id: address, family: 4 }] }
    })
    expect(await get(`ipam/ip-addresses/${address}/`)).toMatchObject({
      ...{ assigned_object: { id: group, protocol: "vrrp3", group_id: 7 } }
    })
    expect(await ids(`ipam/ip-addresses/?fhrpgroup_id=${group}`)).toEqual([address])
    expect(await ids("ipam/ip-addresses/?assigned_to_interface=true")).not.toContain(address)
    expect(await ids("ipam/ip-addresses/?assigned=true")).toContain(address)
    expect(await ids(`ipam/fhrp-groups/?related_ip=${near}`)).toEqual([group])
    expect(await ids(`ipam/fhrp-groups/?related_ip=${far}`)).toEqual([])

    const [eth, v] = [await port(), await virtual()]
    const join = (interface_type: string, interface_id: number) => ({
      group,
      interface_type,
      interface_id,
      priority: 100
    })
    const [first, second] = [
      await api.make("ipam/fhrp-group-assignments", join("dcim.interface", eth)),
      await api.make("ipam/fhrp-group-assignments", join("virtualization.vminterface", v))
    ]
    expect(await refused("ipam/fhrp-group-assignments", join("dcim.interface", eth))).toHaveProperty("__all__")
    expect(await refused("ipam/fhrp-group-assignments", join("dcim.site", 1))).toEqual({
      interface_type: ["Invalid content type: dcim.site"]
    })
    expect((await get<List>(`ipam/fhrp-group-assignments/?brief=1&device=r1`)).results).toEqual([
      {
        ...{
          id: first,
          url: expect.any(String) as string,
          display: expect.stringMatching(/: gw VRRPv3: 7 \(100\)$/) as string
        },
        ...{ interface_type: "dcim.interface", interface_id: eth, group_id: group, priority: 100 }
      }
    ])
    expect(await ids("ipam/fhrp-group-assignments/?virtual_machine=vm1")).toEqual([second])
    expect(await get(`dcim/interfaces/${eth}/`)).toMatchObject({ count_fhrp_groups: 1 })
    expect(await get(`virtualization/interfaces/${v}/`)).toMatchObject({ count_fhrp_groups: 1 })
    await api.call("DELETE", `/api/dcim/interfaces/${eth}/`)
    await api.call("DELETE", `/api/ipam/fhrp-groups/${group}/`)
    expect(await ids("ipam/fhrp-group-assignments/?q=")).toEqual([])
    expect((await api.call("GET", `/api/ipam/ip-addresses/${address}/`)).status).toBe(404)
  })

  it("is named in files by its number and protocol, and its name if it has one", async () => {
    const hsrp = { protocol: "hsrp", group_id: 31 }
    const group = await api.make("ipam/fhrp-groups", hsrp)
    await api.make("ipam/fhrp-groups", { ...hsrp, name: "other" })
    const assignment = { group, interface_type: "dcim.interface", interface_id: await port(), priority: 5 }
    const assigned = await api.make("ipam/fhrp-group-assignments", assignment)
    const file = await get<ReadonlyArray<Json>>(`ipam/fhrp-group-assignments/export/?format=json&id=${assigned}`)
    expect(file).toMatchObject([{ group: { ...hsrp, name: "" } }])

    await api.call("DELETE", `/api/ipam/fhrp-group-assignments/${assigned}/`)
    expect(await imported("fhrp-group-assignments", file)).toMatchObject({ created: 1, errors: [] })
    expect(await ids(`ipam/fhrp-group-assignments/?group_id=${group}`)).toHaveLength(1)
  })

  it("is updated by a row with its number and protocol, unless two groups have them, or with its name alone", async () => {
    const carp = { protocol: "carp", group_id: 32 }
    const group = await api.make("ipam/fhrp-groups", carp)
    const update = () => imported("fhrp-groups", [{ ...carp, description: "core" }], "?update_existing=true")
    expect(await update()).toMatchObject({ created: 0, updated: 1, errors: [] })
    expect(await get(`ipam/fhrp-groups/${group}/`)).toMatchObject({ description: "core" })
    const edge = await api.make("ipam/fhrp-groups", { ...carp, name: "edge" })
    const byName = await imported("fhrp-groups", [{ name: "edge", comments: "x" }], "?update_existing=true")
    expect(byName).toMatchObject({ created: 0, updated: 1, errors: [] })
    expect(await get(`ipam/fhrp-groups/${edge}/`)).toMatchObject({ ...carp, comments: "x" })

    await api.make("ipam/fhrp-groups", carp)
    const message = expect.stringMatching(/^Multiple objects match/) as string
    expect(await update()).toMatchObject({ errors: [{ errors: { __all__: [message] } }] })
  })
})

describe("a range of AS numbers", () => {
  it("gives its unused numbers away", async () => {
    const rir = await api.make("ipam/rirs", named("Private"))
    const body = { ...named("Fabric"), rir, start: 65_000, end: 65_004 }
    expect(await refused("ipam/asn-ranges", { ...body, end: 65_000 })).toEqual({
      __all__: ["Starting ASN (65000) must be lower than ending ASN (65000)."]
    })
    const range = await api.make("ipam/asn-ranges", body)
    for (const asn of [65_000, 65_002]) await api.make("ipam/asns", { asn, rir })
    const path = `/api/ipam/asn-ranges/${range}/available-asns/`
    expect((await api.call("GET", path)).json).toMatchObject(
      [65_001, 65_003, 65_004].map((asn) => ({ asn, rir: { id: rir } }))
    )
    expect((await api.call<List>("GET", `${path}?limit=1`)).json).toHaveLength(1)
    const taken = await api.call<Json>("POST", path, { description: "leaf", asn: 1 })
    expect([taken.status, taken.json]).toMatchObject([201, { asn: 65_001, description: "leaf", rir: { id: rir } }])
    const many = await api.call("POST", path, [{}, {}, {}])
    expect([many.status, many.json]).toEqual([
      409,
      {
        detail: "An insufficient number of ASNs are available within Fabric (65000-65004) (3 requested, 2 available)"
      }
    ])
    expect((await api.call("POST", path, [{}, {}])).status).toBe(201)
    expect((await api.call("GET", path)).json).toEqual([])
    expect(await get(`ipam/asn-ranges/${range}/`)).toMatchObject({ asn_count: 5, display: "Fabric (65000-65004)" })
    // The largest range is no longer to read than another one.
    const all = await api.make("ipam/asn-ranges", { ...named("All"), rir, start: 1, end: 4_294_967_295 })
    expect((await api.call("GET", `/api/ipam/asn-ranges/${all}/available-asns/?limit=2`)).json).toMatchObject([
      { asn: 1 },
      { asn: 2 }
    ])
    expect(await ids("ipam/asn-ranges/?end__gte=65005")).toEqual([all])
  })
})

it("a range of addresses that is marked as utilized has none to give", async () => {
  const range = { start_address: "10.9.0.1/24", end_address: "10.9.0.9/24" }
  const id = await api.make("ipam/ip-ranges", { ...range, mark_utilized: true })
  expect((await api.call("GET", `/api/ipam/ip-ranges/${id}/available-ips/`)).json).toEqual([])
  expect(await ids("ipam/ip-ranges/?mark_utilized=true")).toEqual([id])
})

it("a template of services has ports and a protocol", async () => {
  const id = await api.make("ipam/service-templates", { name: "DNS", ports: [53, 853], protocol: "udp" })
  expect(await get(`ipam/service-templates/${id}/`)).toMatchObject({
    ...{ display: "DNS (UDP/53, 853)", protocol: { value: "udp", label: "UDP" }, ports: [53, 853] }
  })
  expect(await ids("ipam/service-templates/?port=853")).toEqual([id])
})

describe("an L2VPN", () => {
  it("ends at interfaces and VLANs, once at each", async () => {
    const target = await api.make("ipam/route-targets", { name: "65000:1" })
    const l2vpn = await api.make("ipam/l2vpns", {
      ...{ ...named("Overlay"), type: "vxlan-evpn", identifier: 100, import_targets: [target] }
    })
    const end = (type: string, id: number) => ({ l2vpn, assigned_object_type: type, assigned_object_id: id })
    const [eth, v, network] = [await port(), await virtual(), await vlan()]
    const made: Array<number> = []
    for (const [type, id] of [
      ["dcim.interface", eth],
      ["virtualization.vminterface", v],
      ["ipam.vlan", network]
    ] as const)
      made.push(await api.make("ipam/l2vpn-terminations", end(type, id)))
    for (const path of [`dcim/interfaces/${eth}/`, `virtualization/interfaces/${v}/`, `ipam/vlans/${network}/`]) {
      const { l2vpn_termination: shown } = await get(path)
      expect(shown).toMatchObject({
        display: expect.stringMatching(/ <> Overlay \(100\)$/) as string,
        l2vpn: { id: l2vpn }
      })
    }
    expect(await refused("ipam/l2vpn-terminations", end("ipam.vlan", network))).toEqual({
      __all__: ["L2VPN Termination already assigned"]
    })
    expect(await ids("ipam/l2vpns/?import_target=65000:1")).toEqual([l2vpn])
    expect(await ids(`dcim/interfaces/?l2vpn_id=${l2vpn}`)).toEqual([eth])
    expect(await ids("ipam/vlans/?l2vpn=100")).toEqual([network])
    expect(await ids("ipam/l2vpn-terminations/?l2vpn=overlay")).toEqual(made)
    expect(await ids("ipam/l2vpn-terminations/?region=north")).toEqual(made.slice(0, 2))
    expect(await ids("ipam/l2vpn-terminations/?q=verla")).toEqual(made)
    await api.call("DELETE", `/api/ipam/vlans/${network}/`)
    expect(await ids("ipam/l2vpn-terminations/?l2vpn=overlay")).toEqual(made.slice(0, 2))
  })

  it("from point to point has two terminations", async () => {
    const l2vpn = await api.make("ipam/l2vpns", { ...named("Wire"), type: "epl" })
    const end = async () => ({ l2vpn, assigned_object_type: "ipam.vlan", assigned_object_id: await vlan() })
    const three = await api.call("POST", "/api/ipam/l2vpn-terminations/", [await end(), await end(), await end()])
    expect(three.status).toBe(400)
    for (let at = 0; at < 2; at++) await api.make("ipam/l2vpn-terminations", await end())
    expect(await refused("ipam/l2vpn-terminations", await end())).toEqual({
      __all__: ["EPL L2VPNs cannot have more than two terminations; found 2 already defined."]
    })
    const [first] = await ids("ipam/l2vpn-terminations/?l2vpn=wire")
    const tags = [{ name: "core", slug: "core" }].map(({ name }) => ({ name }))
    await api.make("extras/tags", named("core"))
    expect((await api.call("PATCH", `/api/ipam/l2vpn-terminations/${first}/`, { tags })).status).toBe(200)
  })
})
