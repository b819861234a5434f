import {
  type CountSql,
  bounded,
  broken,
  choice,
  defineObjectType,
  family,
  flag,
  labels,
  prefix,
  ref,
  text
} from "../../ObjectType.ts"
import type Vrf from "./Vrf.ts"

/** Prefixes of this VRF, or of one that exports to it. */
export const presentInVrf = {
  present_in_vrf: ["vrf", "vrf/export_targets/<ipam.vrf.import_targets/rd"],
  present_in_vrf_id: ["vrf_id", "vrf/export_targets/<ipam.vrf.import_targets/id"]
}

const children: CountSql = (type, _, from) =>
  bounded(
    type,
    from(type),
    ["prefix", "vrf_id"],
    (prefix, vrf) => `c.prefix << ${prefix} and c.vrf_id is not distinct from ${vrf}`
  )

/** The same for every prefix of a table: its children follow it in the order of prefixes, so a B-tree finds them. */
const childrenInRange: CountSql = (type, _, from) =>
  `(select count(*) from ${from(type)} c where c.prefix > t.prefix
      and c.prefix <= set_masklen(broadcast(t.prefix), case family(t.prefix) when 4 then 32 else 128 end)
      and c.vrf_id is not distinct from t.vrf_id)`

const depth: CountSql = (type, _, from) =>
  `(select count(*) from ${from(type)} c where c.prefix >> t.prefix and c.vrf_id is not distinct from t.vrf_id)`

export default defineObjectType({
  app: "ipam",
  name: "prefix",
  plural: "prefixes",
  identity: ["prefix", "vrf"],
  fieldGroup: "Addresses",
  fields: {
    prefix: prefix(),
    site: ref("dcim.site", { optional: true, onDelete: "protect" }),
    vrf: ref("ipam.vrf", { optional: true, onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    vlan: ref("ipam.vlan", { optional: true, onDelete: "protect" }),
    status: choice(
      { container: "Container", active: "Active", reserved: "Reserved", deprecated: "Deprecated" },
      { default: "active" }
    ),
    role: ref("ipam.role", { optional: true, onDelete: "set null" }),
    is_pool: flag({ default: false }),
    mark_utilized: flag({ default: false }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  panels: [
    { kind: "spaceMap", of: "addresses", vrf: "vrf" },
    { kind: "hierarchy", vrf: "vrf" },
    {
      ...{ kind: "contained", title: "Addresses", type: "ipam.ipaddress", field: "address", vrf: "vrf" },
      shows: ["status", "assigned_object", "dns_name", "description"]
    },
    {
      ...{ kind: "contained", title: "Ranges", type: "ipam.iprange", field: "start_address", vrf: "vrf" },
      shows: ["status", "role", "size", "description"]
    }
  ],
  derived: { family: family("prefix") },
  counts: { children, _depth: depth },
  paths: { vlan_vid: "vlan/vid", ...presentInVrf },
  asked: { children: { of: "number", sql: childrenInRange }, depth: { of: "number", sql: depth } },
  search: ["prefix", "description", "comments"],
  ordering: ["prefix"],
  brief: ["family", "prefix", "_depth"],
  display: (row) => String(row.prefix),
  *check(row) {
    if (!String(row.prefix).endsWith("/0")) return
    yield broken(["prefix"], { prefix: ["Cannot create prefix with /0 mask."] })
  },
  looksAt: ["vrf"],
  rivals: [
    {
      fields: ["prefix", "vrf"],
      where: `t.prefix = j.prefix and t.vrf_id = j.vrf_id
        and (select enforce_unique from ipam_vrf where id = j.vrf_id)`,
      lock: "case when (select enforce_unique from ipam_vrf where id = j.vrf_id) then j.vrf_id || ' ' || j.prefix end",
      errors: (row, other, find) => {
        const vrf = find<typeof Vrf>("ipam.vrf", row.vrf)
        return { prefix: [`Duplicate prefix found in VRF ${String(vrf?.name)}: ${String(other.prefix)}`] }
      }
    }
  ]
})
