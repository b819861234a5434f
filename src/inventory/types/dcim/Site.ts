import { choice, decimal, defineObjectType, ref, slug, tags, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "site",
  plural: "sites",
  fields: {
    name: text({ max: 100, unique: true }),
    slug: slug({ unique: true }),
    status: choice(
      {
        planned: "Planned",
        staging: "Staging",
        active: "Active",
        decommissioning: "Decommissioning",
        retired: "Retired"
      },
      { default: "active" }
    ),
    region: ref("dcim.region", { optional: true, onDelete: "set null" }),
    facility: text({ max: 50, optional: true }),
    time_zone: text({ max: 63, nullable: true }),
    description: text({ max: 200, optional: true }),
    physical_address: text({ max: 200, optional: true }),
    shipping_address: text({ max: 200, optional: true }),
    latitude: decimal({ digits: 8, places: 6, min: -90, max: 90, optional: true }),
    longitude: decimal({ digits: 9, places: 6, min: -180, max: 180, optional: true }),
    comments: text({ optional: true }),
    tags: tags()
  },
  search: ["name", "facility", "description", "physical_address", "shipping_address", "comments"],
  ordering: ["name"],
  brief: ["name", "slug"],
  display: (row) => String(row["name"])
})
