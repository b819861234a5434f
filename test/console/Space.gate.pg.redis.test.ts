/** The pages of prefixes, aggregates and VLAN groups: their space as a map, the tree, and the allocation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { request } from "./Posting.ts"

let api: Api
let limited: User

beforeAll(async () => {
  api = await sharedApi()
  const types = ["ipam.prefix", "ipam.ipaddress", "ipam.vlangroup", "ipam.vlan"]
  limited = await makeUser(api, "limited", {
    ...{ types, actions: ["view", "add"], constraints: [{ description: "open" }] }
  })
})
afterAll(() => api.stop())

const open = { description: "open" }

const prefix = (text: string, fields: Json = {}) => api.make("ipam/prefixes", { prefix: text, ...open, ...fields })

const requestAs = (token: string, path: string, form?: Readonly<Record<string, string>>) =>
  request(api, token, path, form && Object.entries(form))

const pageFor = async (token: string, path: string) => {
  const { status, page } = await requestAs(token, path)
  if (status !== 200) throw new Error(`${path}: ${status} ${page}`)
  return page
}

/** The pieces of the map: their titles, with the paths to which they lead. */
const piecesIn = (page: string): ReadonlyArray<string> => {
  const map = page.slice(page.indexOf('<div class="space"'), page.indexOf('<ul class="legend"'))
  return [...map.matchAll(/<(?:a|span) class="[^"]+"(?: href="([^"]*)" tabindex="-1")? title="([^"]*)"/g)].map(
    ([, path, title]) => `${title}${path === undefined ? "" : ` ${path.replaceAll("&amp;", "&")}`}`
  )
}

/** The rows of the tree: the prefix with its depth, and how much of it is used. */
const treeIn = (page: string): ReadonlyArray<string> =>
  [
    ...page.matchAll(/class="mono d\d">(.*?)<span class="visually-hidden">, depth (\d)<.*?<span class="num">(.*?)</gs)
  ].map(([, name, depth, used]) => `${depth} ${name!.replaceAll(/<[^>]*>/g, "")} ${used}`)

let admin: string
beforeAll(async () => {
  admin = await api.newToken()
})

describe("the page of a prefix", () => {
  it("has a map of its space: what is in it, what is used in part, and forms where it is free", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Map" })
    const id = await prefix("10.0.0.0/16", { vrf, status: "container" })
    const child = await prefix("10.0.0.0/18", { vrf })
    await prefix("10.0.0.0/20", { vrf })
    await prefix("10.0.64.0/28", { vrf })
    await prefix("10.0.200.0/24")
    await api.make("ipam/ip-addresses", { address: "10.0.65.7/16", vrf, ...open })
    const pieces = piecesIn(await pageFor(admin, `/ipam/prefixes/${id}/`))
    expect(pieces.slice(0, 4)).toEqual([
      `10.0.0.0/18: prefix 10.0.0.0/18 /ipam/prefixes/${child}/`,
      `10.0.64.0/24: Used in part /ipam/prefixes/${id}/?space=10.0.64.0/24#space`,
      `10.0.65.0/24: Used in part /ipam/prefixes/${id}/?space=10.0.65.0/24#space`,
      `10.0.66.0/23: Free: add /ipam/prefixes/add/?prefix=10.0.66.0%2F23&vrf=${vrf}`
    ])
    expect(pieces.at(-1)).toBe(`10.0.192.0/18: Free: add /ipam/prefixes/add/?prefix=10.0.192.0%2F18&vrf=${vrf}`)
    const part = piecesIn(await pageFor(admin, `/ipam/prefixes/${id}/?space=10.0.65.0/24`))
    expect([part.length, part[6]]).toEqual([
      256,
      `10.0.65.6/32: Free: add /ipam/ip-addresses/add/?address=10.0.65.6%2F16&vrf=${vrf}`
    ])
    expect(part[7]).toMatch(/^10\.0\.65\.7\/32: IP address 10\.0\.65\.7 \/ipam\/ip-addresses\/\d+\/$/)
  })

  it("takes ranges for used, and no host for the first and last address", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Hosts" })
    const id = await prefix("192.0.2.0/28", { vrf })
    await api.make("ipam/ip-ranges", { start_address: "192.0.2.4/28", end_address: "192.0.2.6/28", vrf })
    const states = piecesIn(await pageFor(admin, `/ipam/prefixes/${id}/`)).map((piece) =>
      /: ([A-Za-z ]+)/.exec(piece)![1]!.trim()
    )
    expect(states).toEqual([
      "Network address",
      ...["Free", "Free", "Free", "IP range", "IP range"],
      ...["Free", "Free", "Free", "Free", "Free", "Free", "Free", "Free"],
      "Broadcast address"
    ])
  })

  it("ignores a part that is not one of it", async () => {
    const id = await prefix("10.1.0.0/16")
    const whole = piecesIn(await pageFor(admin, `/ipam/prefixes/${id}/`))
    for (const part of ["10.2.0.0/24", "10.1.0.1/24", "10.0.0.0/8", "::/24", "x", "10.1.0.0/16"])
      expect(piecesIn(await pageFor(admin, `/ipam/prefixes/${id}/?space=${encodeURIComponent(part)}`))).toEqual(whole)
  })

  it("shows the space of hidden objects as used, and nothing else of them", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Hidden" })
    const id = await prefix("10.2.0.0/16", { vrf })
    const secret = await prefix("10.2.0.0/18", { vrf, description: "secret" })
    await prefix("10.2.64.0/28", { vrf, description: "secret" })
    await api.make("ipam/ip-addresses", { address: "10.2.128.9/16", vrf, description: "secret" })
    const page = await pageFor(limited.token, `/ipam/prefixes/${id}/`)
    const pieces = piecesIn(page)
    expect(pieces[0]).toBe("10.2.0.0/18: Used")
    expect(pieces[1]).toContain("10.2.64.0/24: Used in part")
    expect(pieces.some((piece) => piece.startsWith("10.2.128.0/24: Used in part"))).toBe(true)
    expect(page).not.toContain(`/ipam/prefixes/${secret}/`)
    expect(treeIn(page)).toEqual(["0 10.2.0.0/16 25 %"])
    const inside = piecesIn(await pageFor(limited.token, `/ipam/prefixes/${id}/?space=10.2.128.0/24`))
    expect([inside[8]!.slice(0, 20), inside[9]]).toEqual(["10.2.128.8/32: Free:", "10.2.128.9/32: Used"])
  })

  it("has the prefixes around and below it with their depth and use, in pages", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Tree" })
    await prefix("10.8.0.0/13", { vrf })
    const id = await prefix("10.8.0.0/16", { vrf })
    await prefix("10.8.0.0/17", { vrf })
    await prefix("10.8.0.0/24", { vrf })
    await prefix("10.8.1.0/24", { vrf, mark_utilized: true })
    const pool = await prefix("10.8.2.0/30", { vrf })
    await api.make("ipam/ip-addresses", { address: "10.8.2.1/30", vrf, ...open })
    expect(treeIn(await pageFor(admin, `/ipam/prefixes/${id}/`))).toEqual([
      "0 10.8.0.0/13 13 %",
      "1 10.8.0.0/16 50 %",
      "2 10.8.0.0/17 2 %",
      "3 10.8.0.0/24 0 %",
      "3 10.8.1.0/24 100 %",
      "3 10.8.2.0/30 50 %"
    ])
    expect(treeIn(await pageFor(admin, `/ipam/prefixes/${pool}/`))).toHaveLength(4)
    await api.database.sql.query(
      "insert into ipam_prefix (prefix, vrf_id) select network(set_masklen('10.8.128.0'::inet + n * 16, 28)), $1::bigint from generate_series(0, 119) n",
      [`${vrf}`]
    )
    const seen = new Set<string>()
    let next = `/ipam/prefixes/${id}/`
    const pages: Array<number> = []
    while (next !== "") {
      const page = await pageFor(admin, next)
      const below = treeIn(page).slice(2)
      pages.push(below.length)
      for (const each of below) seen.add(each)
      const link = /href="(\?[^"]*)#hierarchy" rel="next"/.exec(page)?.[1]
      next = link === undefined ? "" : `/ipam/prefixes/${id}/${link.replaceAll("&amp;", "&")}`
    }
    expect([pages, seen.size]).toEqual([[50, 50, 24], 124])
  })

  it("allocates the next free prefix and address, each once", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Next" })
    const id = await prefix("10.16.0.0/22", { vrf })
    const path = `/ipam/prefixes/${id}/allocate/`
    const both = await Promise.all([1, 2].map(() => requestAs(admin, path, { what: "prefix", length: "24" })))
    expect(both.map(({ status }) => status)).toEqual([302, 302])
    const made = await Promise.all(both.map((reply) => api.call<Json>("GET", `/api${reply.location!}`)))
    expect(made.map(({ json }) => json["prefix"]).sort()).toEqual(["10.16.0.0/24", "10.16.1.0/24"])
    const address = await requestAs(admin, path, { what: "address" })
    expect((await api.call<Json>("GET", `/api${address.location!}`)).json).toMatchObject({
      ...{ address: "10.16.0.1/22", vrf: { id: vrf } }
    })
    const refused = await requestAs(admin, path, { what: "prefix", length: "22" })
    expect([refused.status, refused.page]).toEqual([409, expect.stringContaining("Nothing was allocated")])
    const reader = await makeUser(api, "reader", { types: ["ipam.prefix"], actions: ["view"] })
    expect((await requestAs(reader.token, path, { what: "prefix", length: "24" })).status).toBe(403)
  })

  it("is bounded for an IPv6 network with thousands of children", async () => {
    const id = await prefix("2001:db8::/32")
    await api.database.sql.query(
      "insert into ipam_prefix (prefix) select ('2001:db8:' || to_hex(n * 13) || '::/48')::cidr from generate_series(0, 2999) n"
    )
    const page = await pageFor(admin, `/ipam/prefixes/${id}/`)
    expect([piecesIn(page).length <= 256, treeIn(page).length, page.length < 150_000]).toEqual([true, 51, true])
    expect(treeIn(page)[0]).toBe("0 2001:db8::/32 5 %")
  })
})

describe("the pages of aggregates and VLAN groups", () => {
  it("have a map of prefixes of every VRF", async () => {
    const vrf = await api.make("ipam/vrfs", { name: "Aggregated" })
    const rir = await api.make("ipam/rirs", named("Registry"))
    const id = await api.make("ipam/aggregates", { prefix: "172.16.0.0/12", rir })
    await prefix("172.16.0.0/13", { vrf })
    const [first, second] = piecesIn(await pageFor(admin, `/ipam/aggregates/${id}/`))
    expect(first).toMatch(/^172\.16\.0\.0\/14: prefix 172\.16\.0\.0\/13 |^172\.16\.0\.0\/13: prefix 172\.16\.0\.0\/13 /)
    expect(second).toBe("172.24.0.0/14: Free: add /ipam/prefixes/add/?prefix=172.24.0.0%2F14")
    const whole = await prefix("172.16.0.0/12", { vrf, status: "container" })
    expect(piecesIn(await pageFor(admin, `/ipam/aggregates/${id}/`))[0]).toBe(first)
    await api.call("PATCH", `/api/ipam/prefixes/${whole}/`, { status: "active" })
    expect(piecesIn(await pageFor(admin, `/ipam/aggregates/${id}/`))).toHaveLength(1)
  })

  it("have a map of VLAN ids", async () => {
    const group = await api.make("ipam/vlan-groups", { ...named("Group"), ...open, min_vid: 100, max_vid: 131 })
    const vlan = await api.make("ipam/vlans", { name: "Voice", vid: 101, group, ...open })
    await api.make("ipam/vlans", { name: "Secret", vid: 102, group, description: "secret" })
    const page = await pageFor(limited.token, `/ipam/vlan-groups/${group}/`)
    const pieces = piecesIn(page)
    expect(/href="([^"]*)"[^>]*>(?:(?!<\/a>).)*the next free ID, 100</s.exec(page)?.[1]).toBe(
      `/ipam/vlans/add/?vid=100&amp;group=${group}`
    )
    expect(pieces).toHaveLength(40)
    expect(pieces.slice(2, 7)).toEqual([
      "VLAN IDs 96-99: Not of this group",
      `VLAN 100: Free: add /ipam/vlans/add/?vid=100&group=${group}`,
      `VLAN 101: VLAN Voice /ipam/vlans/${vlan}/`,
      "VLAN 102: Used",
      `VLAN 103: Free: add /ipam/vlans/add/?vid=103&group=${group}`
    ])
    const large = await api.make("ipam/vlan-groups", { ...named("Large") })
    await api.make("ipam/vlans", { name: "One", vid: 200, group: large })
    const parts = piecesIn(await pageFor(admin, `/ipam/vlan-groups/${large}/`))
    expect(parts.filter((piece) => piece.includes("part"))).toEqual([
      `VLAN IDs 0-15: Used in part /ipam/vlan-groups/${large}/?space=0-15#space`,
      `VLAN IDs 192-207: Used in part /ipam/vlan-groups/${large}/?space=192-207#space`,
      `VLAN IDs 4080-4095: Used in part /ipam/vlan-groups/${large}/?space=4080-4095#space`
    ])
    const inside = piecesIn(await pageFor(admin, `/ipam/vlan-groups/${large}/?space=192-207`))
    expect([inside.length, inside[8]]).toEqual([16, expect.stringMatching(/^VLAN 200: VLAN One /)])
  })
})
