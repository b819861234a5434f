import { defineObjectType } from "../../ObjectType.ts"
import { described, deviceTemplate, ofDeviceType, staysRules } from "../../shared/ComponentTemplate.ts"
import type DeviceType from "./DeviceType.ts"

export default defineObjectType({
  ...deviceTemplate,
  app: "dcim",
  name: "devicebaytemplate",
  plural: "device-bay-templates",
  label: "device bay template",
  fields: { ...ofDeviceType(), ...described() },
  looksAt: ["device_type"],
  check: (row, _, before) => staysRules(row, before),
  bonds: [
    {
      name: "parent",
      fields: ["device_type"],
      applies: "true",
      lock: "select from dcim_devicetype where id = new.device_type_id for share",
      broken: `exists (select from dcim_devicetype y
        where y.id = j.device_type_id and y.subdevice_role is distinct from 'parent')`,
      rule: "Only device types of parent devices have device bays.",
      errors: (row, find) => {
        const model = String(find<typeof DeviceType>("dcim.devicetype", row.device_type)?.model)
        const message = `Subdevice role of device type (${model}) must be set to "parent" to allow device bays.`
        return { __all__: [message] }
      },
      others: [
        {
          type: "dcim.devicetype",
          fields: ["subdevice_role"],
          when: "new.subdevice_role is distinct from 'parent'",
          reaches: "j.device_type_id = new.id",
          field: "subdevice_role",
          message:
            "'Must delete all device bay templates associated with this device before declassifying it as a parent device.'"
        }
      ]
    }
  ]
})
