import { broken, contactPaths, countOf, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import type Location from "./Location.ts"
import type Site from "./Site.ts"

export default defineObjectType({
  app: "dcim",
  name: "powerpanel",
  plural: "power-panels",
  menu: "Power",
  label: "power panel",
  fields: {
    site: ref("dcim.site", { onDelete: "protect" }),
    location: ref("dcim.location", { optional: true, onDelete: "protect" }),
    name: text({ max: 100 }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["site", "name"] }],
  counts: { powerfeed_count: countOf("dcim.powerfeed", "power_panel") },
  paths: contactPaths,
  search: ["name", "description", "comments"],
  ordering: ["site", "name"],
  brief: ["name", "powerfeed_count"],
  looksAt: ["site", "location"],
  *check(row, find) {
    const location = find<typeof Location>("dcim.location", row.location)
    if (location === undefined || location.site === row.site) return
    const site = find<typeof Site>("dcim.site", row.site)
    const message = `Location ${String(location.name)} is in a different site than ${String(site?.name)}`
    yield broken(["location", "site"], { __all__: [message] })
  }
})
