import { choice, defineObjectType, integer, labels, named, ref, refs, text } from "../../ObjectType.ts"

export const l2vpnTypes = {
  vpws: "VPWS",
  vpls: "VPLS",
  vxlan: "VXLAN",
  "vxlan-evpn": "VXLAN-EVPN",
  "mpls-evpn": "MPLS EVPN",
  "pbb-evpn": "PBB EVPN",
  epl: "EPL",
  evpl: "EVPL",
  "ep-lan": "Ethernet Private LAN",
  "evp-lan": "Ethernet Virtual Private LAN",
  "ep-tree": "Ethernet Private Tree",
  "evp-tree": "Ethernet Virtual Private Tree"
}

export default defineObjectType({
  app: "ipam",
  name: "l2vpn",
  plural: "l2vpns",
  label: "L2VPN",
  fields: {
    identifier: integer({ optional: true }),
    ...named(),
    type: choice(l2vpnTypes),
    import_targets: refs("ipam.routetarget"),
    export_targets: refs("ipam.routetarget"),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    ...labels()
  },
  paths: { import_target: "import_targets", export_target: "export_targets" },
  search: ["name", "slug", "identifier", "description", "comments"],
  ordering: ["name", "identifier"],
  brief: ["identifier", "name", "slug", "type"],
  display: (row) => (row.identifier === null ? String(row["name"]) : `${String(row["name"])} (${row.identifier})`)
})
