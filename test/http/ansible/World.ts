/** The objects that the data of the modules name. */
import type { Api } from "../../support/Api.ts"
import { type Json, named } from "../../support/Client.ts"

/** Ids by short names. */
export type World = Readonly<Record<string, number>>

/** Each row: a short name, its list, and its body made of the objects before it. */
const rows: ReadonlyArray<readonly [name: string, path: string, body: (world: World) => Json]> = [
  ["tag", "extras/tags", () => named("Schnozzberry")],
  ["tenant", "tenancy/tenants", () => named("Test Tenant")],
  ["region", "dcim/regions", () => named("Test Region")],
  ["siteGroup", "dcim/site-groups", () => named("Test Site Group")],
  ["site", "dcim/sites", () => named("Test Site")],
  ["site2", "dcim/sites", () => named("Test Site2")],
  ["location", "dcim/locations", ({ site }) => ({ ...named("Test Rack Group"), site })],
  ["rackRole", "dcim/rack-roles", () => named("Test Rack Role")],
  ["rack", "dcim/racks", ({ site }) => ({ name: "Test Rack", site })],
  ["manufacturer", "dcim/manufacturers", () => named("Cisco")],
  ["type", "dcim/device-types", ({ manufacturer }) => ({ manufacturer, model: "Cisco Test", slug: "cisco-test" })],
  [
    "parentType",
    "dcim/device-types",
    ({ manufacturer }) => ({ manufacturer, model: "Nexus Parent", slug: "nexus-parent", subdevice_role: "parent" })
  ],
  ["role", "dcim/device-roles", () => named("Core Switch")],
  [
    "device",
    "dcim/devices",
    ({ site, type, role }) => ({ name: "test100", site, device_type: type, device_role: role })
  ],
  [
    "other",
    "dcim/devices",
    ({ site, type, role }) => ({ name: "test101", site, device_type: type, device_role: role })
  ],
  [
    "parent",
    "dcim/devices",
    ({ site, parentType, role }) => ({ name: "nexus", site, device_type: parentType, device_role: role })
  ],
  ["port", "dcim/interfaces", ({ device }) => ({ device, name: "GigabitEthernet1", type: "1000base-t" })],
  ["lag", "dcim/interfaces", ({ device }) => ({ device, name: "port-channel1", type: "lag" })],
  ["radio", "dcim/interfaces", ({ device }) => ({ device, name: "wlink1", type: "ieee802.11a" })],
  ["farRadio", "dcim/interfaces", ({ other }) => ({ device: other, name: "wlink1", type: "ieee802.11a" })],
  ["rear", "dcim/rear-ports", ({ device }) => ({ device, name: "Test Rear Port", type: "8p8c", positions: 2 })],
  [
    "rearTemplate",
    "dcim/rear-port-templates",
    ({ type }) => ({ device_type: type, name: "Test Rear Port Template", type: "8p8c", positions: 2 })
  ],
  ["powerPort", "dcim/power-ports", ({ device }) => ({ device, name: "Test Power Port" })],
  [
    "powerTemplate",
    "dcim/power-port-templates",
    ({ type }) => ({ device_type: type, name: "Test Power Port Template" })
  ],
  ["panel", "dcim/power-panels", ({ site }) => ({ name: "Test Power Panel", site })],
  ["bay", "dcim/module-bays", ({ device }) => ({ device, name: "Bay 1" })],
  ["moduleType", "dcim/module-types", ({ manufacturer }) => ({ manufacturer, model: "Card" })],
  ["rir", "ipam/rirs", () => named("Example RIR")],
  ["vrf", "ipam/vrfs", () => ({ name: "Test VRF", rd: "1:1" })],
  [
    "vlanGroup",
    "ipam/vlan-groups",
    ({ site }) => ({ ...named("Test Vlan Group"), scope_type: "dcim.site", scope_id: site })
  ],
  ["vlan", "ipam/vlans", ({ site }) => ({ name: "Wireless", vid: 100, site })],
  ["ipamRole", "ipam/roles", () => named("Network of care")],
  ["target", "ipam/route-targets", () => ({ name: "65000:1" })],
  ["fhrp", "ipam/fhrp-groups", () => ({ protocol: "glbp", group_id: 100 })],
  ["l2vpn", "ipam/l2vpns", () => ({ ...named("Test L2VPN"), type: "vxlan" })],
  ["provider", "circuits/providers", () => named("Test Provider")],
  ["network", "circuits/provider-networks", ({ provider }) => ({ provider, name: "Provider Network A" })],
  ["circuitType", "circuits/circuit-types", () => named("Test Circuit Type")],
  [
    "circuit",
    "circuits/circuits",
    ({ provider, circuitType }) => ({ cid: "Test Circuit", provider, type: circuitType })
  ],
  ["clusterType", "virtualization/cluster-types", () => named("Test Cluster Type")],
  ["clusterGroup", "virtualization/cluster-groups", () => named("Test Cluster Group")],
  ["cluster", "virtualization/clusters", ({ clusterType }) => ({ name: "Test Cluster", type: clusterType })],
  ["machine", "virtualization/virtual-machines", ({ cluster }) => ({ name: "test100-vm", cluster })],
  ["lanGroup", "wireless/wireless-lan-groups", () => named("Test LANs")],
  ["contactGroup", "tenancy/contact-groups", () => named("Test Contacts")]
]

export const makeWorld = async (api: Api): Promise<World> => {
  const world: Record<string, number> = {}
  for (const [name, path, body] of rows) world[name] = await api.make(path, body(world))
  return world
}

/** How data name the objects that most modules need. */
export const by = {
  tag: ["extras/tags", { slug: "schnozzberry" }, "tag"],
  tenant: ["tenancy/tenants", { slug: "test-tenant" }, "tenant"],
  region: ["dcim/regions", { slug: "test-region" }, "region"],
  siteGroup: ["dcim/site-groups", { slug: "test-site-group" }, "siteGroup"],
  site: ["dcim/sites", { slug: "test-site" }, "site"],
  location: ["dcim/locations", { slug: "test-rack-group" }, "location"],
  rackRole: ["dcim/rack-roles", { slug: "test-rack-role" }, "rackRole"],
  manufacturer: ["dcim/manufacturers", { slug: "cisco" }, "manufacturer"],
  type: ["dcim/device-types", { slug: "cisco-test" }, "type"],
  role: ["dcim/device-roles", { slug: "core-switch" }, "role"],
  device: ["dcim/devices", { name: "test100" }, "device"],
  parent: ["dcim/devices", { name: "nexus" }, "parent"],
  panel: ["dcim/power-panels", { name: "Test Power Panel" }, "panel"],
  moduleType: ["dcim/module-types", { model: "Card" }, "moduleType"],
  bay: ["dcim/module-bays", { name: "Bay 1" }, "bay"],
  rir: ["ipam/rirs", { slug: "example-rir" }, "rir"],
  vrf: ["ipam/vrfs", { name: "Test VRF" }, "vrf"],
  vlanGroup: ["ipam/vlan-groups", { slug: "test-vlan-group" }, "vlanGroup"],
  ipamRole: ["ipam/roles", { slug: "network-of-care" }, "ipamRole"],
  target: ["ipam/route-targets", { name: "65000:1" }, "target"],
  l2vpn: ["ipam/l2vpns", { name: "Test L2VPN" }, "l2vpn"],
  provider: ["circuits/providers", { slug: "test-provider" }, "provider"],
  network: ["circuits/provider-networks", { name: "Provider Network A" }, "network"],
  circuitType: ["circuits/circuit-types", { slug: "test-circuit-type" }, "circuitType"],
  circuit: ["circuits/circuits", { cid: "Test Circuit" }, "circuit"],
  clusterType: ["virtualization/cluster-types", { slug: "test-cluster-type" }, "clusterType"],
  clusterGroup: ["virtualization/cluster-groups", { slug: "test-cluster-group" }, "clusterGroup"],
  cluster: ["virtualization/clusters", { name: "Test Cluster" }, "cluster"],
  machine: ["virtualization/virtual-machines", { name: "test100-vm" }, "machine"],
  lanGroup: ["wireless/wireless-lan-groups", { name: "Test LANs" }, "lanGroup"],
  contactGroup: ["tenancy/contact-groups", { name: "Test Contacts" }, "contactGroup"]
} as const satisfies Readonly<Record<string, readonly [path: string, query: Json, found: string]>>
