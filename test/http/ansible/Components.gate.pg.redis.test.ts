/** The modules of the Ansible collection for components of devices and their templates: their requests, one module after the other. */
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
    module: "netbox_device_interface",
    path: "dcim/interfaces",
    names: [by.device, ["dcim/interfaces", { name: "port-channel1", form_factor: "lag", device: "test100" }, "lag"]],
    find: ({ device }) => ({ name: "GigabitEthernet3", device_id: device }),
    create: ({ device }) => ({ device, name: "GigabitEthernet3", type: "1000base-t", enabled: false }),
    change: ({ lag }) => ({ lag, mtu: 1600, mode: "access" })
  },
  {
    module: "netbox_device_interface_template",
    path: "dcim/interface-templates",
    names: [by.type],
    find: ({ type }) => ({ name: "10GBASE-T", devicetype_id: type }),
    create: ({ type }) => ({ device_type: type, name: "10GBASE-T", type: "10gbase-t" }),
    change: () => ({ mgmt_only: true })
  },
  {
    module: "netbox_console_port",
    path: "dcim/console-ports",
    names: [by.device],
    find: ({ device }) => ({ name: "Console Port", device_id: device }),
    create: ({ device }) => ({ device, name: "Console Port", type: "usb-a" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_console_port_template",
    path: "dcim/console-port-templates",
    names: [by.type],
    find: ({ type }) => ({ name: "Console Port Template", devicetype_id: type }),
    create: ({ type }) => ({ device_type: type, name: "Console Port Template", type: "usb-a" }),
    change: () => ({ type: "usb-b" })
  },
  {
    module: "netbox_console_server_port",
    path: "dcim/console-server-ports",
    names: [by.device],
    find: ({ device }) => ({ name: "Console Server Port", device_id: device }),
    create: ({ device }) => ({ device, name: "Console Server Port", type: "usb-a" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_console_server_port_template",
    path: "dcim/console-server-port-templates",
    names: [by.type],
    find: ({ type }) => ({ name: "Console Server Port Template", devicetype_id: type }),
    create: ({ type }) => ({ device_type: type, name: "Console Server Port Template", type: "usb-a" }),
    change: () => ({ type: "usb-b" })
  },
  {
    module: "netbox_power_port",
    path: "dcim/power-ports",
    names: [by.device],
    find: ({ device }) => ({ name: "Power Port", device_id: device }),
    create: ({ device }) => ({ device, name: "Power Port", type: "iec-60320-c20" }),
    change: () => ({ allocated_draw: 5, maximum_draw: 16 })
  },
  {
    module: "netbox_power_port_template",
    path: "dcim/power-port-templates",
    names: [by.type],
    find: ({ type }) => ({ name: "Power Port Template", devicetype_id: type }),
    create: ({ type }) => ({ device_type: type, name: "Power Port Template", type: "iec-60320-c20" }),
    change: () => ({ maximum_draw: 750 })
  },
  {
    module: "netbox_power_outlet",
    path: "dcim/power-outlets",
    names: [by.device, ["dcim/power-ports", { name: "Test Power Port", device: "test100" }, "powerPort"]],
    find: ({ device }) => ({ name: "Power Outlet", device_id: device }),
    create: ({ device, powerPort }) => ({ device, name: "Power Outlet", power_port: powerPort, type: "iec-60320-c5" }),
    change: () => ({ feed_leg: "A", description: "changed" })
  },
  {
    module: "netbox_power_outlet_template",
    path: "dcim/power-outlet-templates",
    names: [by.type, ["dcim/power-port-templates", { name: "Test Power Port Template" }, "powerTemplate"]],
    find: ({ type }) => ({ name: "Power Outlet Template", devicetype_id: type }),
    create: ({ type, powerTemplate }) => ({
      device_type: type,
      name: "Power Outlet Template",
      power_port: powerTemplate
    }),
    change: () => ({ feed_leg: "B" })
  },
  {
    module: "netbox_rear_port",
    path: "dcim/rear-ports",
    names: [by.device],
    find: ({ device }) => ({ name: "Rear Port", device_id: device }),
    create: ({ device }) => ({ device, name: "Rear Port", type: "bnc" }),
    change: () => ({ positions: 5, description: "changed" })
  },
  {
    module: "netbox_rear_port_template",
    path: "dcim/rear-port-templates",
    names: [by.type],
    find: ({ type }) => ({ name: "Rear Port Template", devicetype_id: type }),
    create: ({ type }) => ({ device_type: type, name: "Rear Port Template", type: "bnc" }),
    change: () => ({ positions: 5 })
  },
  {
    module: "netbox_front_port",
    path: "dcim/front-ports",
    names: [by.device, ["dcim/rear-ports", { name: "Test Rear Port", device: "test100" }, "rear"]],
    find: ({ device, rear }) => ({ name: "Front Port", device_id: device, rear_port: rear }),
    create: ({ device, rear }) => ({ device, name: "Front Port", type: "8p8c", rear_port: rear }),
    change: () => ({ rear_port_position: 2 })
  },
  {
    module: "netbox_front_port_template",
    path: "dcim/front-port-templates",
    names: [by.type, ["dcim/rear-port-templates", { name: "Test Rear Port Template" }, "rearTemplate"]],
    find: ({ type, rearTemplate }) => ({ name: "Front Port Template", devicetype_id: type, rear_port: rearTemplate }),
    create: ({ type, rearTemplate }) => ({
      device_type: type,
      name: "Front Port Template",
      type: "8p8c",
      rear_port: rearTemplate
    }),
    change: () => ({ rear_port_position: 2 })
  },
  {
    module: "netbox_device_bay",
    path: "dcim/device-bays",
    names: [by.parent],
    find: ({ parent }) => ({ name: "Device Bay One", device_id: parent }),
    create: ({ parent }) => ({ device: parent, name: "Device Bay One" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_device_bay_template",
    path: "dcim/device-bay-templates",
    names: [["dcim/device-types", { slug: "nexus-parent" }, "parentType"]],
    find: ({ parentType }) => ({ name: "Device Bay Template", devicetype_id: parentType }),
    create: ({ parentType }) => ({ device_type: parentType, name: "Device Bay Template" }),
    change: () => ({ label: "changed" })
  },
  {
    module: "netbox_module_bay",
    path: "dcim/module-bays",
    names: [by.device],
    find: () => ({ name: "Fan Bay" }),
    create: ({ device }) => ({ device, name: "Fan Bay", position: "2" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_module",
    path: "dcim/modules",
    names: [by.device, by.bay, by.moduleType],
    find: ({ device, bay, moduleType }) => ({ device_id: device, module_bay_id: bay, module_type_id: moduleType }),
    create: ({ device, bay, moduleType }) => ({ device, module_bay: bay, module_type: moduleType }),
    change: () => ({ serial: "FXS10001", asset_tag: "1234" })
  },
  {
    module: "netbox_inventory_item",
    path: "dcim/inventory-items",
    names: [by.device],
    find: ({ device }) => ({ name: "10G-SFP+", device_id: device }),
    create: ({ device }) => ({ device, name: "10G-SFP+" }),
    change: () => ({ part_id: "10G-SFP+", serial: "1234", discovered: true })
  },
  {
    module: "netbox_inventory_item of an interface",
    path: "dcim/inventory-items",
    names: [by.device, ["dcim/interfaces", { name: "GigabitEthernet1", device: "test100" }, "port"]],
    find: ({ device, port }) => ({
      name: "100G-SFP",
      device_id: device,
      component_type: "dcim.interface",
      component_id: port
    }),
    create: ({ device, port }) => ({ device, name: "100G-SFP", component_type: "dcim.interface", component_id: port }),
    change: () => ({ description: "changed" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))
