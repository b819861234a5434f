import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { runs, thorough } from "../support/Seed.ts"

let api: Api
beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const makePrefix = (prefix: string, fields: Json = {}) => api.makeObject("ipam/prefixes", { prefix, ...fields })

const list = async (path: string): Promise<ReadonlyArray<Json>> =>
  (await api.call<ReadonlyArray<Json>>("GET", path)).json

const addressesOf = async (id: number, query = "") =>
  (await list(`/api/ipam/prefixes/${id}/available-ips/${query}`)).map(({ address }) => address)

it("finds a free prefix behind more gaps than are read", async () => {
  const vrf = await api.makeObject("ipam/vrfs", { name: "Gaps" })
  const { id } = await makePrefix("10.128.0.0/16", { vrf: vrf.id })
  await api.database.sql.query(
    `insert into ipam_prefix (prefix, vrf_id)
     select ('10.128.0.0'::inet + n * 2)::cidr, $1::bigint from generate_series(0, 10099) n
     union all select '10.128.255.255/32'::cidr, $1::bigint`,
    [`${String(vrf["id"])}`]
  )
  const { status, json } = await api.call<Json>("POST", `/api/ipam/prefixes/${id}/available-prefixes/`, {
    prefix_length: 24
  })
  expect([status, json["prefix"]]).toEqual([201, "10.128.79.0/24"])
})

describe("the free addresses of a prefix", () => {
  it("are those for hosts, without addresses and ranges of the same VRF", async () => {
    const { id } = await makePrefix("10.1.0.0/29")
    await api.make("ipam/ip-addresses", { address: "10.1.0.2/24" })
    await api.make("ipam/ip-ranges", { start_address: "10.1.0.4/29", end_address: "10.1.0.5/29" })
    const vrf = await api.makeObject("ipam/vrfs", { name: "Other" })
    await api.make("ipam/ip-addresses", { address: "10.1.0.1/29", vrf: vrf.id })
    expect(await list(`/api/ipam/prefixes/${id}/available-ips/`)).toEqual([
      { family: 4, address: "10.1.0.1/29", vrf: null },
      { family: 4, address: "10.1.0.3/29", vrf: null },
      { family: 4, address: "10.1.0.6/29", vrf: null }
    ])
    expect(await addressesOf(id, "?limit=1")).toEqual(["10.1.0.1/29"])
  })

  it.each([
    ["10.2.0.0/30", false, ["10.2.0.1/30", "10.2.0.2/30"]],
    ["10.2.0.0/30", true, ["10.2.0.0/30", "10.2.0.1/30", "10.2.0.2/30", "10.2.0.3/30"]],
    ["10.2.0.0/31", false, ["10.2.0.0/31", "10.2.0.1/31"]],
    ["10.2.0.9/32", false, ["10.2.0.9/32"]],
    ["255.255.255.254/31", false, ["255.255.255.254/31", "255.255.255.255/31"]],
    ["2001:db8::/126", false, ["2001:db8::1/126", "2001:db8::2/126", "2001:db8::3/126"]],
    ["2001:db8::/127", false, ["2001:db8::/127", "2001:db8::1/127"]]
  ])("of %s (a pool: %s) are %j", async (prefix, isPool, free) => {
    const { id } = await makePrefix(prefix, { is_pool: isPool })
    expect(await addressesOf(id)).toEqual(free)
  })

  it("are shown for the largest prefixes too, also at the end of the address space", async () => {
    const wide = await makePrefix("::/1")
    await api.make("ipam/ip-addresses", { address: "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/1" })
    expect(await addressesOf(wide.id, "?limit=2")).toEqual(["::1/1", "::2/1"])
    const last = await makePrefix("255.255.255.248/29", { is_pool: true })
    await api.make("ipam/ip-addresses", { address: "255.255.255.255/29" })
    expect(await addressesOf(last.id)).toHaveLength(7)
  })

  it("can be allocated one by one or many at once, with the given fields", async () => {
    const vrf = await api.makeObject("ipam/vrfs", { name: "Taken" })
    const { id } = await makePrefix("10.3.0.0/29", { vrf: vrf.id })
    const path = `/api/ipam/prefixes/${id}/available-ips/`
    const one = await api.call<Json>("POST", path, { dns_name: "one.example" })
    expect([one.status, one.json]).toMatchObject([
      201,
      { address: "10.3.0.1/29", dns_name: "one.example", vrf: { id: vrf.id } }
    ])
    const two = await api.call<ReadonlyArray<Json>>("POST", path, [{}, { description: "second" }])
    expect(two.json).toMatchObject([{ address: "10.3.0.2/29" }, { address: "10.3.0.3/29", description: "second" }])
    const many = await api.call("POST", path, [{}, {}, {}, {}])
    expect([many.status, many.json]).toEqual([
      409,
      {
        detail: "An insufficient number of IP addresses are available within 10.3.0.0/29 (4 requested, 3 available)"
      }
    ])
    const wrong = await api.call("POST", path, { status: "nope" })
    expect([wrong.status, wrong.json]).toEqual([400, { status: ["nope is not a valid choice."] }])
    expect((await api.call("POST", path, 5)).status).toBe(400)
    expect(await addressesOf(id)).toEqual(["10.3.0.4/29", "10.3.0.5/29", "10.3.0.6/29"])
    expect((await api.call("GET", "/api/ipam/prefixes/999999/available-ips/")).status).toBe(404)
  })

  thorough("go to one client each when 16 allocate at once, a hundred times and more", async () => {
    const { id } = await makePrefix("10.4.0.0/22")
    const path = `/api/ipam/prefixes/${id}/available-ips/`
    const count = Math.min(runs(100), 1000)
    const taken: Array<unknown> = []
    const client = async () => {
      while (taken.length < count) {
        taken.push(undefined)
        const { status, json, text } = await api.call<Json>("POST", path, {})
        if (status !== 201) throw new Error(text)
        taken[taken.indexOf(undefined)] = json["address"]
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    expect(new Set(taken).size).toBe(count)
    const kept = await api.database.sql.query(
      "select 1 as one from ipam_ipaddress where address <<= '10.4.0.0/22' group by host(address) having count(*) > 1"
    )
    expect(kept).toEqual([])
    expect(await addressesOf(id, "?limit=0")).toHaveLength(1022 - count)
  })
})

describe("a range of addresses", () => {
  it("allocates every address in it", async () => {
    const { id } = await api.makeObject("ipam/ip-ranges", {
      start_address: "10.5.0.10/24",
      end_address: "10.5.0.12/24"
    })
    const path = `/api/ipam/ip-ranges/${id}/available-ips/`
    await api.make("ipam/ip-addresses", { address: "10.5.0.11/24" })
    expect((await list(path)).map(({ address }) => address)).toEqual(["10.5.0.10/24", "10.5.0.12/24"])
    expect((await api.call<Json>("POST", path, {})).json["address"]).toBe("10.5.0.10/24")
  })
})

describe("the free prefixes of a prefix", () => {
  it("are the fewest that fill the space left by its children", async () => {
    const { id } = await makePrefix("10.6.0.0/24")
    await makePrefix("10.6.0.64/26")
    await makePrefix("10.6.0.65/32")
    const free = await list(`/api/ipam/prefixes/${id}/available-prefixes/`)
    expect(free).toEqual([
      { family: 4, prefix: "10.6.0.0/26", vrf: null },
      { family: 4, prefix: "10.6.0.128/25", vrf: null }
    ])
  })

  it("are none where none is requested", async () => {
    const prefix = await api.make("ipam/prefixes", { prefix: "10.77.0.0/16" })
    const group = await api.make("ipam/vlan-groups", { name: "none", slug: "none" })
    for (const path of [
      `ipam/prefixes/${prefix}/available-prefixes/`,
      `ipam/prefixes/${prefix}/available-ips/`,
      `ipam/vlan-groups/${group}/available-vlans/`
    ]) {
      const { status, json } = await api.call("POST", `/api/${path}`, [])
      expect([path, status, json]).toEqual([path, 201, []])
    }
  })

  it("are cut to the requested lengths", async () => {
    const { id } = await makePrefix("2001:db8:6::/48")
    const path = `/api/ipam/prefixes/${id}/available-prefixes/`
    const cut = await api.call<ReadonlyArray<Json>>("POST", path, [{ prefix_length: 64 }, { prefix_length: 56 }])
    expect(cut.json).toMatchObject([{ prefix: "2001:db8:6::/64" }, { prefix: "2001:db8:6:100::/56" }])
    const one = await api.call<Json>("POST", path, { prefix_length: 64, status: "reserved" })
    expect(one.json).toMatchObject({ prefix: "2001:db8:6:1::/64", status: { value: "reserved" } })
    const wrong = await api.call("POST", path, [{}, { prefix_length: "x" }, { prefix_length: 129 }])
    expect([wrong.status, wrong.json]).toEqual([
      400,
      [
        { prefix_length: ["This field is required."] },
        { prefix_length: ["A valid integer is required."] },
        { prefix_length: ["Invalid prefix length (129) for IPv6"] }
      ]
    ])
    expect((await api.call("POST", path, { prefix_length: 47 })).json).toEqual({
      detail: "Insufficient space is available to accommodate the requested prefix size(s)"
    })
  })
})

describe("the free VLANs of a group", () => {
  it("are its unused ids, allocated from the lowest", async () => {
    const { id } = await api.makeObject("ipam/vlan-groups", { ...named("Group"), min_vid: 10, max_vid: 13 })
    await api.make("ipam/vlans", { name: "Eleven", vid: 11, group: id })
    const path = `/api/ipam/vlan-groups/${id}/available-vlans/`
    expect(await list(path)).toMatchObject([{ vid: 10, group: { id, name: "Group" } }, { vid: 12 }, { vid: 13 }])
    const taken = await api.call<ReadonlyArray<Json>>("POST", path, [{ name: "A" }, { name: "B" }])
    expect(taken.json).toMatchObject([{ vid: 10, name: "A" }, { vid: 12 }])
    const many = await api.call("POST", path, [{ name: "C" }, { name: "D" }])
    expect([many.status, many.json]).toEqual([
      409,
      { detail: "An insufficient number of VLANs are available within Group (2 requested, 1 available)" }
    ])
  })
})
