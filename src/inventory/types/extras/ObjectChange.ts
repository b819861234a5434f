import { historyEpoch, inEpoch } from "../../../event/Position.ts"
import { bareType } from "../../../event/SourceType.ts"
import { choice, defineObjectType, integer, jsonText, position, text, time, uuid } from "../../ObjectType.ts"

/** SQL: the fields of a snapshot. */
const fieldsIn = (snapshot: string): string =>
  `json_each(case when json_typeof(${snapshot}) = 'object' then ${snapshot} end)`

/** The change log: every event, written by capture. */
export default defineObjectType({
  app: "extras",
  name: "objectchange",
  plural: "object-changes",
  menu: "Logging",
  label: "object change",
  kind: "record",
  daily: true,
  fields: {
    time: time({ now: true }),
    user_name: text({ optional: true }),
    request_id: uuid(),
    action: choice({ create: "Created", update: "Updated", delete: "Deleted" }),
    changed_object_type: { ...text(), describes: "changed_object_id" },
    changed_object_id: integer(),
    object_repr: text({ optional: true }),
    // Changes of a NetBox that was moved here have positions of the epoch before all others.
    position: { ...position(), constraint: `$ >= ${inEpoch(historyEpoch, 0n)}` },
    idx: integer({ wire: "none" }),
    // The transaction's number in Postgres, its lower 32 bits.
    xid: integer({ wire: "none", optional: true }),
    // Method, path and token; null for plain SQL, and in rows of earlier versions.
    request: { ...jsonText({ wire: "none" }), nullable: true },
    // The facts of an event of a source (event/Event.ts); null for the inventory, and in rows of earlier versions.
    source: { ...jsonText({ wire: "none" }), nullable: true },
    // Why, as its author says.
    message: text({ optional: true }),
    data: jsonText({ wire: "none" }),
    prechange_data: jsonText(),
    postchange_data: jsonText()
  },
  snapshots: ["prechange_data", "postchange_data"],
  unique: [{ fields: ["position", "idx"] }],
  indexes: [["time"], ["request_id"], ["changed_object_type", "changed_object_id"]],
  coveringIndexes: [{ name: "xid", fields: ["xid"], columns: [], ofBlocks: true }],
  paths: { user: "user_name", time_after: "time__gte", time_before: "time__lte" },
  asked: {
    changed_field: {
      of: "search",
      sql: (_, types, from, pattern) => `t.action = 'update' and exists (
        select from ${fieldsIn("t.prechange_data")} b full join ${fieldsIn("t.postchange_data")} a on a.key = b.key
         where coalesce(a.key, b.key) ilike ${pattern} and case coalesce(a.key, b.key)
           -- Tags that the reader may not see do not count.
           when 'tags' then exists (select from ${from(types.get("extras.tag")!)} g
             where coalesce(a.value::jsonb ? g.name, false) <> coalesce(b.value::jsonb ? g.name, false))
           else a.value::text is distinct from b.value::text end)`
    },
    user_id: {
      of: "users.user",
      sql: (_, types, from, ids) =>
        `t.user_name = any (array(select u.username from ${from(types.get("users.user")!)} u where u.id = any (${ids})))`
    }
  },
  search: ["user_name", "object_repr", "message"],
  ordering: ["-time"],
  listed: ["action", "changed_object", "user_name", "request_id", "time"],
  brief: [],
  derived: {
    changed_object: {
      shape: { kind: "object", nullable: true },
      of: (row, view) => view.nested(row.changed_object_type, row.changed_object_id)
    }
  },
  // Only the name is kept: it is the user's who has it now.
  pointedBy: { user: { type: "users.user", field: "username", where: "c.username = t.user_name" } },
  display: (row, view) => {
    const type = bareType(row.changed_object_type)
    const [app] = type.split(".")
    return `${app} | ${view.label(type)} ${row.object_repr} ${row.action}d${row.user_name === "" ? "" : ` by ${row.user_name}`}`
  }
})
