/** Rules between devices, virtual machines, their clusters and chassis, and their addresses. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

type Made = Json & { readonly id: number }

let api: Api
let site: Made
let role: Made
let type: Made

/** Errors of a new object, or of a change of one that is there. */
const wrong = async (path: string, body: unknown, method = "POST") => {
  const { status, json } = await api.call(method, `/api/${path}/`, body)
  return status === 400 ? json : status
}

beforeAll(async () => {
  api = await sharedApi()
  site = await api.makeObject("dcim/sites", named("Here"))
  role = await api.makeObject("dcim/device-roles", named("Role"))
  const manufacturer = await api.makeObject("dcim/manufacturers", named("Maker"))
  type = await api.makeObject("dcim/device-types", { manufacturer: manufacturer.id, model: "One", slug: "one" })
})
afterAll(() => api.stop())

const device = (fields: Json): Json => ({ device_type: type.id, device_role: role.id, site: site.id, ...fields })

describe("a virtual chassis", () => {
  it("lets its members have primary addresses of each other, and lists the interfaces of all", async () => {
    const master = await api.makeObject("dcim/devices", device({ name: "VC1" }))
    const member = await api.makeObject("dcim/devices", device({ name: "VC2" }))
    const single = await api.makeObject("dcim/devices", device({ name: "VC3" }))
    const chassis = await api.makeObject("dcim/virtual-chassis", { name: "Stack", master: master.id })
    const port = await api.makeObject("dcim/interfaces", { device: member.id, name: "eth0", type: "1000base-t" })
    const own = await api.makeObject("dcim/interfaces", { device: master.id, name: "eth1", type: "1000base-t" })
    const managing = { device: member.id, name: "mgmt", type: "1000base-t", mgmt_only: true }
    const mgmt = await api.makeObject("dcim/interfaces", managing)
    const at = (assigned: Made, address: string, fields: Json = {}) =>
      api.makeObject("ipam/ip-addresses", {
        address,
        assigned_object_type: "dcim.interface",
        assigned_object_id: assigned.id,
        ...fields
      })
    const address = await at(port, "192.0.2.10/24")
    const managed = await at(mgmt, "192.0.2.11/24")
    const primary = (of: Made, ip: Made) => api.call("PATCH", `/api/dcim/devices/${of.id}/`, { primary_ip4: ip.id })
    const shown = (ip: string) => ({
      primary_ip4: [`The specified IP address (${ip}) is not assigned to this device.`]
    })
    expect((await primary(master, address)).json).toEqual(shown("192.0.2.10/24"))

    const joined = { virtual_chassis: chassis.id, vc_position: 2 }
    expect((await api.call("PATCH", `/api/dcim/devices/${member.id}/`, joined)).status).toBe(200)
    expect((await primary(master, address)).json).toMatchObject({ primary_ip: { id: address.id } })
    expect((await primary(master, managed)).json).toEqual(shown("192.0.2.11/24"))
    expect((await primary(member, managed)).status).toBe(200)
    expect((await primary(single, address)).json).toEqual(shown("192.0.2.10/24"))
    const outside = await api.makeObject("ipam/ip-addresses", { address: "198.51.100.7/32", nat_inside: address.id })
    expect((await primary(master, outside)).json).toMatchObject({ primary_ip: { id: outside.id } })
    expect((await primary(single, outside)).json).toEqual(shown("198.51.100.7/32"))

    const of = async (query: string) => {
      const path = `/api/dcim/interfaces/?ordering=id&${query}`
      return (await api.call<{ readonly results: ReadonlyArray<Made> }>("GET", path)).json.results.map(({ id }) => id)
    }
    expect(await of(`device_id=${master.id}`)).toEqual([port.id, own.id])
    expect(await of(`device_id=${member.id}`)).toEqual([port.id, own.id, mgmt.id])
    expect(await of(`device_id=${single.id}`)).toEqual([])
    expect((await of(`device_id__n=${master.id}`)).includes(own.id)).toBe(false)
    const left = await wrong(`dcim/devices/${master.id}`, { virtual_chassis: null, vc_position: null }, "PATCH")
    expect(left).toEqual(shown("198.51.100.7/32"))
  })
})

describe("a virtual machine", () => {
  it("takes its site from its cluster, also when plain SQL writes it", async () => {
    const type = await api.makeObject("virtualization/cluster-types", named("KVM"))
    const cluster = await api.makeObject("virtualization/clusters", { name: "C", type: type.id, site: site.id })
    const machine = await api.makeObject("virtualization/virtual-machines", { name: "VM", cluster: cluster.id })
    expect(machine["site"]).toMatchObject({ id: site.id })
    const path = `/api/virtualization/virtual-machines/${machine.id}/`
    expect((await api.call("PATCH", path, { site: null })).json["site"]).toMatchObject({ id: site.id })
    await api.database.sql.query(
      `insert into virtualization_virtualmachine (name, cluster_id) values ('By SQL', ${cluster.id})`
    )
    const list = await api.call("GET", "/api/virtualization/virtual-machines/?name=By SQL")
    expect(list.json).toMatchObject({ results: [{ site: { id: site.id } }] })
  })

  it("has a primary address of its interfaces, or one that is translated to such", async () => {
    const machine = await api.makeObject("virtualization/virtual-machines", { name: "Natted", site: site.id })
    const port = await api.makeObject("virtualization/interfaces", { virtual_machine: machine.id, name: "eth0" })
    const inside = await api.makeObject("ipam/ip-addresses", {
      address: "10.9.9.9/24",
      assigned_object_type: "virtualization.vminterface",
      assigned_object_id: port.id
    })
    const outside = await api.makeObject("ipam/ip-addresses", { address: "198.51.100.9/32", nat_inside: inside.id })
    const alone = await api.makeObject("ipam/ip-addresses", { address: "198.51.100.10/32" })
    const path = `virtualization/virtual-machines/${machine.id}`
    expect((await api.call("PATCH", `/api/${path}/`, { primary_ip4: outside.id })).json).toMatchObject({
      primary_ip: { id: outside.id }
    })
    expect(await wrong(path, { primary_ip4: alone.id }, "PATCH")).toEqual({
      primary_ip4: ["The specified IP address (198.51.100.10/32) is not assigned to this VM."]
    })
  })
})
