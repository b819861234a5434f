/** Wireless LANs and links by the API: rules, the interfaces at both ends, traces and events. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { captured } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let device: number
let number = 0

const radio = (fields: Json = {}) =>
  api.make("dcim/interfaces", { device, name: `wlan${(number += 1)}`, type: "ieee802.11ac", ...fields })
const link = (interface_a: number, interface_b: number, fields: Json = {}) =>
  api.make("wireless/wireless-links", { interface_a, interface_b, ...fields })
const get = async <A = Json>(path: string) => (await api.call<A>("GET", `/api/${path}`)).json
const ids = async (path: string) => (await get<List>(`${path}&limit=0`)).results.map(({ id }) => id)
const refused = async (body: Json) => {
  const { status, json } = await api.call<Json>("POST", "/api/wireless/wireless-links/", body)
  return status === 400 ? json : status
}

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  device = await api.make("dcim/devices", { name: "ap1", site, device_type, device_role })
})
afterAll(() => api.stop())

it("wireless LANs have groups, a VLAN and interfaces", async () => {
  const parent = await api.make("wireless/wireless-lan-groups", named("Campus"))
  const group = await api.make("wireless/wireless-lan-groups", { ...named("Library"), parent })
  const vlan = await api.make("ipam/vlans", { vid: 7, name: "guests" })
  const lan = await api.make("wireless/wireless-lans", {
    ssid: "guest",
    group,
    vlan,
    auth_type: "wpa-personal",
    auth_psk: "k"
  })
  expect(await get(`wireless/wireless-lans/${lan}/`)).toMatchObject({
    ...{ display: "guest", auth_type: { label: "WPA Personal (PSK)" }, auth_psk: "k", status: { value: "active" } },
    ...{ group: { id: group }, vlan: { id: vlan, vid: 7 } }
  })
  expect(await get(`wireless/wireless-lan-groups/${parent}/`)).toMatchObject({ wirelesslan_count: 1 })
  expect(await ids("wireless/wireless-lans/?group=campus")).toEqual([lan])
  expect(await ids(`wireless/wireless-lans/?vlan_id=${vlan}&ssid__ic=UES`)).toEqual([lan])
  const id = await radio({ wireless_lans: [lan] })
  expect(await get(`dcim/interfaces/${id}/`)).toMatchObject({ wireless_lans: [{ id: lan, ssid: "guest" }] })
  await api.call("DELETE", `/api/wireless/wireless-lans/${lan}/`)
  expect(await get(`dcim/interfaces/${id}/`)).toMatchObject({ wireless_lans: [] })
})

describe("a wireless link", () => {
  it("joins two radios, which say so", async () => {
    const [a, b] = [await radio(), await radio()]
    const id = await link(a, b, { ssid: "bridge" })
    for (const [own, other] of [
      [a, b],
      [b, a]
    ])
      expect(await get(`dcim/interfaces/${own}/`)).toMatchObject({
        ...{
          wireless_link: { id, ssid: "bridge" },
          link_peers: [{ id: other }],
          link_peers_type: null,
          _occupied: true
        },
        ...{ cable: null, cable_end: "", connected_endpoints: [{ id: other }] },
        ...{ connected_endpoints_type: "dcim.interface", connected_endpoints_reachable: true }
      })
    for (const filter of ["occupied", "connected"]) {
      expect(await ids(`dcim/interfaces/?${filter}=true&device_id=${device}`)).toEqual(expect.arrayContaining([a, b]))
    }
    expect(await ids("dcim/interfaces/?cabled=true")).not.toContain(a)
    await api.call("PATCH", `/api/wireless/wireless-links/${id}/`, { status: "planned" })
    expect(await get(`dcim/interfaces/${a}/`)).toMatchObject({ connected_endpoints_reachable: false })
    expect(await ids("dcim/interfaces/?connected=true")).not.toContain(a)
    await captured(api.database)
    const events = await api.database.sql.query<{ readonly reachable: string | null }>(
      `select data ->> 'connected_endpoints_reachable' as reachable from extras_objectchange
        where changed_object_type = 'dcim.interface' and changed_object_id = $1 order by id`,
      [b]
    )
    expect(events.map(({ reachable }) => reachable)).toEqual([null, "true", "false"])
    expect((await api.call("DELETE", `/api/dcim/interfaces/${a}/`)).status).toBe(409)
    await api.call("DELETE", `/api/wireless/wireless-links/${id}/`)
    expect(await get(`dcim/interfaces/${b}/`)).toMatchObject({ wireless_link: null, connected_endpoints: null })
    expect((await api.call("DELETE", `/api/dcim/interfaces/${a}/`)).status).toBe(204)
  })

  it("protects both of its ends, and is counted once", async () => {
    const [a, b] = [await radio(), await radio()]
    const id = await link(a, b, { ssid: "span" })
    const both = await api.call("DELETE", "/api/dcim/interfaces/", [{ id: a }, { id: b }])
    const detail = `Unable to delete object. 1 dependent objects were found: span (${id})`
    expect([both.status, both.json]).toEqual([409, { detail }])
  })

  it("joins no other interfaces, and keeps their type", async () => {
    const [a, b, copper] = [await radio(), await radio(), await radio({ type: "1000base-t" })]
    expect(await refused({ interface_a: a, interface_b: copper })).toEqual({
      interface_b: ["1000BASE-T (1GE) is not a wireless interface."]
    })
    expect(await refused({ interface_a: a, interface_b: a })).toHaveProperty("interface_b")
    await link(a, b)
    expect(await refused({ interface_a: a, interface_b: b })).toHaveProperty("__all__")
    const changed = await api.call<Json>("PATCH", `/api/dcim/interfaces/${a}/`, { type: "1000base-t" })
    expect([changed.status, changed.json]).toMatchObject([
      400,
      { type: [expect.stringMatching(/^It is an end of wireless link/)] }
    ])
  })

  it("is the newest one of several, and moves with its ends", async () => {
    const [a, b, c] = [await radio(), await radio(), await radio()]
    const [first, second] = [await link(a, b), await link(c, a)]
    const linkOf = async (id: number) => ((await get(`dcim/interfaces/${id}/`))["wireless_link"] as Json | null)?.["id"]
    expect([await linkOf(a), await linkOf(b), await linkOf(c)]).toEqual([second, first, second])
    await api.call("DELETE", `/api/wireless/wireless-links/${second}/`)
    expect([await linkOf(a), await linkOf(c)]).toEqual([first, undefined])
    await api.call("PATCH", `/api/wireless/wireless-links/${first}/`, { interface_b: c })
    expect([await linkOf(b), await linkOf(c)]).toEqual([undefined, first])
  })

  it("is a step of a trace, for a user who may view it", async () => {
    const [a, b] = [await radio(), await radio()]
    const id = await link(a, b, { ssid: "hop", status: "planned" })
    const trace = await get<ReadonlyArray<ReadonlyArray<Json>>>(`dcim/interfaces/${a}/trace/`)
    expect(trace).toMatchObject([
      [
        [{ id: a }],
        {
          id,
          url: expect.stringContaining(`/api/wireless/wireless-links/${id}/`) as string,
          label: "hop",
          status: "planned"
        },
        [{ id: b }]
      ]
    ])
    const picture = await api.call("GET", `/api/dcim/interfaces/${a}/trace/?render=svg`)
    expect(picture.text).toContain("hop")
    const peer = await get(`dcim/connected-device/?peer_device=ap1&peer_interface=wlan${number}`)
    expect(peer).toMatchObject({ id: device })
    const ann = await makeUser(api, "ann", { types: ["dcim.interface"], actions: ["view"] })
    const hidden = await ann.call("GET", `/api/dcim/interfaces/${a}/`)
    expect(hidden.json).toMatchObject({ link_peers: [], connected_endpoints: null })
    expect((await ann.call("GET", `/api/dcim/interfaces/${a}/trace/`)).json).toMatchObject([[[{ id: a }], [], []]])
  })
})
