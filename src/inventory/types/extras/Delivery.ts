import { everyAttempt } from "../../AttemptLog.ts"
import {
  type SqlFilter,
  choice,
  defineObjectType,
  flag,
  hostOfUrl,
  integer,
  jsonText,
  position,
  ref,
  text,
  time,
  uuid
} from "../../ObjectType.ts"

/** The host in the address of its webhook, as the webhook is now. */
const host: SqlFilter = {
  of: "texts",
  sql: (_, types, from, hosts) =>
    `t.webhook_id = any (array(
       select w.id from ${from(types.get("extras.webhook")!)} w where ${hostOfUrl("w.payload_url")} = any (${hosts})))`
}

const within = (pattern: string, ...texts: ReadonlyArray<string>): string =>
  texts.map((text) => `${text} ilike ${pattern}`).join(" or ")

/**
 * Searches the delivery's id and message, and headers and answers of its attempts. These may hold what is hidden
 * from a user who may not see every delivery (AttemptsInSight.ts), whose searches would find it out.
 */
const contains: SqlFilter = {
  of: "search",
  sql: (_, _types, _from, pattern) => `${within(pattern, "t.delivery_id", "t.message")} or exists (
    select from ${everyAttempt} a where a.delivery_id = t.delivery_id and a.time = t.time
       and (${within(pattern, "a.response_body", "a.request_headers", "a.response_headers", "a.message")}))`,
  sqlOfSome: (_, _types, _from, pattern) => within(pattern, "t.delivery_id", "t.message")
}

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
    object_type: { ...text(), describes: "object_id" },
    object_id: integer(),
    request_id: uuid(),
    time: time({ now: true }),
    // Id of the user who requested it by a test or a replay, and to whose view it is bound.
    asked_by: integer({ wire: "none", optional: true }),
    // The operation that retried or discarded it last.
    operation: ref("extras.operation", { optional: true, onDelete: "keep" }),
    // Whether its next attempt was requested by itself: it does not wait for an open circuit breaker.
    is_urgent: flag({ wire: "none", default: false }),
    position: position(),
    idx: integer({ wire: "none" }),
    attempts: integer(),
    first_attempt: time(),
    last_attempt: time(),
    next_attempt: time(),
    response_status: integer({ optional: true }),
    reason: text({ optional: true }),
    message: text({ optional: true }),
    // Set for a delivery that succeeded at once.
    only_attempt: { ...jsonText({ wire: "none" }), nullable: true, isApart: true }
  },
  indexes: [["object_type", "object_id"], ["request_id"]],
  coveringIndexes: [
    { name: "status_next_attempt", fields: ["status", "next_attempt"], columns: [], where: "status <> 'successful'" },
    { name: "time", fields: ["time"], columns: ["status"] },
    { name: "operation", fields: ["operation"], columns: ["status"], where: "operation_id is not null" },
    { name: "webhook_id", fields: ["webhook", "time"], columns: [] },
    // Few are not successful, and users search for those: by cause, and over a long time.
    {
      name: "unsuccessful",
      fields: ["time"],
      columns: [
        "id",
        "status",
        "webhook_id",
        "reason",
        "response_status",
        "object_type",
        "object_id",
        "event",
        "last_attempt"
      ],
      where: "status <> 'successful'"
    },
    // The same of one webhook, and of each.
    {
      name: "failing",
      fields: ["webhook", "time"],
      columns: ["id", "status", "reason", "response_status", "last_attempt"],
      where: "status <> 'successful'"
    }
  ],
  asked: { host, contains },
  derived: {
    object: {
      shape: { kind: "object", nullable: true },
      of: (row, view) => view.nested(row.object_type, row.object_id)
    }
  },
  counts: {
    // Values of the latest attempt.
    duration_ms: () =>
      `(select a.duration_ms from ${everyAttempt} a where a.delivery_id = t.delivery_id and a.time = t.time
         order by a.number desc limit 1)`
  },
  countShapes: { duration_ms: { kind: "integer", nullable: true } },
  search: ["delivery_id", "message"],
  ordering: ["-time"],
  listed: [
    "time",
    "object",
    "event",
    "status",
    "response_status",
    "webhook",
    "attempts",
    "duration_ms",
    "next_attempt"
  ],
  brief: ["delivery_id"],
  display: (row) => String(row.delivery_id)
})
