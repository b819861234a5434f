/** Values of an object beside its own fields: taken from other objects, read along with a page, and in events. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

let api: Api
let device: number

const show = async (
  path: string,
  call: (method: string, path: string) => Promise<{ readonly json: Json }> = api.call
) => (await call("GET", `/api/${path}/`)).json
const listed = async (path: string) => (await show(path))["results"] as ReadonlyArray<Json>

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Site"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  device = await api.make("dcim/devices", { name: "sw1", site, device_type, device_role })
})
afterAll(() => api.stop())

describe("an interface", () => {
  let ends: ReadonlyArray<number>
  let cable: number
  const port = (name: string) => api.make("dcim/interfaces", { device, name, type: "1000base-t" })
  const end = (id: number) => ({ object_type: "dcim.interface", object_id: id })
  const brief = (id: number) => ({ id, name: `eth${ends.indexOf(id)}`, _occupied: true, cable })

  beforeAll(async () => {
    ends = [await port("eth0"), await port("eth1"), await port("eth2"), await port("free")]
    const [a_terminations, b_terminations] = [[end(ends[0]!)], [end(ends[1]!), end(ends[2]!)]]
    cable = await api.make("dcim/cables", { a_terminations, b_terminations })
  })

  it("shows in its detail and in a list where its cable leads", async () => {
    const connected = {
      cable_end: "B",
      link_peers: [brief(ends[0]!)],
      link_peers_type: "dcim.interface",
      connected_endpoints: [brief(ends[0]!)],
      connected_endpoints_type: "dcim.interface",
      connected_endpoints_reachable: true,
      _occupied: true
    }
    expect(await show(`dcim/interfaces/${ends[2]}`)).toMatchObject(connected)
    const [first, , third, free] = await listed("dcim/interfaces")
    expect(first).toMatchObject({ cable_end: "A", link_peers: [brief(ends[1]!), brief(ends[2]!)] })
    expect(third).toMatchObject(connected)
    expect(free).toMatchObject({
      cable_end: "",
      link_peers: [],
      link_peers_type: null,
      connected_endpoints: null,
      connected_endpoints_type: null,
      connected_endpoints_reachable: null,
      vdcs: [],
      _occupied: false
    })
  })

  it("is reachable only over a connected cable", async () => {
    await api.call("PATCH", `/api/dcim/cables/${cable}/`, { status: "planned" })
    expect((await show(`dcim/interfaces/${ends[1]}`))["connected_endpoints_reachable"]).toBe(false)
  })

  it("has it in its events, as of their time", async () => {
    const data = await eventually("the change is logged", async () => {
      const rows = await api.database.sql.query<{ readonly data: Json }>(
        `select data from extras_objectchange where changed_object_type = 'dcim.interface' and changed_object_id = $1
          and action = 'update'`,
        [ends[1]]
      )
      return rows[0]?.data
    })
    expect(data).toMatchObject({ cable_end: "B", link_peers: [brief(ends[0]!)] })
  })

  it("shows hidden peers by id only, and nothing behind a hidden cable", async () => {
    const view = { actions: ["view"] }
    const some = { ...view, types: ["dcim.interface"], constraints: { name: "eth1" } }
    const ann = await makeUser(api, "ann", some, { ...view, types: ["dcim.cable", "dcim.device"] })
    const shown = await show(`dcim/interfaces/${ends[1]}`, ann.call)
    expect(shown["link_peers"]).toEqual([
      { id: ends[0], url: expect.stringContaining(`/${ends[0]}/`) as string, display: `#${ends[0]}` }
    ])
    const bob = await makeUser(api, "bob", { ...view, types: ["dcim.interface"] })
    expect((await show(`dcim/interfaces/${ends[1]}`, bob.call))["link_peers"]).toEqual([])
  })
})

describe("the objects that point at an object", () => {
  const addressed = (address: string, fields: Json = {}) => api.make("ipam/ip-addresses", { address, ...fields })

  it("are its outer addresses, for an inner address", async () => {
    const inner = await addressed("10.0.0.1/24")
    const outer = [
      await addressed("192.0.2.1/24", { nat_inside: inner }),
      await addressed("192.0.2.2/24", { nat_inside: inner })
    ]
    const expected = outer.map((id, at) => ({ id, address: `192.0.2.${at + 1}/24`, family: 4 }))
    expect(await show(`ipam/ip-addresses/${inner}`)).toMatchObject({ nat_outside: expected })
    const all = await listed("ipam/ip-addresses")
    expect(all.map((each) => each["nat_outside"])).toMatchObject([expected, [], []])
    const some = {
      types: ["ipam.ipaddress"],
      actions: ["view"],
      constraints: { address__in: ["10.0.0.1/24", "192.0.2.2/24"] }
    }
    const cid = await makeUser(api, "cid", some)
    expect(await show(`ipam/ip-addresses/${inner}`, cid.call)).toMatchObject({ nat_outside: [{ id: outer[1] }] })
    const brief = await api.call<Json>("GET", `/api/ipam/ip-addresses/${inner}/?brief=1`)
    expect(brief.json).not.toHaveProperty("nat_outside")
  })

  it("are objects of any type, for a tag", async () => {
    const tag = await api.make("extras/tags", named("Red"))
    expect((await show(`extras/tags/${tag}`))["tagged_items"]).toBe(0)
    await api.make("dcim/regions", { ...named("Red region"), tags: [tag] })
    await api.make("tenancy/tenants", { ...named("Red tenant"), tags: [tag] })
    expect((await show(`extras/tags/${tag}`))["tagged_items"]).toBe(2)
    const dan = await makeUser(api, "dan", { types: ["extras.tag", "dcim.region"], actions: ["view"] })
    expect((await show(`extras/tags/${tag}`, dan.call))["tagged_items"]).toBe(1)
  })

  it("are VLANs for a VLAN group, and count as its use", async () => {
    const group = await api.make("ipam/vlan-groups", { ...named("Group"), min_vid: 1, max_vid: 8 })
    await api.make("ipam/vlans", { vid: 3, name: "three", group })
    expect(await show(`ipam/vlan-groups/${group}`)).toMatchObject({ vlan_count: 1, utilization: "12.5" })
  })
})

it("names of NetBox's are there where there is nothing to tell", async () => {
  expect(await show(`dcim/devices/${device}`)).toMatchObject({ parent_device: null, config_template: null })
  expect((await listed("dcim/sites"))[0]).toMatchObject({ circuit_count: 0 })
})

describe("a count", () => {
  it("is exact up to ten thousand and estimated by Postgres above; a user who sees some objects gets the number of those", async () => {
    const [many, few] = [
      await api.make("tenancy/tenants", named("Many")),
      await api.make("tenancy/tenants", named("Few"))
    ]
    const { sql } = api.database
    await sql.query(
      `insert into ipam_ipaddress (address, tenant_id)
        select '10.64.0.0'::inet + n, case when n < 12000 then $1::bigint else $2::bigint end from generate_series(0, 12004) n`,
      [`${many}`, `${few}`]
    )
    const count = async (id: number, call?: Parameters<typeof show>[1]) =>
      (await show(`tenancy/tenants/${id}`, call))["ipaddress_count"]
    await sql.query("analyze ipam_ipaddress")
    await sql.query("delete from ipam_ipaddress where tenant_id = $1 and address >= '10.64.42.248'", [`${many}`])
    expect(await count(few)).toBe(5)
    const told = Number(await count(many))
    expect([told > 11_500, told < 12_500]).toEqual([true, true])
    const some = { types: ["ipam.ipaddress"], actions: ["view"], constraints: { tenant__name: "Many" } }
    const fay = await makeUser(api, "fay", { types: ["tenancy.tenant"], actions: ["view"] }, some)
    expect([await count(many, fay.call), await count(few, fay.call)]).toEqual([11_000, 0])
  })

  it("of prefixes covers visible ones in the same routing table", async () => {
    const prefix = (text: string) => api.make("ipam/prefixes", { prefix: text })
    const outer = await prefix("10.128.0.0/16")
    await prefix("10.128.1.0/24")
    const inner = await prefix("10.128.2.0/24")
    expect(await show(`ipam/prefixes/${outer}`)).toMatchObject({ children: 2, _depth: 0 })
    const constraints = { prefix__in: ["10.128.0.0/16", "10.128.2.0/24"] }
    const gus = await makeUser(api, "gus", { types: ["ipam.prefix"], actions: ["view"], constraints })
    expect(await show(`ipam/prefixes/${outer}`, gus.call)).toMatchObject({ children: 1 })
    expect(await show(`ipam/prefixes/${inner}`, gus.call)).toMatchObject({ _depth: 1 })
  })
})
