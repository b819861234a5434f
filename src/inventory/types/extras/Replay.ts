import { choice, defineObjectType, flag, integer, position, ref, text, time } from "../../ObjectType.ts"

/** Past events sent to a webhook again: requested over the API or the command line, done by deliver. */
export default defineObjectType({
  app: "extras",
  name: "replay",
  plural: "replays",
  menu: "Logging",
  kind: "record",
  fields: {
    webhook: ref("extras.webhook", { onDelete: "cascade" }),
    since: time(),
    until: time(),
    dry_run: flag({ default: false }),
    status: choice({ queued: "Queued", running: "Running", done: "Done", failed: "Failed" }, { default: "queued" }),
    total: integer({ optional: true }),
    seen: integer({ optional: true }),
    matched: integer({ optional: true }),
    message: text({ optional: true }),
    // Id of the user whose view it is bound to; null for a request of the command line.
    asked_by: integer({ wire: "none", optional: true }),
    position: position({ optional: true }),
    idx: integer({ wire: "none", optional: true }),
    asked: time({ now: true }),
    heard: time({ now: true })
  },
  search: [],
  ordering: ["-asked"],
  brief: ["status"],
  display: (row) => `#${row.id}`
})
