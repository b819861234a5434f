/** Devices and the cables between them, as a reader may view them, and the picture as a file. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { everything } from "../../src/inventory/derive/filter/Where.ts"
import { topologyOf } from "../../src/topology/Devices.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { statementsOf } from "../support/Statements.ts"

let api: Api
let ids: ReadonlyArray<number>
let other: number
let token: string
let place: Json

const hostile = `<img src=x onerror="alert(1)">&\u0001'`
const rightToLeft = "\u202eשרת \u05e8\u05d0\u05e9\u05d9"

const end = (object_type: string, object_id: number) => [{ object_type: `dcim.${object_type}`, object_id }]

const port = (device: number, name: string) => api.make("dcim/interfaces", { device, name, type: "1000base-t" })

const cable = (a: ReturnType<typeof end>, b: ReturnType<typeof end>, fields: Json = {}) =>
  api.make("dcim/cables", { a_terminations: a, b_terminations: b, ...fields })

const join = async (a: number, b: number, name: string, fields: Json = {}) =>
  cable(end("interface", await port(a, name)), end("interface", await port(b, name)), fields)

const svgOf = async (query = "", of = token) => {
  const response = await fetch(`${api.service.url}/dcim/topology/svg/${query}`, {
    headers: { authorization: `Token ${of}` }
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The titles of lines and devices. */
const titlesIn = (svg: string): ReadonlyArray<string> =>
  [...svg.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title!)

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Hall"))
  other = await api.make("dcim/sites", named("Elsewhere"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "336699" })
  const rack = await api.make("dcim/racks", { name: "R1", site })
  place = { site, rack, device_type, device_role }
  const device = (name: string | null, fields: Json = {}) => api.make("dcim/devices", { ...place, name, ...fields })
  ids = [
    await device("one"),
    await device("panel"),
    await device(hostile),
    await device(rightToLeft + "x".repeat(40)),
    await device(null),
    await device("far", { site: other, rack: null })
  ]
  const [one, panel, angry, rtl, nameless, far] = ids as [number, number, number, number, number, number]
  await join(one, angry, "a")
  await join(one, angry, "b", { status: "planned" })
  await join(rtl, nameless, "a", { status: "decommissioning" })
  await join(one, far, "far")
  // A cable to each side of a panel: the panel is a device between them.
  const rear = await api.make("dcim/rear-ports", { device: panel, name: "r", type: "8p8c" })
  const front = await api.make("dcim/front-ports", { device: panel, name: "f", type: "8p8c", rear_port: rear })
  await cable(end("interface", await port(one, "p")), end("frontport", front))
  await cable(end("rearport", rear), end("interface", await port(rtl, "p")))
  token = await api.newToken()
})
afterAll(() => api.stop())

describe("the topology", () => {
  it("has the devices of the filters, and the cables between them by pair and status", async () => {
    const { text, status } = await svgOf("?rack=R1")
    expect(status).toBe(200)
    const titles = titlesIn(text)
    expect(titles.filter((title) => title.includes(" between "))).toEqual([
      expect.stringMatching(/^2 cables between one and .*: 1 connected, 1 planned$/),
      expect.stringMatching(/^Cable between one and panel: 1 connected$/),
      expect.stringMatching(/^Cable between panel and .*: 1 connected$/),
      expect.stringMatching(/^Cable between .* and M: 1 decommissioning$/)
    ])
    expect(titles.filter((title) => title.endsWith("Role, active"))).toHaveLength(5)
    expect(titlesIn((await svgOf()).text).some((title) => title.includes("one and far"))).toBe(true)
  })

  it("has wireless links, and cables and links of the chosen statuses alone", async () => {
    const [one, panel] = ids as [number, number]
    const radio = async (device: number, name: string) =>
      api.make("dcim/interfaces", { device, name, type: "ieee802.11ac" })
    const link = await api.make("wireless/wireless-links", {
      ...{ interface_a: await radio(one, "w"), interface_b: await radio(panel, "w"), status: "planned" }
    })
    const between = async (query: string, of = token) =>
      titlesIn((await svgOf(query, of)).text).filter((title) => title.includes(" between "))
    expect(await between("?rack=R1&cable_status=planned")).toEqual([
      "Wireless link between one and panel: 1 planned",
      expect.stringMatching(/^Cable between one and .*: 1 planned$/)
    ])
    expect(await between("?rack=R1&cable_status=planned&cable_status=decommissioning")).toHaveLength(3)
    expect(await between("?rack=R1")).toHaveLength(5)
    expect((await svgOf("?cable_status=lost")).status).toBe(400)
    const view = (types: ReadonlyArray<string>, constraints?: Json) => ({ types, actions: ["view"], constraints })
    const rest = view(["dcim.device", "dcim.cable", "wireless.wirelesslink"])
    const half = await makeUser(api, "half", rest, view(["dcim.interface"], { name: "w", device_id: one }))
    expect(await between("", half.token)).toEqual([])
    const whole = await makeUser(api, "whole", rest, view(["dcim.interface"], { name: "w" }))
    expect(await between("", whole.token)).toEqual(["Wireless link between one and panel: 1 planned"])
    await api.call("DELETE", `/api/wireless/wireless-links/${link}/`)
  })

  it("is a file of SVG that runs nothing, with hostile names as texts", async () => {
    const { text, headers } = await svgOf()
    expect(headers.get("content-type")).toBe("image/svg+xml")
    expect(headers.get("content-disposition")).toBe('attachment; filename="topology.svg"')
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*; sandbox$/)
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(text).not.toMatch(/<img|<script/)
    expect(text).not.toContain("\u0001")
    expect(text).toContain("&lt;img src=x")
    expect(text).toContain(`href="${api.service.url}/dcim/devices/${ids[0]}/"`)
  })

  it("has nothing of devices, ports and cables that its reader may not view", async () => {
    const view = (types: ReadonlyArray<string>) => ({ types, actions: ["view"] })
    const [one, , angry] = ids as [number, number, number]
    const devices = { ...view(["dcim.device"]), constraints: { id__in: [one, angry] } }
    const cases = {
      all: [devices, view(["dcim.interface", "dcim.cable"])],
      ports: [devices, view(["dcim.cable"])],
      cables: [devices, view(["dcim.interface"])]
    }
    const seen = async (name: keyof typeof cases) => {
      const user = await makeUser(api, name, ...cases[name])
      return titlesIn((await svgOf("", user.token)).text)
    }
    expect(await seen("all")).toEqual([
      expect.stringMatching(/^2 cables/),
      "one, active",
      expect.stringMatching(/active$/)
    ])
    expect(await seen("ports")).toHaveLength(2)
    expect(await seen("cables")).toHaveLength(2)
    const nobody = await makeUser(api, "nobody", view(["dcim.cable"]))
    expect((await svgOf("", nobody.token)).status).toBe(403)
  })

  it("costs one statement, however many devices there are", async () => {
    const all = () => statementsOf(api.database.databaseUrl, topologyOf(everything))
    expect(await all()).toHaveLength(1)
    await api.makeAll(
      "dcim/devices",
      Array.from({ length: 20 }, (_, at) => ({ ...place, name: `more${at}` }))
    )
    expect(await all()).toHaveLength(1)
  })

  it("refuses unknown filters, and says how many devices it leaves out", async () => {
    expect((await svgOf("?nothing=1")).status).toBe(400)
    await api.database.sql.query(
      `insert into dcim_device (name, site_id, device_type_id, device_role_id)
       select 'many' || n, $1, $2, $3 from generate_series(1, 1001) n`,
      [other, place["device_type"], place["device_role"]]
    )
    const response = await fetch(`${api.service.url}/dcim/topology/?name__isw=many`, {
      headers: { authorization: `Token ${token}`, accept: "text/html" }
    })
    const text = await response.text()
    expect(text).toContain("1,000 devices, 0 cables")
    expect(text).toContain("1 device of 1,001 left out: a picture has at most 1,000.")
  })
})
