/** Rules of inventory items, virtual device contexts and radios, by the API in NetBox's words, and by SQL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let usual: Json

const sent = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await api.call<Json>(method, `/api/${path}/`, body)
  return status === 400 ? json : status
}
const change = (path: string, body: unknown) => sent("PATCH", path, body)
const create = (path: string, body: unknown) => sent("POST", path, body)
const get = async (path: string) => (await api.call<Json>("GET", `/api/${path}/`)).json
const found = async (path: string) => {
  const { json } = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", `/api/${path}`)
  return json.results.map(({ id }) => id)
}
const sql = (text: string) => api.database.sql.query(text)
const device = (name: string, fields: Json = {}) => api.make("dcim/devices", { name, ...usual, ...fields })
const port = (owner: number, name: string, fields: Json = {}) =>
  api.make("dcim/interfaces", { device: owner, name, type: "1000base-t", ...fields })

beforeAll(async () => {
  api = await sharedApi()
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  usual = {
    site: await api.make("dcim/sites", named("Here")),
    device_role: await api.make("dcim/device-roles", named("Role")),
    device_type: await api.make("dcim/device-types", { manufacturer, model: "One", slug: "one" })
  }
})
afterAll(() => api.stop())

describe("an inventory item", () => {
  const path = "dcim/inventory-items"

  it("has a parent of its device, and moves without children only", async () => {
    const [one, two] = [await device("I1"), await device("I2")]
    const top = await api.make(path, { device: one, name: "Top" })
    const child = await api.make(path, { device: one, name: "Child", parent: top })
    expect(await get(`${path}/${child}`)).toMatchObject({ parent: top, _depth: 1 })
    expect(await create(path, { device: two, name: "Other", parent: top })).toEqual({
      parent: ["Parent inventory item does not belong to the same device."]
    })
    expect(await change(`${path}/${top}`, { parent: top })).toEqual({ parent: ["Cannot assign self as parent."] })
    expect(await change(`${path}/${top}`, { device: two })).toEqual({
      device: ["Cannot move an inventory item with dependent children"]
    })
    expect(await change(`${path}/${child}`, { device: two })).toEqual({
      parent: ["Parent inventory item does not belong to the same device."]
    })
    const move = (id: number) => sql(`update dcim_inventoryitem set device_id = ${two} where id = ${id}`)
    await expect(move(top)).rejects.toThrow("Cannot move an inventory item with dependent children")
    await expect(move(child)).rejects.toThrow("belongs to the same device")
    expect(await change(`${path}/${child}`, { device: two, parent: null })).toBe(200)
  })

  it("is part of a component of its device, and leaves it behind", async () => {
    const [one, two] = [await device("J1"), await device("J2")]
    const own = await api.make("dcim/power-ports", { device: one, name: "P" })
    const other = await api.make("dcim/console-ports", { device: two, name: "C" })
    const role = await api.make("dcim/inventory-item-roles", named("Supply"))
    const component = { component_type: "dcim.powerport", component_id: own }
    const item = await api.make(path, { device: one, name: "PSU", role, ...component })
    const shown = { component: { id: own, name: "P" }, role: { id: role, name: "Supply" } }
    expect(await get(`${path}/${item}`)).toMatchObject(shown)
    expect(await get(`dcim/inventory-item-roles/${role}`)).toMatchObject({ inventoryitem_count: 1 })
    expect(await found(`${path}/?role=supply`)).toEqual([item])
    expect(await sent("DELETE", `dcim/inventory-item-roles/${role}`)).toBe(409)
    const elsewhere = { component_type: "dcim.consoleport", component_id: other }
    const refused = { device: ["Cannot assign inventory item to component on another device"] }
    expect(await create(path, { device: one, name: "X", ...elsewhere })).toEqual(refused)
    expect(await change(`${path}/${item}`, elsewhere)).toEqual(refused)
    const text = `update dcim_inventoryitem set component_type = 'dcim.consoleport', component_id = ${other}`
    await expect(sql(`${text} where id = ${item}`)).rejects.toThrow("belongs to the same device")
    expect(await create(path, { device: one, name: "Y", component_type: "dcim.device", component_id: one })).toEqual({
      component_type: ["Invalid content type: dcim.device"]
    })
    expect(await change(`${path}/${item}`, { device: two })).toBe(200)
    expect(await get(`${path}/${item}`)).toMatchObject({ component_type: null, component_id: null, component: null })
  })
})

describe("a virtual device context", () => {
  const path = "dcim/virtual-device-contexts"

  it("keeps its device, and has interfaces and primary addresses of it", async () => {
    const [one, two] = [await device("V1"), await device("V2")]
    expect(await create(path, { name: "admin", device: one })).toEqual({ status: ["This field is required."] })
    const context = await api.make(path, { name: "admin", device: one, status: "active", identifier: 1 })
    for (const same of [{ name: "admin" }, { name: "user", identifier: 1 }]) {
      expect(await create(path, { device: one, status: "active", ...same })).toEqual({
        __all__: [
          expect.stringMatching(/^Virtual device context with this Device and (Name|Identifier) already exists/)
        ]
      })
    }
    const [own, other] = [await port(one, "e1", { vdcs: [context] }), await port(two, "e1")]
    expect(await get(`dcim/interfaces/${own}`)).toMatchObject({ vdcs: [{ id: context, name: "admin", identifier: 1 }] })
    expect(await get(`${path}/${context}`)).toMatchObject({ interface_count: 1, primary_ip: null })
    expect(await found(`dcim/interfaces/?vdc=admin`)).toEqual([own])
    expect(await found(`dcim/interfaces/?vdc_identifier=1`)).toEqual([own])
    const address = (on: number, text: string) =>
      api.make("ipam/ip-addresses", { address: text, assigned_object_type: "dcim.interface", assigned_object_id: on })
    const [near, far] = [await address(own, "192.0.2.1/24"), await address(other, "192.0.2.2/24")]
    expect(await change(`${path}/${context}`, { primary_ip4: far })).toEqual({
      primary_ip4: ["Primary IP address must belong to an interface on the assigned device."]
    })
    expect(await change(`${path}/${context}`, { primary_ip6: near })).toEqual({
      primary_ip6: ["192.0.2.1/24 is not an IPv6 address."]
    })
    expect(await change(`${path}/${context}`, { primary_ip4: near })).toBe(200)
    expect(await get(`${path}/${context}`)).toMatchObject({ primary_ip: { id: near } })
    expect(await change(`${path}/${context}`, { device: two })).toEqual({
      primary_ip4: ["Primary IP address must belong to an interface on the assigned device."]
    })
    await expect(
      sql(`update dcim_virtualdevicecontext set primary_ip4_id = ${far} where id = ${context}`)
    ).rejects.toThrow("assigned to an interface")
    await expect(sql(`update ipam_ipaddress set assigned_object_id = ${other} where id = ${near}`)).rejects.toThrow(
      "primary for virtual device context"
    )
    expect(await sent("DELETE", `dcim/devices/${one}`)).toBe(409)
    expect(await sent("DELETE", `${path}/${context}`)).toBe(204)
    expect(await get(`dcim/interfaces/${own}`)).toMatchObject({ vdcs: [] })
    expect(await sent("DELETE", `dcim/devices/${one}`)).toBe(204)
  })

  it("may have a primary address of another member of the chassis", async () => {
    const virtual_chassis = await api.make("dcim/virtual-chassis", { name: "Pair" })
    const [one, two] = [
      await device("W1", { virtual_chassis, vc_position: 1 }),
      await device("W2", { virtual_chassis, vc_position: 2 })
    ]
    const on = { assigned_object_type: "dcim.interface", assigned_object_id: await port(two, "e1") }
    const primary_ip6 = await api.make("ipam/ip-addresses", { address: "2001:db8::1/64", ...on })
    const context = await api.make(path, { name: "c", device: one, status: "planned", primary_ip6 })
    expect(await get(`${path}/${context}`)).toMatchObject({ primary_ip6: { id: primary_ip6 } })
    expect(await change(`dcim/devices/${two}`, { virtual_chassis: null })).toMatchObject({
      virtual_chassis: [expect.stringContaining("virtual device context c")]
    })
  })
})

describe("an interface", () => {
  it("of another device is named with its device, or with the chassis that it is outside of", async () => {
    const [alone, other] = [await device("Alone"), await device("Other")]
    const lag = await port(other, "ae0", { type: "lag" })
    expect(await create("dcim/interfaces", { device: alone, name: "e", type: "1000base-t", lag })).toEqual({
      lag: ["The selected LAG interface (ae0) belongs to a different device (Other)."]
    })
    const virtual_chassis = await api.make("dcim/virtual-chassis", { name: "Stack" })
    const member = await device("Member", { virtual_chassis, vc_position: 1 })
    const child = { device: member, name: "e.1", type: "virtual", parent: lag }
    expect(await create("dcim/interfaces", child)).toEqual({
      parent: ["The selected parent interface (ae0) belongs to Other, which is not part of virtual chassis Stack."]
    })
  })

  it("keeps the VLANs that its mode has a use for, and no others", async () => {
    const [a, b] = [
      await api.make("ipam/vlans", { vid: 10, name: "A" }),
      await api.make("ipam/vlans", { vid: 20, name: "B" })
    ]
    const type = await api.make("virtualization/cluster-types", named("Kind"))
    const cluster = await api.make("virtualization/clusters", { name: "C", type })
    const machine = await api.make("virtualization/virtual-machines", { name: "M", cluster })
    const owners = [
      ["dcim/interfaces", { device: await device("Switch"), type: "1000base-t" }],
      ["virtualization/interfaces", { virtual_machine: machine }]
    ] as const
    for (const [path, owner] of owners) {
      const vlans = { untagged_vlan: a, tagged_vlans: [b] }
      const kept = async (id: number) => {
        const shown = (await get(`${path}/${id}`)) as Json & { readonly untagged_vlan: Json | null }
        return [shown.untagged_vlan?.["vid"], (shown["tagged_vlans"] as ReadonlyArray<unknown>).length]
      }
      const id = await api.make(path, { ...owner, name: "e1", mode: "tagged", ...vlans })
      expect(await kept(id)).toEqual([10, 1])
      expect(await change(`${path}/${id}`, { mode: "access" })).toBe(200)
      expect(await kept(id)).toEqual([10, 0])
      expect(await change(`${path}/${id}`, { mode: null })).toBe(200)
      expect(await kept(id)).toEqual([undefined, 0])
      expect(await kept(await api.make(path, { ...owner, name: "e2", ...vlans }))).toEqual([undefined, 0])
    }
  })

  it("has a radio only if it is wireless, on the frequency of its channel", async () => {
    const owner = await device("Radio")
    const wired = await port(owner, "e1")
    const only = (what: string) => [`${what} may be set only on wireless interfaces.`]
    const cases = [
      [{ rf_role: "ap" }, { rf_role: only("Wireless role") }],
      [{ rf_channel: "5g-36-5180-20" }, { rf_channel: only("Channel") }],
      [{ rf_channel_frequency: 5180 }, { rf_channel_frequency: only("Channel frequency") }],
      [{ rf_channel_width: 20 }, { rf_channel_width: only("Channel width") }]
    ] as const
    expect(await change(`dcim/interfaces/${wired}`, { rf_role: "ap", rf_channel_width: 20 })).toEqual({
      rf_role: only("Wireless role"),
      rf_channel_width: only("Channel width")
    })
    for (const [body, errors] of cases) expect(await change(`dcim/interfaces/${wired}`, body)).toEqual(errors)
    await expect(sql(`update dcim_interface set rf_role = 'ap' where id = ${wired}`)).rejects.toThrow("wireless")
    const radio = await port(owner, "w1", { type: "ieee802.11ax", rf_role: "ap", rf_channel: "5g-36-5180-20" })
    expect(await get(`dcim/interfaces/${radio}`)).toMatchObject({
      rf_role: { value: "ap", label: "Access point" },
      rf_channel: { value: "5g-36-5180-20", label: "36 (5180/20 MHz)" },
      ...{ rf_channel_frequency: 5180, rf_channel_width: 20 }
    })
    expect(await change(`dcim/interfaces/${radio}`, { rf_channel_frequency: 5200 })).toEqual({
      rf_channel_frequency: ["Cannot specify custom frequency with channel selected."]
    })
    expect(await change(`dcim/interfaces/${radio}`, { rf_channel_width: 40 })).toEqual({
      rf_channel_width: ["Cannot specify custom width with channel selected."]
    })
    await expect(sql(`update dcim_interface set rf_channel_width = 40 where id = ${radio}`)).rejects.toThrow(
      "a channel fixes"
    )
    expect(await found(`dcim/interfaces/?rf_channel=5g-36-5180-20`)).toEqual([radio])
  })
})
