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
  text,
  wwn
} from "../../ObjectType.ts"
import type Device from "./Device.ts"
import type Vlan from "../ipam/Vlan.ts"
import { cabled, hasSocket, socketBond, withoutSocket } from "../../shared/Cabled.ts"
import { kinship } from "../../shared/Kinship.ts"

const types = {
  ...withoutSocket,
  "100base-fx": "100BASE-FX (10/100ME FIBER)",
  "100base-lfx": "100BASE-LFX (10/100ME FIBER)",
  "100base-tx": "100BASE-TX (10/100ME)",
  "100base-t1": "100BASE-T1 (10/100ME Single Pair)",
  "1000base-t": "1000BASE-T (1GE)",
  "2.5gbase-t": "2.5GBASE-T (2.5GE)",
  "5gbase-t": "5GBASE-T (5GE)",
  "10gbase-t": "10GBASE-T (10GE)",
  "10gbase-cx4": "10GBASE-CX4 (10GE)",
  "1000base-x-gbic": "GBIC (1GE)",
  "1000base-x-sfp": "SFP (1GE)",
  "10gbase-x-sfpp": "SFP+ (10GE)",
  "10gbase-x-xfp": "XFP (10GE)",
  "10gbase-x-xenpak": "XENPAK (10GE)",
  "10gbase-x-x2": "X2 (10GE)",
  "25gbase-x-sfp28": "SFP28 (25GE)",
  "50gbase-x-sfp56": "SFP56 (50GE)",
  "40gbase-x-qsfpp": "QSFP+ (40GE)",
  "50gbase-x-sfp28": "QSFP28 (50GE)",
  "100gbase-x-cfp": "CFP (100GE)",
  "100gbase-x-cfp2": "CFP2 (100GE)",
  "100gbase-x-cfp4": "CFP4 (100GE)",
  "100gbase-x-cxp": "CXP (100GE)",
  "100gbase-x-cpak": "Cisco CPAK (100GE)",
  "100gbase-x-dsfp": "DSFP (100GE)",
  "100gbase-x-sfpdd": "SFP-DD (100GE)",
  "100gbase-x-qsfp28": "QSFP28 (100GE)",
  "100gbase-x-qsfpdd": "QSFP-DD (100GE)",
  "200gbase-x-cfp2": "CFP2 (200GE)",
  "200gbase-x-qsfp56": "QSFP56 (200GE)",
  "200gbase-x-qsfpdd": "QSFP-DD (200GE)",
  "400gbase-x-cfp2": "CFP2 (400GE)",
  "400gbase-x-qsfpdd": "QSFP-DD (400GE)",
  "400gbase-x-osfp": "OSFP (400GE)",
  "400gbase-x-cdfp": "CDFP (400GE)",
  "400gbase-x-cfp8": "CPF8 (400GE)",
  "800gbase-x-qsfpdd": "QSFP-DD (800GE)",
  "800gbase-x-osfp": "OSFP (800GE)",
  "1000base-kx": "1000BASE-KX (1GE)",
  "10gbase-kr": "10GBASE-KR (10GE)",
  "10gbase-kx4": "10GBASE-KX4 (10GE)",
  "25gbase-kr": "25GBASE-KR (25GE)",
  "40gbase-kr4": "40GBASE-KR4 (40GE)",
  "50gbase-kr": "50GBASE-KR (50GE)",
  "100gbase-kp4": "100GBASE-KP4 (100GE)",
  "100gbase-kr2": "100GBASE-KR2 (100GE)",
  "100gbase-kr4": "100GBASE-KR4 (100GE)",
  "ieee802.11a": "IEEE 802.11a",
  "ieee802.11g": "IEEE 802.11b/g",
  "ieee802.11n": "IEEE 802.11n",
  "ieee802.11ac": "IEEE 802.11ac",
  "ieee802.11ad": "IEEE 802.11ad",
  "ieee802.11ax": "IEEE 802.11ax",
  "ieee802.11ay": "IEEE 802.11ay",
  "ieee802.15.1": "IEEE 802.15.1 (Bluetooth)",
  "other-wireless": "Other (Wireless)",
  gsm: "GSM",
  cdma: "CDMA",
  lte: "LTE",
  "sonet-oc3": "OC-3/STM-1",
  "sonet-oc12": "OC-12/STM-4",
  "sonet-oc48": "OC-48/STM-16",
  "sonet-oc192": "OC-192/STM-64",
  "sonet-oc768": "OC-768/STM-256",
  "sonet-oc1920": "OC-1920/STM-640",
  "sonet-oc3840": "OC-3840/STM-1234",
  "1gfc-sfp": "SFP (1GFC)",
  "2gfc-sfp": "SFP (2GFC)",
  "4gfc-sfp": "SFP (4GFC)",
  "8gfc-sfpp": "SFP+ (8GFC)",
  "16gfc-sfpp": "SFP+ (16GFC)",
  "32gfc-sfp28": "SFP28 (32GFC)",
  "64gfc-qsfpp": "QSFP+ (64GFC)",
  "128gfc-qsfp28": "QSFP28 (128GFC)",
  "infiniband-sdr": "SDR (2 Gbps)",
  "infiniband-ddr": "DDR (4 Gbps)",
  "infiniband-qdr": "QDR (8 Gbps)",
  "infiniband-fdr10": "FDR10 (10 Gbps)",
  "infiniband-fdr": "FDR (13.5 Gbps)",
  "infiniband-edr": "EDR (25 Gbps)",
  "infiniband-hdr": "HDR (50 Gbps)",
  "infiniband-ndr": "NDR (100 Gbps)",
  "infiniband-xdr": "XDR (250 Gbps)",
  t1: "T1 (1.544 Mbps)",
  e1: "E1 (2.048 Mbps)",
  t3: "T3 (45 Mbps)",
  e3: "E3 (34 Mbps)",
  xdsl: "xDSL",
  docsis: "DOCSIS",
  gpon: "GPON (2.5 Gbps / 1.25 Gps)",
  "xg-pon": "XG-PON (10 Gbps / 2.5 Gbps)",
  "xgs-pon": "XGS-PON (10 Gbps)",
  "ng-pon2": "NG-PON2 (TWDM-PON) (4x10 Gbps)",
  epon: "EPON (1 Gbps)",
  "10g-epon": "10G-EPON (10 Gbps)",
  "cisco-stackwise": "Cisco StackWise",
  "cisco-stackwise-plus": "Cisco StackWise Plus",
  "cisco-flexstack": "Cisco FlexStack",
  "cisco-flexstack-plus": "Cisco FlexStack Plus",
  "cisco-stackwise-80": "Cisco StackWise-80",
  "cisco-stackwise-160": "Cisco StackWise-160",
  "cisco-stackwise-320": "Cisco StackWise-320",
  "cisco-stackwise-480": "Cisco StackWise-480",
  "cisco-stackwise-1t": "Cisco StackWise-1T",
  "juniper-vcp": "Juniper VCP",
  "extreme-summitstack": "Extreme SummitStack",
  "extreme-summitstack-128": "Extreme SummitStack-128",
  "extreme-summitstack-256": "Extreme SummitStack-256",
  "extreme-summitstack-512": "Extreme SummitStack-512",
  other: "Other"
}

const fields = {
  device: ref("dcim.device", { onDelete: "cascade" }),
  name: text({ max: 64 }),
  label: text({ max: 64, optional: true }),
  type: choice(types),
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
  description: text({ max: 200, optional: true }),
  mode: choice({ access: "Access", tagged: "Tagged", "tagged-all": "Tagged (All)" }, { optional: true }),
  tx_power: integer({ min: 0, max: 127, optional: true }),
  poe_mode: choice({ pd: "PD", pse: "PSE" }, { optional: true }),
  poe_type: choice(
    {
      "type1-ieee802.3af": "802.3af (Type 1)",
      "type2-ieee802.3at": "802.3at (Type 2)",
      "type3-ieee802.3bt": "802.3bt (Type 3)",
      "type4-ieee802.3bt": "802.3bt (Type 4)",
      "passive-24v-2pair": "Passive 24V (2-pair)",
      "passive-24v-4pair": "Passive 24V (4-pair)",
      "passive-48v-2pair": "Passive 48V (2-pair)",
      "passive-48v-4pair": "Passive 48V (4-pair)"
    },
    { optional: true }
  ),
  untagged_vlan: ref("ipam.vlan", { optional: true, onDelete: "set null" }),
  tagged_vlans: refs("ipam.vlan"),
  vrf: ref("ipam.vrf", { optional: true, onDelete: "set null" }),
  mark_connected: flag({ default: false }),
  /** Kept by the cables themselves, by a trigger. */
  cable: ref("dcim.cable", { optional: true, onDelete: "set null", wire: "read", bare: "brief" }),
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
  parts: { fields: ["virtual_chassis"], field: "virtual_chassis" },
  movable: false
})

export default defineObjectType({
  app: "dcim",
  name: "interface",
  plural: "interfaces",
  groups: {
    "Related interfaces": ["parent", "bridge", "lag"],
    Hardware: ["mtu", "mac_address", "speed", "duplex", "wwn", "tx_power", "mark_connected"],
    "Power over Ethernet": ["poe_mode", "poe_type"],
    VLANs: ["mode", "untagged_vlan", "tagged_vlans"]
  },
  fields,
  unique: [{ fields: ["device", "name"] }],
  derived: {
    ...cabled.derived,
    // There are no virtual device contexts.
    vdcs: { shape: { kind: "object", many: true }, of: () => [] }
  },
  derivedBy: cabled.derivedBy,
  counts: {
    count_ipaddresses: (_, types, from) =>
      `(select count(*) from ${from(types.get("ipam.ipaddress")!)} c where c.assigned_object_type = 'dcim.interface' and c.assigned_object_id = t.id)`
  },
  paths: {
    // As in NetBox, devices in locations below do not count here.
    location: "device/=location",
    device_type: "device/device_type/model",
    device_type_id: "device/device_type_id",
    vlan: ["untagged_vlan/vid", "tagged_vlans/vid"],
    vlan_id: ["untagged_vlan_id", "tagged_vlans_id"]
  },
  asked: {
    ...cabled.asked,
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
      sql: () => `case when t.type in (${Object.keys(withoutSocket).map(literal).join(", ")}) then 'virtual'
        when t.type like 'ieee802.%' or t.type = 'other-wireless' then 'wireless' else 'physical' end`
    }
  },
  search: ["name", "label", "description"],
  ordering: ["device", "name"],
  brief: ["device", "name", "cable", "_occupied"],
  display: (row) => (row.label === "" ? String(row.name) : `${row.name} (${row.label})`),
  looksAt: ["device", ...kin.looksAt, "untagged_vlan"],
  *check(row, find, before) {
    if (before !== undefined && before.device !== row.device) {
      yield broken(["device"], { device: ["Components cannot be moved to a different device."] })
    }
    yield* kin.rules(row)
    yield* kindRules(row)
    yield* portRules(row, find)
  },
  bonds: [...kin.bonds, socketBond],
  functions: [
    `create or replace function rackwire_keep_interface() returns trigger language plpgsql as $$
     begin
       raise exception 'interface % cannot be moved to a different device', new.id using errcode = 'check_violation';
     end $$`
  ],
  triggers: [
    {
      name: "dcim_interface_keep",
      sql: `before update of device_id on dcim_interface for each row when (new.device_id <> old.device_id)
        execute function rackwire_keep_interface()`
    }
  ]
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
      const message = `${types[row.type]} interfaces cannot be marked as connected.`
      yield broken(["type", "mark_connected"], { mark_connected: [message] })
    }
    if (row.poe_mode !== null) {
      yield broken(["type", "poe_mode"], { poe_mode: ["Virtual interfaces cannot have a PoE mode."] })
    }
  }
  if (row.poe_type !== null && row.poe_mode === null) {
    const message = "Must specify PoE mode when designating a PoE type."
    yield broken(["poe_type", "poe_mode"], { poe_type: [message] })
  }
  const vlan = find<typeof Vlan>("ipam.vlan", row.untagged_vlan)
  const device = find<typeof Device>("dcim.device", row.device)
  if (typeof vlan?.site === "number" && vlan.site !== device?.site) {
    const shown = `${String(vlan.name)} (${String(vlan.vid)})`
    const message = `The untagged VLAN (${shown}) must belong to the same site as the interface's parent device, or it must be global.`
    yield broken(["untagged_vlan", "device"], { untagged_vlan: [message] })
  }
}
