/** Rules between objects, broken from the side of the object that another one depends on: by the API, and by SQL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let site: number
let manufacturer: number
let device_role: number
let number = 0

/** The errors of a change that is refused; its status otherwise. */
const change = async (path: string, body: unknown) => {
  const { status, json } = await api.call<Json>("PATCH", `/api/${path}/`, body)
  return status === 400 ? json : status
}
const get = async (path: string) => (await api.call<Json>("GET", `/api/${path}/`)).json
const sql = (text: string) => api.database.sql.query(text)

const deviceType = (fields: Json = {}) =>
  api.make("dcim/device-types", { manufacturer, model: `T${(number += 1)}`, slug: `t${number}`, ...fields })
const device = async (name: string, fields: Json = {}) =>
  api.make("dcim/devices", { name, device_type: await deviceType(), device_role, site, ...fields })
const port = (owner: number, name: string, fields: Json = {}) =>
  api.make("dcim/interfaces", { device: owner, name, type: "1000base-t", ...fields })
const addressOf = (interfaceId: number | null, fields: Json = {}) =>
  api.make("ipam/ip-addresses", {
    address: `192.0.2.${(number += 1)}/24`,
    ...(interfaceId !== null && { assigned_object_type: "dcim.interface", assigned_object_id: interfaceId }),
    ...fields
  })
const chassis = (name: string) => api.make("dcim/virtual-chassis", { name })

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", named("Here"))
  manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  device_role = await api.make("dcim/device-roles", named("Role"))
})
afterAll(() => api.stop())

/** A device with a primary address. */
const primary = async (name: string) => {
  const owner = await device(name)
  const eth0 = await port(owner, "eth0")
  const address = await addressOf(eth0)
  expect(await change(`dcim/devices/${owner}`, { primary_ip4: address })).toBe(200)
  return { owner, eth0, address }
}

describe("a primary address", () => {
  it("is not assigned elsewhere, translated elsewhere or of another family", async () => {
    const { owner, address } = await primary("P1")
    const other = await port(await device("P2"), "eth0")
    const refused = ["IP address is primary for device P1 but not assigned to it!"]
    const path = `ipam/ip-addresses/${address}`
    expect(await change(path, { assigned_object_id: other })).toEqual({ assigned_object_id: refused })
    expect(await change(path, { assigned_object_type: null, assigned_object_id: null })).toEqual({
      assigned_object_id: refused
    })
    expect(await change(path, { address: "2001:db8::1/64" })).toEqual({
      address: ["It is the primary IPv4 address of device P1."]
    })
    await expect(sql(`update ipam_ipaddress set assigned_object_id = ${other} where id = ${address}`)).rejects.toThrow(
      `IP address is primary for device dcim.device #${owner} but not assigned to it!`
    )
    expect(await change(`dcim/devices/${owner}`, { serial: "1" })).toBe(200)
    const outside = await addressOf(null, { nat_inside: address })
    expect(await change(`dcim/devices/${owner}`, { primary_ip4: outside })).toBe(200)
    expect(await change(path, { assigned_object_id: other })).toEqual({ assigned_object_id: refused })
    expect(await change(`ipam/ip-addresses/${outside}`, { nat_inside: null })).toEqual({ assigned_object_id: refused })
    expect((await api.call("DELETE", `/api/${path}/`)).status).toBe(204)
    expect((await get(`dcim/devices/${owner}`))["primary_ip4"]).toBeNull()
  })

  it("is refused at the item that would part it from its device", async () => {
    const { address } = await primary("Bulk")
    const free = await addressOf(null)
    const items = [free, address].map((id) => ({ id, assigned_object_type: null, assigned_object_id: null }))
    const refused = ["IP address is primary for device Bulk but not assigned to it!"]
    expect(await change("ipam/ip-addresses", items)).toEqual({ assigned_object_id: refused })
  })

  it("stays on its device when both sides change at once, and one device gets it", async () => {
    const elsewhere = await port(await device("Race other"), "eth0")
    for (let round = 0; round < 5; round++) {
      const owner = await device(`Race ${round}`)
      const address = await addressOf(await port(owner, "eth0"))
      await Promise.all([
        change(`dcim/devices/${owner}`, { primary_ip4: address }),
        change(`ipam/ip-addresses/${address}`, { assigned_object_id: elsewhere })
      ])
    }
    const virtual_chassis = await chassis("Race")
    const members = await Promise.all([1, 2, 3].map((n) => device(`Racer ${n}`, { virtual_chassis, vc_position: n })))
    const address = await addressOf(await port(members[0]!, "eth0"))
    const statuses = members.map((id) => change(`dcim/devices/${id}`, { primary_ip4: address }))
    expect((await Promise.all(statuses)).filter((each) => each === 200)).toEqual([200])
    const both = members.map((id, at) => ({ id, primary_ip4: at === 0 ? null : address }))
    expect(await change("dcim/devices", both)).toHaveProperty("primary_ip4")
    const broken = await sql(`select d.name from dcim_device d join ipam_ipaddress a on a.id = d.primary_ip4_id
      left join dcim_interface i on i.id = a.assigned_object_id where d.name like 'Race %' and i.device_id <> d.id`)
    expect(broken).toEqual([])
  })

  it("hides the name of a device from users who may not view it", async () => {
    const { owner, address } = await primary("Secret")
    const ann = await makeUser(api, "ann", { types: ["ipam.ipaddress"], actions: ["view", "change"] })
    const { json } = await ann.call("PATCH", `/api/ipam/ip-addresses/${address}/`, {
      assigned_object_type: null,
      assigned_object_id: null
    })
    expect(json).toEqual({
      assigned_object_id: [`IP address is primary for device #${owner} but not assigned to it!`]
    })
  })

  it("is that of one device, also of members of one virtual chassis", async () => {
    const virtual_chassis = await chassis("Shared")
    const { owner, address } = await primary("M1")
    const second = await device("M2", { virtual_chassis, vc_position: 2 })
    expect(await change(`dcim/devices/${owner}`, { virtual_chassis, vc_position: 1 })).toBe(200)
    expect(await change(`dcim/devices/${second}`, { primary_ip4: address })).toEqual({
      primary_ip4: ["device with this Primary IPv4 already exists."]
    })
    expect(await change(`dcim/devices/${owner}`, { primary_ip4: null })).toBe(200)
    expect(await change(`dcim/devices/${second}`, { primary_ip4: address })).toBe(200)
    const parted = ["The primary IPv4 address of device M2 would be on none of its interfaces."]
    expect(await change(`dcim/devices/${owner}`, { virtual_chassis: null })).toEqual({ virtual_chassis: parted })
    const [eth0] = await api.database.sql.query<{ readonly id: number }>(
      `select id::int as id from dcim_interface where device_id = ${owner}`
    )
    expect(await change(`dcim/interfaces/${eth0!.id}`, { mgmt_only: true })).toEqual({ mgmt_only: parted })
    expect((await api.call("DELETE", `/api/dcim/virtual-chassis/${virtual_chassis}/`)).status).toBe(204)
    expect(await get(`dcim/devices/${second}`)).toMatchObject({ primary_ip4: null, vc_position: null })
  })

  it("of a virtual machine is held likewise", async () => {
    const vm = (name: string) => api.make("virtualization/virtual-machines", { name, site })
    const [one, two] = [await vm("vm1"), await vm("vm2")]
    const eth0 = await api.make("virtualization/interfaces", { virtual_machine: one, name: "eth0" })
    const sub = await api.make("virtualization/interfaces", { virtual_machine: one, name: "eth0.1", parent: eth0 })
    const assigned = { assigned_object_type: "virtualization.vminterface", assigned_object_id: sub }
    const address = await api.make("ipam/ip-addresses", { address: "198.51.100.1/24", ...assigned })
    expect(await change(`virtualization/virtual-machines/${one}`, { primary_ip4: address })).toBe(200)
    expect(await change(`virtualization/interfaces/${eth0}`, { virtual_machine: two })).toEqual({
      virtual_machine: ["It is the parent of interface eth0.1."]
    })
    expect(await change(`virtualization/interfaces/${sub}`, { virtual_machine: two, parent: null })).toEqual({
      virtual_machine: ["The primary IPv4 address of VM vm1 would be on none of its interfaces."]
    })
    expect((await api.call("DELETE", `/api/virtualization/interfaces/${eth0}/`)).status).toBe(409)
    expect((await api.call("DELETE", `/api/virtualization/virtual-machines/${one}/`)).status).toBe(204)
  })
})

describe("the place of a device", () => {
  it("is kept by a type that grows, and by a rack that shrinks", async () => {
    const rack = await api.make("dcim/racks", { name: "R", site, u_height: 10 })
    const [low, high] = [await deviceType({ is_full_depth: false }), await deviceType()]
    const at = (position: number, device_type: number, face = "front") =>
      device(`U${position}${face}`, { rack, position, face, device_type })
    const first = await at(1, low)
    await at(2, low)
    await at(9, high)
    await at(2, low, "rear")
    expect(await change(`dcim/device-types/${low}`, { u_height: 2 })).toEqual({
      u_height: ["Device U1front in rack R does not have sufficient space to accommodate a height of 2U"]
    })
    expect(await change(`dcim/device-types/${low}`, { is_full_depth: true })).toEqual({
      is_full_depth: ["Device U2front in rack R does not have sufficient space to accommodate a height of 1U"]
    })
    expect(await change(`dcim/device-types/${high}`, { u_height: 3 })).toMatchObject({
      u_height: [expect.stringContaining("U9front")]
    })
    expect(await change(`dcim/device-types/${high}`, { u_height: 0 })).toEqual({
      u_height: ["Unable to set 0U height: Found 1 instances already mounted within racks."]
    })
    expect(await change(`dcim/device-types/${high}`, { u_height: 2 })).toBe(200)
    expect(await change(`dcim/racks/${rack}`, { u_height: 9 })).toEqual({
      u_height: ["Rack must be at least 10U tall to house currently installed devices."]
    })
    await expect(sql(`update dcim_rack set u_height = 9 where id = ${rack}`)).rejects.toThrow("at least 10U")
    await expect(sql(`update dcim_device set position = 1.5 where id = ${first}`)).rejects.toThrow("same units")
    await expect(sql(`update dcim_device set position = 11 where id = ${first}`)).rejects.toThrow("within its rack")
  })
})

describe("an interface", () => {
  it("with a cable keeps its socket and its device", async () => {
    const owner = await device("Cabled")
    const [a, b, c] = [await port(owner, "a"), await port(owner, "b"), await port(owner, "c", { mark_connected: true })]
    const end = (id: number) => [{ object_type: "dcim.interface", object_id: id }]
    await api.make("dcim/cables", { a_terminations: end(a), b_terminations: end(b) })
    expect(await change(`dcim/interfaces/${a}`, { type: "virtual" })).toEqual({
      type: ["Virtual interfaces cannot have a cable attached."]
    })
    const elsewhere = await device("Elsewhere")
    expect(await change(`dcim/interfaces/${a}`, { device: elsewhere })).toEqual({
      device: ["Components cannot be moved to a different device."]
    })
    await expect(sql(`update dcim_interface set type = 'lag' where id = ${a}`)).rejects.toThrow("has a socket")
    await expect(sql(`update dcim_interface set device_id = ${elsewhere} where id = ${a}`)).rejects.toThrow("moved")
    const { status, json } = await api.call("POST", "/api/dcim/cables/", {
      a_terminations: end(c),
      b_terminations: end(await port(owner, "d"))
    })
    expect([status, json]).toEqual([400, { a_terminations: ["Interface c is marked as connected."] }])
  })

  it("belongs to interfaces of its virtual chassis, and is not deleted before those that belong to it", async () => {
    const virtual_chassis = await chassis("Stack")
    const [one, two] = [
      await device("S1", { virtual_chassis, vc_position: 1 }),
      await device("S2", { virtual_chassis, vc_position: 2 })
    ]
    const lag = await port(one, "lag", { type: "lag" })
    await port(two, "member", { lag })
    const refused = "Interface member and its lag would be of different devices."
    expect(await change(`dcim/devices/${two}`, { virtual_chassis: null })).toEqual({ virtual_chassis: [refused] })
    expect(await change(`dcim/virtual-chassis/${virtual_chassis}`, { master: two })).toBe(200)
    const gone = await api.call("DELETE", `/api/dcim/virtual-chassis/${virtual_chassis}/`)
    const detail = "Unable to delete virtual chassis Stack. There are member interfaces which form a cross-chassis LAG"
    expect([gone.status, gone.json]).toEqual([409, { detail }])
    const parent = await port(one, "eth1")
    await port(one, "eth1.1", { type: "virtual", parent })
    expect((await api.call("DELETE", `/api/dcim/interfaces/${parent}/`)).status).toBe(409)
    expect((await api.call("DELETE", `/api/dcim/interfaces/${lag}/`)).status).toBe(204)
    expect(await change(`dcim/devices/${two}`, { virtual_chassis: null })).toEqual({
      virtual_chassis: ["It is the master of virtual chassis Stack."]
    })
    expect((await api.call("DELETE", `/api/dcim/virtual-chassis/${virtual_chassis}/`)).status).toBe(204)
    expect(await get(`dcim/devices/${two}`)).toMatchObject({ virtual_chassis: null, vc_position: null })
    expect((await api.call("DELETE", `/api/dcim/devices/${one}/`)).status).toBe(204)
  })
})

it("a row that is already wrong accepts every other change", async () => {
  const { owner, address } = await primary("Wrong")
  const rack = await api.make("dcim/racks", { name: "W", site, u_height: 10 })
  await api.database.superuser.query(`do $$ begin
    set local session_replication_role = replica;
    update dcim_device set rack_id = ${rack}, position = 30, face = null where id = ${owner};
    update ipam_ipaddress set assigned_object_id = null, assigned_object_type = null where id = ${address};
  end $$`)
  expect(await change(`dcim/devices/${owner}`, { serial: "2", position: 30 })).toBe(200)
  expect(await change(`dcim/racks/${rack}`, { serial: "3", u_height: 12 })).toBe(200)
  expect(await change(`ipam/ip-addresses/${address}`, { description: "x" })).toBe(200)
  expect(await change(`dcim/devices/${owner}`, { position: 29 })).toEqual({
    face: ["Must specify rack face when defining rack position."]
  })
  expect(await change(`dcim/devices/${owner}`, { position: 29, face: "front" })).toMatchObject({
    position: [expect.stringContaining("does not have sufficient space")]
  })
  expect(await change(`dcim/devices/${owner}`, { position: null, primary_ip4: null })).toBe(200)
})
