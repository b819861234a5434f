import type { RowOf } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import {
  type RuleViolation,
  type Find,
  broken,
  choice,
  defineObjectType,
  flag,
  integer,
  labels,
  mac,
  ref,
  refs,
  wwn
} from "../../ObjectType.ts"
import type Device from "./Device.ts"
import type Vlan from "../ipam/Vlan.ts"
import { hasSocket, socketBond } from "../../shared/Cabled.ts"
import { interfaceTypes, poeModes, poeTypes, wirelessTypes, withoutSocket } from "../../shared/port/InterfaceTypes.ts"
import { poeRules } from "../../shared/port/PoeRules.ts"
import { fixedPort, portFields, staysWithDevice } from "../../shared/Component.ts"
import { vlanFields, vlanFunction, vlanPaths, vlanTrigger } from "../../shared/Vlans.ts"
import { radioBond, radioFields, radioRules, radioTrigger } from "../../shared/Wireless.ts"
import { fhrpCount } from "../../shared/Fhrp.ts"
import { kinship } from "../../shared/Kinship.ts"
import { l2vpnPaths, l2vpnPointedBy } from "../../shared/L2vpn.ts"

const valuesOf = (choices: object): string => Object.keys(choices).map(literal).join(", ")

const fields = {
  ...portFields(),
  type: choice(interfaceTypes),
  enabled: flag({ default: true }),
  parent: ref("dcim.interface", { optional: true, onDelete: "protect" }),
  bridge: ref("dcim.interface", { optional: true, onDelete: "set null" }),
  lag: ref("dcim.interface", { optional: true, onDelete: "set null" }),
  mtu: integer({ min: 1, max: 65_536, optional: true }),
  mac_address: mac({ optional: true }),
  speed: integer({ min: 0, max: 2_147_483_647, optional: true, help: "In kbit/s." }),
  duplex: choice({ half: "Half", full: "Full", auto: "Auto" }, { optional: true, nullInSnapshot: true }),
  wwn: wwn({ optional: true }),
  mgmt_only: flag({ default: false }),
  tx_power: integer({ min: 0, max: 127, optional: true }),
  ...radioFields(),
  // Triggers keep it (types/wireless/WirelessLink.ts).
  wireless_link: ref("wireless.wirelesslink", { optional: true, onDelete: "set null", wire: "read" }),
  wireless_lans: refs("wireless.wirelesslan"),
  poe_mode: choice(poeModes, { optional: true }),
  poe_type: choice(poeTypes, { optional: true }),
  ...vlanFields(),
  vrf: ref("ipam.vrf", { optional: true, onDelete: "set null" }),
  vdcs: refs("dcim.virtualdevicecontext"),
  ...labels()
}

type Interface = RowOf<{ readonly fields: typeof fields }>

const kin = kinship({
  type: "dcim.interface",
  names: ["parent", "bridge", "lag"],
  owner: "device",
  machine: "dcim.device",
  called: "device",
  shares: "a.virtual_chassis_id = b.virtual_chassis_id",
  group: { field: "virtual_chassis", type: "dcim.virtualchassis", called: "virtual chassis" },
  parts: { fields: ["virtual_chassis"], field: "virtual_chassis" },
  movable: false
})

const fixed = fixedPort("dcim.interface")

export default defineObjectType({
  ...fixed,
  app: "dcim",
  name: "interface",
  plural: "interfaces",
  panels: [{ kind: "addresses" }, { kind: "trace" }],
  units: { mtu: "bytes", speed: "kbit/s", tx_power: "dBm", rf_channel_frequency: "MHz", rf_channel_width: "MHz" },
  menu: "Components",
  groups: {
    "Related interfaces": ["parent", "bridge", "lag"],
    Hardware: ["mtu", "mac_address", "speed", "duplex", "wwn", "mark_connected"],
    "Power over Ethernet": ["poe_mode", "poe_type"],
    Radio: ["rf_role", "rf_channel", "rf_channel_frequency", "rf_channel_width", "tx_power", "wireless_lans"],
    VLANs: ["mode", "untagged_vlan", "tagged_vlans"]
  },
  fields,
  derivedBy: [...fixed.derivedBy, "wireless_link.interface_a", "wireless_link.interface_b"],
  pointedBy: l2vpnPointedBy("dcim.interface"),
  counts: {
    count_fhrp_groups: fhrpCount("dcim.interface"),
    count_ipaddresses: (_, types, from) =>
      `(select count(*) from ${from(types.get("ipam.ipaddress")!)} c where c.assigned_object_type = 'dcim.interface' and c.assigned_object_id = t.id)`
  },
  paths: {
    ...fixed.paths,
    vdc: "vdcs/name",
    vdc_id: "vdcs_id",
    vdc_identifier: "vdcs/identifier",
    ...vlanPaths,
    ...l2vpnPaths
  },
  asked: {
    ...fixed.asked,
    // A member of a virtual chassis also has the interfaces of the other members, except management interfaces.
    device_id: {
      of: "dcim.device",
      sql: (_, types, from, ids) => {
        const devices = from(types.get("dcim.device")!)
        const members = `select m.id from ${devices} d join ${devices} m on m.virtual_chassis_id = d.virtual_chassis_id`
        return `(t.device_id = any (${ids})
          or not t.mgmt_only and t.device_id = any (array(${members} where d.id = any (${ids}))))`
      }
    },
    kind: {
      of: "text",
      sql: () => `case when t.type in (${valuesOf(withoutSocket)}) then 'virtual'
        when t.type in (${valuesOf(wirelessTypes)}) then 'wireless' else 'physical' end`
    }
  },
  looksAt: [...kin.looksAt, "untagged_vlan"],
  *check(row, find, before) {
    yield* staysWithDevice(row, find, before)
    yield* kin.rules(row)
    yield* kindRules(row)
    yield* radioRules(row)
    yield* portRules(row, find)
  },
  bonds: [...kin.bonds, socketBond, radioBond],
  functions: [...fixed.functions, radioTrigger.function, vlanFunction],
  triggers: [...fixed.triggers, radioTrigger.trigger, vlanTrigger("dcim_interface")]
})

function* kindRules(row: Interface): Iterable<RuleViolation> {
  if (row.parent !== null && row.type !== "virtual") {
    const message = "Only virtual interfaces may be assigned to a parent interface."
    yield broken(["parent", "type"], { parent: [message] })
  }
  if (row.lag !== null && row.type === "virtual") {
    yield broken(["lag", "type"], { lag: ["Virtual interfaces cannot have a parent LAG interface."] })
  }
}

function* portRules(row: Interface, find: Find): Iterable<RuleViolation> {
  if (!hasSocket(row.type)) {
    if (row.mark_connected) {
      const message = `${interfaceTypes[row.type]} interfaces cannot be marked as connected.`
      yield broken(["type", "mark_connected"], { mark_connected: [message] })
    }
  }
  yield* poeRules(row)
  const vlan = find<typeof Vlan>("ipam.vlan", row.untagged_vlan)
  const device = find<typeof Device>("dcim.device", row.device)
  if (typeof vlan?.site === "number" && vlan.site !== device?.site) {
    const shown = `${String(vlan.name)} (${String(vlan.vid)})`
    const message = `The untagged VLAN (${shown}) must belong to the same site as the interface's parent device, or it must be global.`
    yield broken(["untagged_vlan", "device"], { untagged_vlan: [message] })
  }
}
