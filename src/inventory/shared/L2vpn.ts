/** The parts of a declaration that objects share which an L2VPN may end at. */
import type { PointedBy } from "../ObjectType.ts"

/** The types at whose objects an L2VPN may end. */
export const l2vpnEnds = ["dcim.interface", "virtualization.vminterface", "ipam.vlan"]

/** The termination of an object of the type, at most one. */
export const l2vpnPointedBy = (type: string): Readonly<Record<string, PointedBy>> => ({
  l2vpn_termination: {
    type: "ipam.l2vpntermination",
    field: "assigned_object_id",
    where: `c.assigned_object_type = '${type}' and c.assigned_object_id = t.id`
  }
})

/** The filters by its L2VPN: as in NetBox by id, or by the identifier. */
export const l2vpnPaths = {
  l2vpn: "<ipam.l2vpntermination.assigned_object/l2vpn/identifier",
  l2vpn_id: "<ipam.l2vpntermination.assigned_object/l2vpn_id"
}
