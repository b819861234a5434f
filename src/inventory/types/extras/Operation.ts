import { choice, defineObjectType, flag, integer, ref, text, time } from "../../ObjectType.ts"

/** An action on many deliveries at once: requested over the API, done by deliver, with its progress. */
export default defineObjectType({
  app: "extras",
  name: "operation",
  plural: "operations",
  menu: "Logging",
  kind: "record",
  fields: {
    action: choice({ retry: "Retry", discard: "Discard", resume: "Resume" }),
    webhook: ref("extras.webhook", { optional: true, onDelete: "cascade" }),
    filter: text({ optional: true }),
    keep: choice({ all: "All", latest: "Latest of each object", none: "None" }, { optional: true }),
    dry_run: flag({ default: false }),
    status: choice(
      { queued: "Queued", running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" },
      { default: "queued" }
    ),
    total: integer({ optional: true }),
    done: integer({ optional: true }),
    // Deliveries whose webhook was gone.
    gone: integer({ wire: "none", optional: true }),
    message: text({ optional: true }),
    last_id: integer({ wire: "none", optional: true }),
    until_id: integer({ wire: "none", optional: true }),
    asked: time({ now: true }),
    heard: time({ now: true })
  },
  search: [],
  ordering: ["-asked"],
  brief: ["status"],
  display: (row) => `#${row.id}`
})
