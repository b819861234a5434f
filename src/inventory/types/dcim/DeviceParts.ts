/** A device and its components, the devices in its bays, its parent and its virtual chassis. */
import type { View } from "../../Field.ts"
import type { Panel } from "../../page/Panel.ts"
import { pointedAtBy } from "../../ObjectType.ts"

/** Whether a device has components of a type, by the name of the filter. */
const filters = {
  console_ports: pointedAtBy("dcim.consoleport", "device_id"),
  console_server_ports: pointedAtBy("dcim.consoleserverport", "device_id"),
  power_ports: pointedAtBy("dcim.powerport", "device_id"),
  power_outlets: pointedAtBy("dcim.poweroutlet", "device_id"),
  interfaces: pointedAtBy("dcim.interface", "device_id"),
  pass_through_ports: pointedAtBy(["dcim.frontport", "dcim.rearport"], "device_id"),
  module_bays: pointedAtBy("dcim.modulebay", "device_id"),
  device_bays: pointedAtBy("dcim.devicebay", "device_id")
}

/** The device that has the bay, as the parent of the installed device. */
const parentBy = (bay: number, view: View): unknown => {
  const shown = view.nested("dcim.devicebay", bay)
  const parent = view.row("dcim.devicebay", bay)?.["device"]
  const nested = typeof parent === "number" ? view.nested("dcim.device", parent) : null
  return nested === null ? null : { ...nested, device_bay: shown }
}

const panels: ReadonlyArray<Panel> = [
  { kind: "elevation", rack: "rack" },
  { kind: "webhooks" },
  { kind: "images", of: "object" },
  { kind: "images", of: "self", via: "device_type" },
  {
    kind: "ports",
    field: "device",
    types: [
      ...["dcim.interface", "dcim.frontport", "dcim.rearport", "dcim.consoleport", "dcim.consoleserverport"],
      ...["dcim.powerport", "dcim.poweroutlet"]
    ]
  },
  {
    kind: "children",
    title: "Modules",
    type: "dcim.module",
    field: "device",
    shows: ["module_type", "status", "serial"]
  },
  { kind: "children", title: "Module bays", type: "dcim.modulebay", field: "device", shows: ["module", "position"] },
  { kind: "children", title: "Device bays", type: "dcim.devicebay", field: "device", shows: ["installed_device"] },
  {
    ...{ kind: "children", title: "Inventory", type: "dcim.inventoryitem", field: "device" },
    shows: ["role", "manufacturer", "part_id", "serial"]
  },
  {
    ...{ kind: "children", title: "Services", type: "ipam.service", field: "device" },
    shows: ["protocol", "ports", "ipaddresses"]
  },
  { kind: "configContext" }
]

export const parts = {
  panels,
  asked: filters,
  paths: { parent_device_id: "<dcim.devicebay.installed_device/device_id" },
  pointedBy: {
    parent_device: {
      type: "dcim.devicebay",
      field: "installed_device",
      shown: { shape: { kind: "object" }, of: parentBy }
    }
  },
  functions: [
    // A device that moves takes the devices in its bays along.
    `create or replace function rackwire_carry_devices() returns trigger language plpgsql as $$
     begin
       update dcim_device d set site_id = new.site_id, location_id = new.location_id, rack_id = new.rack_id
         from dcim_devicebay b
        where b.device_id = new.id and d.id = b.installed_device_id
          and (d.site_id, d.location_id, d.rack_id) is distinct from (new.site_id, new.location_id, new.rack_id);
       return null;
     end $$`,
    // A chassis that is deleted takes positions and priorities of its members with it.
    `create or replace function rackwire_leave_chassis() returns trigger language plpgsql as $$
     begin
       if not exists (select from dcim_virtualchassis where id = old.virtual_chassis_id) then
         new.vc_position := null;
         new.vc_priority := null;
       end if;
       return new;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_device_carry",
      sql: `after update of site_id, location_id, rack_id on dcim_device for each row
        when ((old.site_id, old.location_id, old.rack_id) is distinct from (new.site_id, new.location_id, new.rack_id))
        execute function rackwire_carry_devices()`
    },
    {
      name: "dcim_device_leave",
      sql: `before update of virtual_chassis_id on dcim_device for each row
        when (old.virtual_chassis_id is not null and new.virtual_chassis_id is null)
        execute function rackwire_leave_chassis()`
    }
  ]
} as const
