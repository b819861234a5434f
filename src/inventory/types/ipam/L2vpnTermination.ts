import type { RowOf } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type Bond, defineObjectType, generic, labels, ref } from "../../ObjectType.ts"
import { l2vpnEnds } from "../../shared/L2vpn.ts"
import type L2vpn from "./L2vpn.ts"
import { l2vpnTypes } from "./L2vpn.ts"

const fields = {
  l2vpn: ref("ipam.l2vpn", { onDelete: "cascade" }),
  ...generic("assigned_object", { types: l2vpnEnds, onDelete: "cascade" }),
  ...labels()
}

/** The types that join two points, and their most terminations. */
const pointToPoint = ["vpws", "epl", "ep-lan", "ep-tree"]
const pointsMax = 2

/** Checked when a termination is made: as in NetBox, the type of an L2VPN with more may change afterwards. */
const points: Bond<RowOf<{ readonly fields: typeof fields }>> = {
  name: "points",
  fields: ["l2vpn"],
  applies: "true",
  lock: "select from ipam_l2vpn where id = new.l2vpn_id for no key update",
  broken: `exists (select from ipam_l2vpn v where v.id = j.l2vpn_id and v.type in (${pointToPoint.map(literal).join(", ")}))
    and (select count(*) from ipam_l2vpntermination t where t.l2vpn_id = j.l2vpn_id and t.id is distinct from j.id) >= ${pointsMax}`,
  rule: "A point-to-point L2VPN has no more than two terminations.",
  errors: (row, find) => {
    const type = find<typeof L2vpn>("ipam.l2vpn", row.l2vpn)?.type
    const label = l2vpnTypes[type as keyof typeof l2vpnTypes]
    return {
      __all__: [`${label} L2VPNs cannot have more than two terminations; found ${pointsMax} already defined.`]
    }
  },
  others: []
}

/** Steps of filters to the sites of the ends. */
const sites = [
  "assigned_object:ipam.vlan/site",
  "assigned_object:dcim.interface/device/site",
  "assigned_object:virtualization.vminterface/virtual_machine/site"
]

export default defineObjectType({
  app: "ipam",
  name: "l2vpntermination",
  plural: "l2vpn-terminations",
  label: "L2VPN termination",
  fields,
  unique: [{ fields: ["assigned_object_type", "assigned_object_id"], message: "L2VPN Termination already assigned" }],
  paths: {
    q: ["l2vpn/name__ic"],
    site: sites,
    region: sites.map((path) => `${path}/region`),
    device: ["assigned_object:dcim.interface/device"],
    interface: "assigned_object:dcim.interface/name",
    interface_id: "assigned_object:dcim.interface/id",
    virtual_machine: ["assigned_object:virtualization.vminterface/virtual_machine"],
    vminterface: "assigned_object:virtualization.vminterface/name",
    vminterface_id: "assigned_object:virtualization.vminterface/id",
    vlan: "assigned_object:ipam.vlan/name",
    vlan_id: "assigned_object:ipam.vlan/id",
    vlan_vid: "assigned_object:ipam.vlan/vid"
  },
  search: [],
  ordering: ["l2vpn"],
  brief: ["l2vpn"],
  displayBy: ["assigned_object_type", "l2vpn"],
  display: (row, view) => {
    const shown = (type: string, id: number) => String(view.nested(type, id)?.["display"] ?? `#${id}`)
    return `${shown(row.assigned_object_type, row.assigned_object_id)} <> ${shown("ipam.l2vpn", row.l2vpn)}`
  },
  looksAt: ["l2vpn"],
  bonds: [points]
})
