/** Objects as targets of Prometheus' service discovery: labels of NetBox's plugin, filters, permissions, several pages. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let place: Json

interface Target {
  readonly targets: ReadonlyArray<string>
  readonly labels: Readonly<Record<string, string>>
}

const discover = async (path: string) => {
  const { status, json } = await api.call<ReadonlyArray<Target>>("GET", `/api/plugins/prometheus-sd/${path}`)
  expect(status).toBe(200)
  return json
}

/** Labels without their prefix, and without ids. */
const plain = ({ labels }: Target) =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => {
      expect(name).toMatch(/^__meta_netbox_[a-z0-9_]+$/)
      return name === "__meta_netbox_id" ? [] : [[name.slice("__meta_netbox_".length), value]]
    })
  )

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Leaf"))
  place = { site, device_type, device_role }
})
afterAll(() => api.stop())

it("devices have the labels of the plugin", async () => {
  await api.make("extras/custom-fields", { name: "Owner", type: "text", content_types: ["dcim.device"] })
  const tags = [await api.make("extras/tags", named("Core")), await api.make("extras/tags", named("Lab"))]
  const group = await api.make("tenancy/tenant-groups", named("Group"))
  const tenant = await api.make("tenancy/tenants", { ...named("Tenant"), group })
  const type = await api.make("virtualization/cluster-types", named("Kind"))
  const cluster = await api.make("virtualization/clusters", { name: "C", type })
  const platform = await api.make("dcim/platforms", named("OS"))
  const rack = await api.make("dcim/racks", { name: "R", site: place["site"] })
  const id = await api.make("dcim/devices", {
    ...{ ...place, name: "sw1", tenant, cluster, platform, rack, position: 4, face: "front", tags },
    ...{ description: "first", custom_fields: { Owner: "Ada" } }
  })
  const port = await api.make("dcim/interfaces", { device: id, name: "eth0", type: "virtual" })
  const address = await api.make("ipam/ip-addresses", {
    ...{ address: "192.0.2.1/24", assigned_object_type: "dcim.interface", assigned_object_id: port }
  })
  await api.call("PATCH", `/api/dcim/devices/${id}/`, { primary_ip4: address })
  const contact = await api.make("tenancy/contacts", { name: "Eve", email: "eve@example.org" })
  const role = await api.make("tenancy/contact-roles", named("Admin"))
  await api.make("tenancy/contact-assignments", {
    ...{ content_type: "dcim.device", object_id: id, contact, role, priority: "primary" }
  })
  for (const name of ["ssh", "snmp"]) {
    await api.make("ipam/services", { device: id, name, ports: [22, 161], protocol: "udp", ipaddresses: [address] })
  }
  const [found, ...others] = await discover("devices/?name=sw1")
  expect([others, found!.targets]).toEqual([[], ["sw1"]])
  const shared = {
    ...{ tenant: "Tenant", tenant_slug: "tenant", tenant_group: "Group", tenant_group_slug: "group" },
    ...{ primary_ip: "192.0.2.1", primary_ip4: "192.0.2.1", cluster: "C", cluster_type: "Kind" },
    ...{ site: "Here", site_slug: "here", contact_primary_name: "Eve" },
    ...{ contact_primary_email: "eve@example.org", contact_primary_role: "Admin" }
  }
  expect(plain(found!)).toEqual({
    ...{ ...shared, model: "Device", name: "sw1", status: "active", description: "first" },
    ...{
      platform: "OS",
      platform_slug: "os",
      role: "Leaf",
      role_slug: "leaf",
      device_type: "M",
      device_type_slug: "m"
    },
    ...{ rack: "R", rack_u_position: "4", services: "ssh,snmp", tags: "Core,Lab", tag_slugs: "core,lab" },
    ...{ custom_field_owner: "Ada" }
  })
  const [service] = await discover("services/?name=ssh")
  expect([service!.targets, plain(service!)]).toEqual([
    ["ssh"],
    {
      ...{ ...shared, name: "ssh", display: "ssh (UDP/22, 161)", ports: "22,161", ipaddresses: "192.0.2.1" },
      ...{ parent: "sw1" }
    }
  ])
})

it("machines and addresses are targets by name", async () => {
  await api.make("virtualization/virtual-machines", { name: "vm1", site: place["site"], status: "staged" })
  expect((await discover("virtual-machines/?status=staged")).map((each) => [each.targets, plain(each)])).toEqual([
    [["vm1"], { model: "VirtualMachine", name: "vm1", status: "staged", site: "Here", site_slug: "here" }]
  ])
  await api.make("ipam/ip-addresses", { address: "198.51.100.1/32", dns_name: "a.example.org", role: "loopback" })
  await api.make("ipam/ip-addresses", { address: "198.51.100.2/32" })
  expect((await discover("ip-addresses/?parent=198.51.100.0/24")).map((each) => [each.targets, plain(each)])).toEqual([
    [["a.example.org"], { model: "IPAddress", status: "active", ip: "198.51.100.1", role: "loopback" }],
    [["198.51.100.2"], { model: "IPAddress", status: "active", ip: "198.51.100.2" }]
  ])
})

it("all objects are in one answer, without hidden ones, and a wrong filter is refused", async () => {
  const many = Array.from({ length: 250 }, (_, n) => ({ ...place, name: `many-${n}` }))
  await api.call("POST", "/api/dcim/devices/", many)
  await api.make("dcim/devices", { ...place, name: null })
  expect(await discover("devices/?name__isw=many-")).toHaveLength(250)
  expect(await discover("devices/?name__isw=none")).toEqual([])
  const wrong = await api.call<Json>("GET", "/api/plugins/prometheus-sd/devices/?site=nowhere")
  expect([wrong.status, Object.keys(wrong.json)]).toEqual([400, ["site"]])
  const ann = await makeUser(api, "ann", {
    ...{ types: ["dcim.device"], actions: ["view"], constraints: { name: "many-7" } }
  })
  const seen = await ann.call("GET", "/api/plugins/prometheus-sd/devices/")
  // The site, the role and the type are hidden.
  expect((seen.json as unknown as ReadonlyArray<Target>).map((each) => plain(each))).toEqual([
    { model: "Device", name: "many-7", status: "active" }
  ])
  expect((await ann.call("GET", "/api/plugins/prometheus-sd/services/")).status).toBe(403)
  expect(Object.keys((await api.call("GET", "/api/plugins/prometheus-sd/")).json as object)).toEqual([
    ...["devices", "virtual-machines", "ip-addresses", "services"]
  ])
})
