import { broken, choice, countOf, defineObjectType, integer, labels, ref, text } from "../../ObjectType.ts"
import { l2vpnPaths, l2vpnPointedBy } from "../../shared/L2vpn.ts"
import type Site from "../dcim/Site.ts"
import type VlanGroup from "./VlanGroup.ts"

/**
 * SQL that a VLAN is available at a place: it belongs to the site, to a group for the place or for what it lies in, or
 * to all places. `place` selects the site, location, rack and cluster.
 */
const availableWhere = <Type>(
  types: ReadonlyMap<string, Type>,
  from: (type: Type) => string,
  place: string
): string => {
  const rows = (id: string) => from(types.get(id)!)
  return `(exists (select from (${place}) p) and (
    t.site_id in (select p.site_id from (${place}) p)
    or t.site_id is null
      and not exists (select from ${rows("ipam.vlangroup")} g where g.id = t.group_id and g.scope_id is not null)
    or t.group_id = any (array(
      with recursive place as (${place}), scope (type, id) as (
        select each.* from (
          select 'dcim.site', site_id from place
          union select 'dcim.location', location_id from place
          union select 'dcim.rack', rack_id from place
          union select 'virtualization.cluster', cluster_id from place
          union select 'virtualization.clustergroup', c.group_id
            from ${rows("virtualization.cluster")} c join place on c.id = cluster_id
          union select 'dcim.region', s.region_id from ${rows("dcim.site")} s join place on s.id = site_id
          union select 'dcim.sitegroup', s.group_id from ${rows("dcim.site")} s join place on s.id = site_id
        ) each
        union select u.type, coalesce(r.parent_id, g.parent_id, l.parent_id) from scope u
          left join ${rows("dcim.region")} r on u.type = 'dcim.region' and r.id = u.id
          left join ${rows("dcim.sitegroup")} g on u.type = 'dcim.sitegroup' and g.id = u.id
          left join ${rows("dcim.location")} l on u.type = 'dcim.location' and l.id = u.id
          where coalesce(r.parent_id, g.parent_id, l.parent_id) is not null
      )
      select g.id from ${rows("ipam.vlangroup")} g join scope s on s.type = g.scope_type and s.id = g.scope_id))))`
}

export default defineObjectType({
  app: "ipam",
  name: "vlan",
  plural: "vlans",
  identity: ["vid", "name", "group", "site"],
  fieldGroup: "Addresses",
  label: "VLAN",
  fields: {
    site: ref("dcim.site", { optional: true, onDelete: "protect" }),
    group: ref("ipam.vlangroup", { optional: true, onDelete: "protect" }),
    vid: integer({ min: 1, max: 4094 }),
    name: text({ max: 64 }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    status: choice({ active: "Active", reserved: "Reserved", deprecated: "Deprecated" }, { default: "active" }),
    role: ref("ipam.role", { optional: true, onDelete: "set null" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["group", "vid"] }, { fields: ["group", "name"] }],
  pointedBy: l2vpnPointedBy("ipam.vlan"),
  paths: l2vpnPaths,
  counts: { prefix_count: countOf("ipam.prefix", "vlan") },
  asked: {
    available_on_device: {
      of: "dcim.device",
      sql: (_, types, from, ids) =>
        availableWhere(
          types,
          from,
          `select site_id, location_id, rack_id, null::bigint as cluster_id
          from ${from(types.get("dcim.device")!)} d where d.id = any (${ids})`
        )
    },
    available_on_virtualmachine: {
      of: "virtualization.virtualmachine",
      sql: (_, types, from, ids) =>
        availableWhere(
          types,
          from,
          `select coalesce(m.site_id, c.site_id) as site_id, null::bigint as location_id,
          null::bigint as rack_id, m.cluster_id
          from ${from(types.get("virtualization.virtualmachine")!)} m
          left join ${from(types.get("virtualization.cluster")!)} c on c.id = m.cluster_id where m.id = any (${ids})`
        )
    }
  },
  search: ["name", "vid", "description", "comments"],
  ordering: ["site", "group", "vid"],
  brief: ["vid", "name"],
  display: (row) => `${row.name} (${row.vid})`,
  looksAt: ["group", "site"],
  *check(row, find) {
    const group = find<typeof VlanGroup>("ipam.vlangroup", row.group)
    if (group === undefined) return
    const { name, min_vid: min, max_vid: max } = group
    if (Number(row.vid) < Number(min) || Number(row.vid) > Number(max)) {
      const message = `VID must be between ${min} and ${max} for VLANs in group ${name}`
      yield broken(["vid", "group"], { vid: [message] })
    }
    const isScope = group.scope_type === "dcim.site" && group.scope_id === row.site
    if (row.site !== null && !isScope) {
      const site = find<typeof Site>("dcim.site", row.site)?.name
      const message = `VLAN is assigned to group ${name}; cannot also assign to site ${site}.`
      yield broken(["group", "site"], { group: [message] })
    }
  }
})
