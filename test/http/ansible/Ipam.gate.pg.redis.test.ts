/** The modules of the Ansible collection for ipam: their requests, one module after the other. */
import { afterAll, beforeAll, it } from "vitest"
import { type Api, sharedApi } from "../../support/Api.ts"
import { type ModuleCase, expectModule } from "./Module.ts"
import { type World, by, makeWorld } from "./World.ts"

let api: Api
let token: string
let world: World

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  world = await makeWorld(api)
})
afterAll(() => api.stop())

const modules: ReadonlyArray<ModuleCase> = [
  {
    module: "netbox_rir",
    path: "ipam/rirs",
    find: () => ({ slug: "second-rir" }),
    create: () => ({ name: "Second RIR", slug: "second-rir" }),
    change: () => ({ is_private: true })
  },
  {
    module: "netbox_ipam_role",
    path: "ipam/roles",
    find: () => ({ slug: "second-role" }),
    create: () => ({ name: "Second Role", slug: "second-role" }),
    change: () => ({ weight: 4096 })
  },
  {
    module: "netbox_aggregate",
    path: "ipam/aggregates",
    names: [by.rir, by.tag],
    find: ({ rir }) => ({ prefix: "10.1.0.0/16", rir_id: rir }),
    create: ({ rir, tag }) => ({ prefix: "10.1.0.0/16", rir, tags: [tag] }),
    change: () => ({ date_added: "1999-01-20", description: "changed" })
  },
  {
    module: "netbox_asn",
    path: "ipam/asns",
    names: [by.rir, by.tenant],
    find: () => ({ asn: 65_001 }),
    create: ({ rir }) => ({ asn: 65_001, rir }),
    change: ({ tenant }) => ({ description: "changed", tenant })
  },
  {
    module: "netbox_vrf",
    path: "ipam/vrfs",
    names: [by.tenant, by.target],
    find: ({ tenant }) => ({ name: "Second VRF", tenant_id: tenant }),
    create: ({ tenant, target }) => ({
      name: "Second VRF",
      rd: "65000:2",
      tenant,
      import_targets: [target],
      export_targets: [target]
    }),
    change: () => ({ enforce_unique: false })
  },
  {
    module: "netbox_route_target",
    path: "ipam/route-targets",
    names: [by.tenant],
    find: () => ({ name: "65000:2" }),
    create: () => ({ name: "65000:2" }),
    change: ({ tenant }) => ({ description: "changed", tenant })
  },
  {
    module: "netbox_prefix",
    path: "ipam/prefixes",
    names: [by.vrf, by.site, by.ipamRole, ["ipam/vlans", { name: "Wireless", site: "test-site" }, "vlan"]],
    find: ({ vrf }) => ({ prefix: "10.156.0.0/19", vrf_id: vrf }),
    create: ({ vrf, site, ipamRole }) => ({ prefix: "10.156.0.0/19", vrf, site, role: ipamRole, status: "reserved" }),
    change: ({ vlan }) => ({ vlan, is_pool: true, description: "changed" })
  },
  {
    module: "netbox_ip_address",
    path: "ipam/ip-addresses",
    names: [by.vrf, by.tag],
    find: ({ vrf }) => ({ address: "192.168.1.30/24", vrf_id: vrf }),
    create: ({ vrf }) => ({ address: "192.168.1.30/24", vrf, dns_name: "example.com" }),
    change: ({ tag }) => ({ role: "loopback", description: "changed", tags: [tag] })
  },
  {
    module: "netbox_ip_address of an interface",
    path: "ipam/ip-addresses",
    names: [["dcim/interfaces", { name: "GigabitEthernet1", device: "test100" }, "port"]],
    find: ({ port }) => ({ address: "172.16.1.20/24", interface_id: port }),
    create: ({ port }) => ({
      address: "172.16.1.20/24",
      assigned_object_type: "dcim.interface",
      assigned_object_id: port
    }),
    change: () => ({ status: "dhcp" })
  },
  {
    module: "netbox_vlan_group",
    path: "ipam/vlan-groups",
    names: [by.site],
    find: () => ({ slug: "second-group" }),
    create: ({ site }) => ({ name: "Second Group", slug: "second-group", scope_type: "dcim.site", scope_id: site }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_vlan",
    path: "ipam/vlans",
    names: [by.site, by.vlanGroup, by.tenant, by.ipamRole],
    find: ({ site, vlanGroup, tenant }) => ({
      name: "Second VLAN",
      vid: 500,
      site_id: site,
      group_id: vlanGroup,
      tenant_id: tenant
    }),
    create: ({ site, vlanGroup, tenant, ipamRole }) => ({
      name: "Second VLAN",
      vid: 500,
      site,
      group: vlanGroup,
      tenant,
      role: ipamRole
    }),
    change: () => ({ status: "reserved", description: "changed" })
  },
  {
    module: "netbox_fhrp_group",
    path: "ipam/fhrp-groups",
    find: () => ({ group_id: 200 }),
    create: () => ({ group_id: 200, protocol: "hsrp" }),
    change: () => ({ auth_type: "md5", auth_key: "11111", description: "changed" })
  },
  {
    module: "netbox_fhrp_group_assignment",
    path: "ipam/fhrp-group-assignments",
    names: [
      ["ipam/fhrp-groups", { group_id: 100 }, "fhrp"],
      ["dcim/interfaces", { name: "GigabitEthernet1", device: "test100" }, "port"]
    ],
    find: ({ fhrp, port }) => ({ group_id: fhrp, interface_type: "dcim.interface", interface_id: port }),
    create: ({ fhrp, port }) => ({ group: fhrp, interface_type: "dcim.interface", interface_id: port, priority: 1 }),
    change: () => ({ priority: 3 })
  },
  {
    module: "netbox_l2vpn",
    path: "ipam/l2vpns",
    names: [by.target],
    find: () => ({ name: "Second L2VPN" }),
    create: ({ target }) => ({ name: "Second L2VPN", slug: "second-l2vpn", type: "vxlan", import_targets: [target] }),
    change: () => ({ identifier: 43_256 })
  },
  {
    module: "netbox_l2vpn_termination",
    path: "ipam/l2vpn-terminations",
    names: [by.l2vpn, ["ipam/vlans", { name: "Wireless" }, "vlan"], by.tag],
    find: ({ l2vpn, vlan }) => ({ l2vpn_id: l2vpn, vlan_id: vlan }),
    create: ({ l2vpn, vlan }) => ({ l2vpn, assigned_object_type: "ipam.vlan", assigned_object_id: vlan }),
    change: ({ tag }) => ({ tags: [tag] })
  },
  {
    module: "netbox_service",
    path: "ipam/services",
    names: [by.device],
    find: ({ device }) => ({ name: "node-exporter", device_id: device, protocol: "tcp" }),
    create: ({ device }) => ({ device, name: "node-exporter", ports: [9100], protocol: "tcp" }),
    change: () => ({ ports: [9100, 9101], description: "changed" })
  },
  {
    module: "netbox_service_template",
    path: "ipam/service-templates",
    find: () => ({ name: "SSH" }),
    create: () => ({ name: "SSH", ports: [22], protocol: "tcp" }),
    change: () => ({ ports: [22, 2222], description: "changed" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))
