/** The modules of the Ansible collection for DCIM: their requests, one module after the other. */
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
    module: "netbox_region",
    path: "dcim/regions",
    names: [by.region],
    find: () => ({ slug: "second-region" }),
    create: ({ region }) => ({ name: "Second Region", slug: "second-region", parent: region }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_site_group",
    path: "dcim/site-groups",
    names: [by.siteGroup],
    find: () => ({ slug: "second-group" }),
    create: ({ siteGroup }) => ({ name: "Second Group", slug: "second-group", parent: siteGroup }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_site",
    path: "dcim/sites",
    names: [by.region, by.tenant, by.tag],
    find: () => ({ name: "Second Site", slug: "second-site" }),
    create: ({ region, tenant }) => ({
      name: "Second Site",
      slug: "second-site",
      region,
      tenant,
      time_zone: "America/Los_Angeles"
    }),
    change: ({ tag }) => ({
      status: "planned",
      facility: "EquinoxCA7",
      latitude: 22.169_141,
      longitude: -100.099_949,
      tags: [tag]
    })
  },
  {
    module: "netbox_location",
    path: "dcim/locations",
    names: [by.site, by.location],
    find: ({ site }) => ({ name: "Second Floor", slug: "second-floor", site_id: site }),
    create: ({ site, location }) => ({ name: "Second Floor", slug: "second-floor", site, parent: location }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_rack_group",
    path: "dcim/locations",
    names: [by.site],
    find: () => ({ slug: "second-rack-group" }),
    create: ({ site }) => ({ name: "Second Rack Group", slug: "second-rack-group", site }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_rack_role",
    path: "dcim/rack-roles",
    find: () => ({ slug: "second-rack-role" }),
    create: () => ({ name: "Second Rack Role", slug: "second-rack-role" }),
    change: () => ({ color: "003eff" })
  },
  {
    module: "netbox_rack",
    path: "dcim/racks",
    names: [by.site, by.location, by.rackRole],
    find: ({ site, location }) => ({ name: "Second Rack", site_id: site, location_id: location }),
    create: ({ site, location, rackRole }) => ({
      name: "Second Rack",
      site,
      location,
      role: rackRole,
      u_height: 12,
      outer_width: 32,
      outer_depth: 24,
      outer_unit: "in"
    }),
    change: () => ({
      status: "planned",
      width: 23,
      serial: "FXS10001",
      asset_tag: "1234",
      desc_units: true,
      type: "4-post-cabinet"
    })
  },
  {
    module: "netbox_manufacturer",
    path: "dcim/manufacturers",
    find: () => ({ slug: "second-maker" }),
    create: () => ({ name: "Second Maker", slug: "second-maker" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_platform",
    path: "dcim/platforms",
    names: [by.manufacturer],
    find: () => ({ slug: "second-platform" }),
    create: ({ manufacturer }) => ({ name: "Second Platform", slug: "second-platform", manufacturer }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_device_type",
    path: "dcim/device-types",
    names: [by.manufacturer],
    find: () => ({ slug: "ws-test-3850" }),
    create: ({ manufacturer }) => ({
      manufacturer,
      model: "ws-test-3850",
      slug: "ws-test-3850",
      part_number: "ws-3850g-v1",
      u_height: 1.5
    }),
    change: () => ({ is_full_depth: false, subdevice_role: "parent" })
  },
  {
    module: "netbox_device_role",
    path: "dcim/device-roles",
    find: () => ({ slug: "second-role" }),
    create: () => ({ name: "Second Role", slug: "second-role" }),
    change: () => ({ color: "c0ffee", vm_role: false })
  },
  {
    module: "netbox_device",
    path: "dcim/devices",
    names: [by.site, by.type, by.role, ["dcim/racks", { name: "Test Rack", site: "test-site" }, "rack"], by.tag],
    find: () => ({ name: "R1" }),
    create: ({ site, type, role, rack }) => ({
      name: "R1",
      site,
      device_type: type,
      device_role: role,
      rack,
      position: 10,
      face: "front",
      status: "staged"
    }),
    change: ({ tag }) => ({ asset_tag: "1234", serial: "FXS1001", tags: [tag], local_context_data: { bgp: "65000" } })
  },
  {
    module: "netbox_virtual_chassis",
    path: "dcim/virtual-chassis",
    names: [["dcim/devices", { name: "test101" }, "other"]],
    find: () => ({ name: "First VC", master: "test101" }),
    create: ({ other }) => ({ name: "First VC", master: other }),
    change: () => ({ domain: "Domain Text" })
  },
  {
    module: "netbox_module_type",
    path: "dcim/module-types",
    names: [by.manufacturer],
    find: () => ({ model: "Second Card" }),
    create: ({ manufacturer }) => ({ manufacturer, model: "Second Card" }),
    change: () => ({ part_number: "4711" })
  },
  {
    module: "netbox_inventory_item_role",
    path: "dcim/inventory-item-roles",
    find: () => ({ name: "Second Item Role" }),
    create: () => ({ name: "Second Item Role", slug: "second-item-role" }),
    change: () => ({ color: "abcdef" })
  },
  {
    module: "netbox_power_panel",
    path: "dcim/power-panels",
    names: [by.site, by.location, by.tag],
    find: ({ site }) => ({ name: "Second Panel", site_id: site }),
    create: ({ site, location }) => ({ name: "Second Panel", site, location }),
    change: ({ tag }) => ({ tags: [tag] })
  },
  {
    module: "netbox_power_feed",
    path: "dcim/power-feeds",
    names: [by.panel, ["dcim/racks", { name: "Test Rack", site: "test-site" }, "rack"]],
    find: ({ panel }) => ({ name: "Power Feed", power_panel: panel }),
    create: ({ panel, rack }) => ({ name: "Power Feed", power_panel: panel, rack }),
    change: () => ({
      status: "offline",
      type: "redundant",
      supply: "dc",
      phase: "single-phase",
      voltage: 120,
      amperage: 32,
      max_utilization: 25
    })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))
