import { synchronised } from "../../context/Synchronised.ts"
import { objectErrors } from "../../context/Limits.ts"
import { broken, defineObjectType, flag, integer, json, refs, refsBy, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "extras",
  name: "configcontext",
  plural: "config-contexts",
  menu: "Provisioning",
  label: "config context",
  groups: {
    Sites: ["regions", "site_groups", "sites", "locations"],
    Devices: ["device_types", "roles", "platforms"],
    Clusters: ["cluster_types", "cluster_groups", "clusters"],
    Tenants: ["tenant_groups", "tenants"]
  },
  fields: {
    name: text({ max: 100, unique: true }),
    weight: integer({ min: 0, max: 32_767, default: 1000, help: "Values of a context of more weight win." }),
    description: text({ max: 200, optional: true }),
    is_active: flag({ default: true }),
    regions: refs("dcim.region"),
    site_groups: refs("dcim.sitegroup"),
    sites: refs("dcim.site"),
    locations: refs("dcim.location"),
    device_types: refs("dcim.devicetype"),
    roles: refs("dcim.devicerole"),
    platforms: refs("dcim.platform"),
    cluster_types: refs("virtualization.clustertype"),
    cluster_groups: refs("virtualization.clustergroup"),
    clusters: refs("virtualization.cluster"),
    tenant_groups: refs("tenancy.tenantgroup"),
    tenants: refs("tenancy.tenant"),
    tags: refsBy("extras.tag", "slug"),
    data: json({ required: true, help: 'An object, such as {"ntp": ["192.0.2.1"]}.' })
  },
  derived: synchronised,
  // A region finds its own contexts alone, as in NetBox, not those of the regions below it.
  paths: {
    region: "=regions",
    site_group: "=site_groups",
    site: "sites",
    location: "=locations",
    device_type: "device_types",
    role: "roles",
    platform: "platforms",
    cluster_type: "cluster_types",
    cluster_group: "cluster_groups",
    cluster: "clusters",
    tenant_group: "=tenant_groups",
    tenant: "tenants",
    tag: "tags"
  },
  search: ["name", "description"],
  ordering: ["weight", "name"],
  listed: ["weight", "is_active", "description"],
  brief: ["name"],
  *check(row) {
    const errors = objectErrors(row.data)
    if (errors !== undefined) yield broken(["data"], { data: [errors] })
  }
})
