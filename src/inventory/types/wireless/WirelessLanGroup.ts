import { defineObjectType, labels, named, ref, text, treeCount, treeDepth } from "../../ObjectType.ts"

export default defineObjectType({
  app: "wireless",
  name: "wirelesslangroup",
  plural: "wireless-lan-groups",
  label: "Wireless LAN Group",
  identity: ["slug"],
  fields: {
    ...named(),
    parent: ref("wireless.wirelesslangroup", { optional: true, onDelete: "cascade" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  unique: [{ fields: ["parent", "name"] }],
  counts: { wirelesslan_count: treeCount("wireless.wirelesslan", "group"), _depth: treeDepth },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "wirelesslan_count", "_depth"]
})
