import { choice, defineObjectType, integer, position, ref, text, time, uuid } from "../../ObjectType.ts"

/** One event owed to one webhook, written by deliver from its first attempt on. */
export default defineObjectType({
  app: "extras",
  name: "delivery",
  plural: "deliveries",
  menu: "Logging",
  kind: "record",
  daily: true,
  fields: {
    delivery_id: text({ unique: true }),
    webhook: ref("extras.webhook", { onDelete: "keep" }),
    status: choice({
      queued: "Queued",
      sending: "Sending",
      retrying: "Retrying",
      successful: "Successful",
      failed: "Failed",
      discarded: "Discarded"
    }),
    event: choice({ created: "Created", updated: "Updated", deleted: "Deleted" }),
    object_type: text(),
    object_id: integer(),
    request_id: uuid(),
    time: time({ now: true }),
    // Id of the user who asked for it by a test or a replay, and to whose view it is bound.
    asked_by: integer({ wire: "none", optional: true }),
    position: position(),
    idx: integer({ wire: "none" }),
    attempts: integer(),
    first_attempt: time(),
    last_attempt: time(),
    next_attempt: time(),
    response_status: integer({ optional: true }),
    reason: text({ optional: true }),
    message: text({ optional: true })
  },
  indexes: [["status", "next_attempt"], ["time"], ["object_type", "object_id"], ["request_id"]],
  search: ["delivery_id", "message"],
  ordering: ["-time"],
  brief: ["delivery_id"],
  display: (row) => String(row.delivery_id)
})
