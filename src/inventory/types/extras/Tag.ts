import { color, countOfAny, defineObjectType, slug, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "extras",
  name: "tag",
  plural: "tags",
  fields: {
    name: text({ max: 100, unique: true }),
    slug: slug({ unique: true }),
    color: color({ default: "9e9e9e" }),
    description: text({ max: 200, optional: true })
  },
  counts: { tagged_items: countOfAny("tags") },
  asked: {
    content_type: {
      of: "taggedType",
      sql: (_, __, ___, rows) => `t.id = any (array(select unnest(c.tags) from ${rows} c))`
    }
  },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "color"],
  display: (row) => String(row.name)
})
