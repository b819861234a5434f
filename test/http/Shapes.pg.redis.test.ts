/** Values of an object on the wire, where NetBox has them one way or another for no reason to guess. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

type Made = Json & { readonly id: number }

let api: Api
let device: Made

const show = async (path: string, id: number) => (await api.call("GET", `/api/${path}/${id}/`)).json
const brief = async (path: string, id: number) =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/${path}/?id=${id}&brief=1`)).json.results[0]
const end = ({ id }: Made) => [{ object_type: "dcim.interface", object_id: id }]

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.makeObject("dcim/sites", named("Here"))
  const role = await api.makeObject("dcim/device-roles", named("Role"))
  const manufacturer = await api.makeObject("dcim/manufacturers", named("Maker"))
  const type = await api.makeObject("dcim/device-types", { manufacturer: manufacturer.id, model: "One", slug: "one" })
  device = await api.makeObject("dcim/devices", {
    name: "D",
    device_type: type.id,
    device_role: role.id,
    site: site.id
  })
})
afterAll(() => api.stop())

test("the family of an address is a choice, and a number where the address is nested or brief", async () => {
  const eth = await api.makeObject("dcim/interfaces", { device: device.id, name: "eth0", type: "1000base-t" })
  const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: eth.id }
  const address = await api.makeObject("ipam/ip-addresses", { address: "2001:db8::1/64", ...assigned })
  expect(address["family"]).toEqual({ value: 6, label: "IPv6" })
  expect(await brief("ipam/ip-addresses", address.id)).toMatchObject({ family: 6 })
  const changed = await api.call("PATCH", `/api/dcim/devices/${device.id}/`, { primary_ip6: address.id })
  expect(changed.json).toMatchObject({ primary_ip: { family: 6 }, primary_ip6: { family: 6 } })
  const prefix = await api.makeObject("ipam/prefixes", { prefix: "10.0.0.0/8" })
  expect([prefix["family"], await brief("ipam/prefixes", prefix.id)]).toMatchObject([
    { value: 4, label: "IPv4" },
    { family: 4 }
  ])
})

test("the type of a cable is a text, blank if it has none, and a nested interface shows its cable by id", async () => {
  const ends = await Promise.all(
    ["a", "b", "c", "d"].map((name) =>
      api.makeObject("dcim/interfaces", { device: device.id, name, type: "1000base-t" })
    )
  )
  const cable = await api.makeObject("dcim/cables", {
    type: "cat6",
    a_terminations: end(ends[0]!),
    b_terminations: end(ends[1]!)
  })
  const plain = await api.makeObject("dcim/cables", { a_terminations: end(ends[2]!), b_terminations: end(ends[3]!) })
  expect([cable["type"], plain["type"], plain["length_unit"]]).toEqual(["cat6", "", null])
  expect(cable["a_terminations"]).toMatchObject([{ object: { cable: cable.id } }])
  expect(await show("dcim/interfaces", ends[0]!.id)).toMatchObject({ cable: { id: cable.id }, link_peers: [{}] })
  const blank = await api.call("PATCH", `/api/dcim/cables/${cable.id}/`, { type: "" })
  expect([blank.status, blank.json["type"]]).toEqual([200, ""])
  const wrong = await api.call("PATCH", `/api/dcim/cables/${cable.id}/`, { type: "rope" })
  expect(wrong.json).toEqual({ type: ['"rope" is not a valid choice.'] })
})

test("the parent of an inventory item is an id", async () => {
  const parent = await api.makeObject("dcim/inventory-items", { device: device.id, name: "Board" })
  const child = await api.makeObject("dcim/inventory-items", { device: device.id, name: "Chip", parent: parent.id })
  expect([parent["parent"], child["parent"]]).toEqual([null, parent.id])
})

test("a choice has its label, and none in the brief representations of a service and a contact assignment", async () => {
  const service = await api.makeObject("ipam/services", { device: device.id, name: "S", ports: [80], protocol: "tcp" })
  expect(service["protocol"]).toEqual({ value: "tcp", label: "TCP" })
  expect(await brief("ipam/services", service.id)).toMatchObject({ protocol: "tcp" })
  const contact = await api.makeObject("tenancy/contacts", { name: "Ann" })
  const assignment = { content_type: "dcim.device", object_id: device.id, contact: contact.id }
  const none = await api.makeObject("tenancy/contact-assignments", assignment)
  expect([none["priority"], await brief("tenancy/contact-assignments", none.id)]).toMatchObject([
    null,
    { priority: "" }
  ])
})

test("the utilization of a VLAN group is a text", async () => {
  const group = await api.makeObject("ipam/vlan-groups", { ...named("Group"), min_vid: 1, max_vid: 8 })
  await api.make("ipam/vlans", { name: "V", vid: 1, group: group.id })
  expect(await show("ipam/vlan-groups", group.id)).toMatchObject({ vlan_count: 1, utilization: "12.5" })
  const empty = await api.makeObject("ipam/vlan-groups", named("Empty"))
  expect(await show("ipam/vlan-groups", empty.id)).toMatchObject({ utilization: "0.0" })
})
