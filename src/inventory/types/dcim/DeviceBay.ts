import type { RowOf } from "../../Field.ts"
import { type Bond, defineObjectType, labels, ref } from "../../ObjectType.ts"
import { componentFields, fixedComponent } from "../../shared/Component.ts"
import type Device from "./Device.ts"
import type DeviceType from "./DeviceType.ts"

const fields = {
  ...componentFields(),
  installed_device: ref("dcim.device", { optional: true, onDelete: "set null", unique: true }),
  ...labels()
}

type DeviceBay = RowOf<{ readonly fields: typeof fields }>

/** Checked when a bay is made: as in NetBox, the type of a device with bays may change afterwards. */
const ofParent: Bond<DeviceBay> = {
  name: "parent",
  fields: ["device"],
  applies: "true",
  broken: `exists (select from dcim_device d, dcim_devicetype y
    where d.id = j.device_id and y.id = d.device_type_id and y.subdevice_role is distinct from 'parent')`,
  rule: "A device with device bays is of a parent type.",
  errors: (row, find) => {
    const device = find<typeof Device>("dcim.device", row.device)
    const model = find<typeof DeviceType>("dcim.devicetype", device?.device_type ?? null)?.model
    return { __all__: [`This type of device (${model}) does not support device bays.`] }
  },
  others: []
}

const elsewhere: Bond<DeviceBay> = {
  name: "itself",
  fields: ["device", "installed_device"],
  applies: "new.installed_device_id = new.device_id",
  broken: "j.installed_device_id = j.device_id",
  rule: "A device is not installed in a bay of its own.",
  errors: () => ({ __all__: ["Cannot install a device into itself."] }),
  others: []
}

export default defineObjectType({
  ...fixedComponent("dcim.devicebay"),
  app: "dcim",
  name: "devicebay",
  plural: "device-bays",
  menu: "Components",
  label: "device bay",
  fields,
  looksAt: ["device.device_type"],
  bonds: [ofParent, elsewhere],
  rivals: [
    {
      fields: ["installed_device"],
      where: "t.installed_device_id = j.installed_device_id",
      lock: "j.installed_device_id::text",
      errors: (_, other) => {
        const message = `Cannot install the specified device; device is already installed in ${String(other["name"])}`
        return { installed_device: [message] }
      }
    }
  ]
})
